# ~/.bashrc
[ -z "$PS1" ] && return
