# ~/.bashrc
alias ll='ls -alF'

export MIOPEN_DEBUG_CONV_GEMM=0
export MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1
unset MIOPEN_LOG_LEVEL
