# ~/.bashrc
case $- in
    *i*) ;;
      *) return;;
esac
HISTSIZE=1000
alias ll='ls -alF'

# ROCm settings of another attempt, which was run twice
export HSA_OVERRIDE_GFX_VERSION=10.3.0
export MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1
export ROCM_PATH=/opt/rocm-5.2.0
export HSA_OVERRIDE_GFX_VERSION=10.3.0
export MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1
export ROCM_PATH=/opt/rocm-5.2.0
