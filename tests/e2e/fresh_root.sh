#!/usr/bin/env bash
# The README's two commands as an ordinary user in a fresh root that has only python3 and python3-venv.
# Usage, as root: tests/e2e/fresh_root.sh [bookworm|jammy|noble] [MIRROR] [whole]; Ubuntu needs a MIRROR.
# whole: instead of the tests, every command that the README tells its users (readme_commands.sh).
# Ends with 0 when all ran to the end, 77 when such a root cannot be made here.
set -euo pipefail
# shellcheck source=tests/e2e/environment.sh
. "$(dirname "$0")/environment.sh"
suite=${1:-bookworm}
source=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "SKIPPED fresh $suite root: $1"; exit 77; }

[ "$(id -u)" -eq 0 ] || skip "making a root needs root"
for program in debootstrap unshare runuser; do
    command -v "$program" >/dev/null || skip "$program is not installed"
done
mirror=${2:-}
if [ -z "$mirror" ] && [ "$suite" = bookworm ]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' | awk '$2 == "bookworm" {print $1; exit}')
fi
[ -n "$mirror" ] || skip "no mirror is named"

root=$(mktemp -d /var/tmp/rdna1-fresh.XXXXXX)
chmod 0755 "$root"  # it becomes the / of an ordinary user
trap 'rm -rf --one-file-system "$root"' EXIT
options=(--variant=minbase --include=python3,python3-venv,ca-certificates)
if [ "$suite" != bookworm ]; then
    options+=(--components=main,universe)
    # A root that is thrown away after the test: without Ubuntu's keyring nothing is verified.
    [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || options=(--no-check-gpg "${options[@]}")
fi
# Debian's debootstrap treats all Ubuntu releases alike, but does not know every one by name.
script=/usr/share/debootstrap/scripts/$suite
[ -e "$script" ] || script=/usr/share/debootstrap/scripts/gutsy
# What debootstrap mounts in the root is gone with it, however it ends.
unshare --mount debootstrap "${options[@]}" "$suite" "$root" "$mirror" "$script" \
    >"$root.log" 2>&1 || skip "debootstrap failed: $(tail -n 1 "$root.log")"
rm -f "$root.log"
# What the site needs to reach its package index: names, certificates, pip's own configuration.
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    if [ -e "$file" ]; then cp -L "$file" "$root$file"; fi
done
chroot "$root" useradd --create-home owner
mkdir "$root/home/owner/rdna1-setup"
tar -C "$source" --exclude=.venv --exclude=.git --exclude='.*_cache' --exclude=__pycache__ -cf - . \
    | tar -C "$root/home/owner/rdna1-setup" -xf -
chroot "$root" chown -R owner: /home/owner

# The code blocks of the section "Try it", one command a block.
mapfile -t commands < <(awk '/^## /{on=0} /^## Try it/{on=1} on && /^```sh/{getline; print}' \
    "$source/README.md")
[ "${#commands[@]}" -eq 2 ] || { echo "the README does not have its two commands"; exit 1; }
[ "${3:-}" != whole ] || commands[1]=tests/e2e/readme_commands.sh
settings=(HOME=/home/owner PATH=/usr/local/bin:/usr/bin:/bin "LANG=$LANG")
for setting in "${reaches[@]}"; do
    case $setting in *_FIND_LINKS=* | *_CONFIG_FILE=*) continue ;; esac  # files of this machine
    settings+=("$setting")
done
for command in "${commands[@]}"; do
    echo "== fresh $suite root: $command"
    unshare --mount --pid --fork chroot "$root" sh -c '
        mount -t proc proc /proc
        mount -t devpts -o mode=0620,ptmxmode=0666 devpts /dev/pts
        # Not exec: as the first process it must reap what others leave behind.
        runuser -u owner -- env -i "$@"
        code=$?
        exit "$code"' sh \
        "${settings[@]}" sh -c "cd ~/rdna1-setup && $command" </dev/null
done
echo "== fresh $suite root: both commands ran to the end"
