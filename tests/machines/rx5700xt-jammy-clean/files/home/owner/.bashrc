# ~/.bashrc
HISTSIZE=1000
