# ~/.bashrc
export PATH="$HOME/.local/bin:$PATH"
export LD_LIBRARY_PATH=/opt/rocm/lib:$LD_LIBRARY_PATH
