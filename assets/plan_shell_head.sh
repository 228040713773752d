set -eu
umask 022
LC_ALL=C.UTF-8 PIP_USER=0 PYTHONUNBUFFERED=1
export LC_ALL PIP_USER PYTHONUNBUFFERED
unset PYTHONHOME PYTHONPATH PYTHONSTARTUP PIP_TARGET PIP_PREFIX PIP_ROOT

say() { printf '%s\n' "$*"; }
stop() {
    printf 'stopped: %s\n' "$*" >&2
    exit 1
}

# Every path whose presence shows that a step is done; a step that is done is left alone.
all_there() {
    for path in "$@"; do
        [ -e "$path" ] || return 1
    done
}

# The outcome counts, not the exit code.
require() { all_there "$@" || stop "one of these is not there, whatever the program said: $*"; }

# A file of ours, whole; what somebody made of an earlier one is kept beside it.
write_file() { # PATH MODE CONTENT
    [ ! -d "$1" ] || stop "$1 is a folder"
    mkdir -p -- "$(dirname -- "$1")"
    draft=$(dirname -- "$1")/.$(basename -- "$1").rdna1-setup
    rm -f -- "$draft"
    printf '%s' "$3" >"$draft"
    chmod "$2" "$draft"
    if [ -f "$1" ] && ! cmp -s -- "$draft" "$1"; then
        number=1
        while [ -e "$1.kept-$number" ]; do number=$((number + 1)); done
        mv -- "$1" "$1.kept-$number"
        say "  what it was before is kept as $1.kept-$number"
    fi
    mv -- "$draft" "$1"
}

# At least so many bytes where the folder is or will be.
require_room() { # FOLDER BYTES
    there=$1
    while [ ! -d "$there" ]; do there=$(dirname -- "$there"); done
    free=$(df -Pk -- "$there" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge "$(($2 / 1000))" ] || stop "$there has $free kB free, and $2 bytes are needed"
}
