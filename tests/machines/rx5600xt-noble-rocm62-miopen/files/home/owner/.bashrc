# ~/.bashrc
case $- in
    *i*) ;;
      *) return;;
esac
HISTSIZE=1000

# ROCm on RDNA1
export HSA_OVERRIDE_GFX_VERSION=10.3.0
export MIOPEN_FORCE_RDNA1=1
# export MIOPEN_LOG_LEVEL=7
