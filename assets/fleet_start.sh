#!/bin/sh
# Starts the wizard of this folder on a machine without internet.
# It makes the wizard a private venv from wizard/, once, and hands every word on to it.
#
#   sh FOLDER/start.sh apply --stack @STACK@ --wheelhouse FOLDER/wheels --yes
#   RDNA1_SETUP_TEMPORARY=1: the venv goes to a temporary folder and is removed again; with
#   --dry-run nothing is left on the machine.
set -eu

architecture=@ARCHITECTURE@
minor=@MINOR@
known=@PYTHON@

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)

stop() {
    printf 'start.sh: %s\n' "$@" >&2
    exit 2
}

[ -f "$here/fleet.json" ] ||
    stop "$here is not finished: fleet.json is missing." \
        "Run rdna1-setup fetch again, then copy it once more."
[ "$(uname -m)" = "$architecture" ] ||
    stop "this folder is for $architecture, and this machine is $(uname -m)." "Fetch another one for it."

# All of it before something is installed; of a look only what the look runs.
pattern='  wizard\|  bin/'
[ "${1-}" != apply ] || pattern=''
for word in "$@"; do
    case "$word" in --dry-run) pattern='  wizard\|  bin/' ;; esac
done
if ! (cd "$here" && grep -e "$pattern" SHA256SUMS | sha256sum --quiet -c -) >&2; then
    stop "files of $here are damaged or missing; they are named above." \
        "Copy the folder once more. Nothing was changed."
fi

if [ -n "${RDNA1_SETUP_TEMPORARY-}" ]; then
    private=$(mktemp -d)
    trap 'rm -rf -- "$private"' EXIT
    trap 'exit 130' HUP INT TERM
    export PYTHONDONTWRITEBYTECODE=1
else
    private=${XDG_DATA_HOME:-$HOME/.local/share}/rdna1-setup
    mkdir -p -- "$private"
fi
key=$(sha256sum "$here/wizard.lock" | cut -c 1-12)
venv=$private/wizard-$key

# uv with nothing of the machine's own: no settings, no cache, no network.
uv() {
    env -u UV_INDEX_URL -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS UV_NO_CONFIG=1 UV_NO_CACHE=1 \
        UV_PYTHON_INSTALL_MIRROR="file://$here/python" "$here/bin/uv" "$@"
}

fits() {
    [ -n "$1" ] && [ -x "$1" ] &&
        [ "$("$1" -I -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$minor" ]
}

# The Python that the folder was fetched for; the one that it brings.
find_python() {
    for python in "$known" "/usr/bin/python$minor" "$(command -v "python$minor" || true)"; do
        if fits "$python"; then
            printf '%s\n' "$python"
            return
        fi
    done
    if [ -d "$here/python" ]; then
        uv python install --quiet --no-bin --install-dir "$private/python" "$minor" >&2 || return 1
        for python in "$private/python/cpython-$minor"*"/bin/python$minor"; do
            if fits "$python"; then
                printf '%s\n' "$python"
                return
            fi
        done
    fi
    return 1
}

if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -I -c 'import wizard' 2>/dev/null; then
    python=$(find_python) ||
        stop "this machine has no Python $minor, and the folder brings none." \
            "Install it (Debian, Ubuntu: apt install python$minor), or fetch with --without-python."
    making=$venv.making-$$
    rm -rf -- "$making"
    if ! { uv venv --quiet --offline --no-project --relocatable --python "$python" "$making" &&
        uv pip install --quiet --offline --no-index --no-deps --require-hashes --link-mode copy \
            --find-links "$here/wizard" --python "$making/bin/python" -r "$here/wizard.lock"; } >&2; then
        rm -rf -- "$making"
        stop "the wizard's own venv could not be made in $private; the reason stands above." \
            "Free some space there, or set XDG_DATA_HOME to a folder of your own. Nothing else was changed."
    fi
    rm -rf -- "$venv"
    mv -- "$making" "$venv"
fi

UV_PYTHON_INSTALL_MIRROR=file://$here/python
export UV_PYTHON_INSTALL_MIRROR
if [ -n "${RDNA1_SETUP_TEMPORARY-}" ]; then
    "$venv/bin/python" -I -m wizard "$@"
else
    exec "$venv/bin/python" -I -m wizard "$@"
fi
