#!/bin/sh
# Undoes what this run of rdna1-setup changed as root, the latest change first.
# Needs neither network nor rdna1-setup. As root, also from a recovery console:
#     sh @HERE@/UNDO.sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
export PATH LC_ALL DEBIAN_FRONTEND
umask 022
here=@HERE@
failed=0
missing=0
gone_for_good=
say() { printf '%s\n' "$*"; }
could_not() { say "NOT UNDONE: $*"; failed=$((failed + 1)); }
is_there() { [ -e "$1" ] || [ -L "$1" ]; }
md5_of() { md5sum <"$1" | cut -d ' ' -f 1; }
hash_of() { if [ -f "$1" ] && [ ! -L "$1" ]; then sha256sum <"$1" | cut -d ' ' -f 1; fi; }
native=$(dpkg --print-architecture)
# NAME FIELDS: of that package alone; a bare name is of this system's own architecture, or of all
asked() {
    dpkg-query -W -f '${binary:Package} '"$2"'\n' "$1" 2>/dev/null |
        sed -n "s/^$1\(:$native\)\{0,1\} //p"
}
state_of() { asked "$1" '${db:Status-Abbrev}${Version}'; }
# NAME...: as dpkg must be given them, for a bare name may stand for several packages
exact() { for each; do asked "$each" '${binary:Package}'; done; }
# FROM TO: there again with owner, permissions, times, ACLs and attributes, or not at all. A copy:
# of a second name the backup would change with the file; where cp cannot keep all, a second name
put_there() {
    rm -f "$2.rdna1-undo"
    {
        cp -RP --preserve=mode,ownership,timestamps,xattr "$1" "$2.rdna1-undo" 2>/dev/null ||
            { rm -f "$2.rdna1-undo" && ln -P "$1" "$2.rdna1-undo"; }
    } && mv -fT "$2.rdna1-undo" "$2"
}
# A B: two names of one file
is_same() { [ "$(stat -c %d:%i "$1" 2>/dev/null)" = "$(stat -c %d:%i "$2" 2>/dev/null)" ]; }
content_of() { if [ -L "$1" ]; then readlink "$1"; else hash_of "$1"; fi; }
# PATH: what a kill left of our writing
drop_draft() { rm -f "${1%/*}/.${1##*/}.rdna1-setup"; }
# PATH HASH: a file that we wrote where none was
remove_ours() {
    drop_draft "$1"
    is_there "$1" || return 0
    if [ "$(hash_of "$1")" = "$2" ]; then rm -f "$1" && say "removed $1" || could_not "$1"
    else could_not "$1 has been changed since. Remove it yourself if you do not need it"; fi
}
# BACKUP PATH OURS BEFORE: a file that we wrote over another one
restore() {
    drop_draft "$2"
    if [ "$(hash_of "$2")" = "$4" ]; then return 0; fi
    if is_there "$2" && [ "$(hash_of "$2")" != "$3" ]; then
        could_not "$2 has been changed since. The earlier version is $1"; return 0
    fi
    if ! is_there "$1" && ! is_there "$2"; then must_come "$2" "$1"
    elif ! is_there "$1"; then could_not "$2 cannot be restored, because $1 is gone"
    elif put_there "$1" "$2"; then say "restored $2"
    else could_not "$2, which is kept as $1"; fi
}
# PATH BACKUP: what is not there, and has no backup; unless it comes from an earlier one, it is lost
must_come() { is_there "$1" || printf '%s\n' "$1" "$2" >>"$here/must_come"; }
name_lost() {
    [ -f "$here/must_come" ] || return 0
    while IFS= read -r path && IFS= read -r kept; do
        is_there "$path" || could_not "$path does not exist, and neither does its backup ($kept)"
    done <"$here/must_come"
    rm -f "$here/must_come"
}
# PATH: a folder that we made
remove_folder() { if [ -d "$1" ]; then rmdir "$1" 2>/dev/null && say "removed $1"; fi; return 0; }
# FROM TO: a tree lies on the file system of its place
move_there() {
    if [ -d "$1" ] && [ ! -L "$1" ]; then mv -T "$1" "$2"
    else put_there "$1" "$2" && rm -f "$1"; fi
}
# BACKUP PARKED PATH: something that we moved away
move_back() {
    from=$1
    is_there "$from" || from=$2
    if [ -z "$from" ] || ! is_there "$from"; then must_come "$3" "$1"; return 0; fi
    if is_there "$3"; then could_not "$3 exists again. The earlier version is $from"
    elif mkdir -p "${3%/*}" && move_there "$from" "$3"; then
        say "moved back $3"
        case "${from%/*}" in */.rdna1-setup-*) rmdir "${from%/*}" 2>/dev/null ;; esac
    else could_not "$3"; fi
    return 0
}
# PATH BACKUP CONTENT: something that we put back, unless it still is in the backup. What this run
# itself had moved away comes back below, as it is by now
put_away() {
    if is_there "$2" || ! is_there "$1"; then return 0; fi
    if [ "$3" = any ] || [ "$(content_of "$1")" = "$3" ]; then move_back "$1" '' "$2"
    else could_not "$1 has been changed since. If you do not need it, move it out of the way"; fi
}
# FOLDER: undoing a change begins; how the alternatives stood then is kept in FOLDER
since() { now=$1 && keep_alternatives "$1"; }
# PATH: has it come, or come again, since then
has_come() { [ -n "$(find "$1" -maxdepth 0 -cnewer "$now/links" 2>/dev/null)" ]; }
# PATH: is it as a package brings it, so that nothing is lost with it
is_as_delivered() {
    if [ ! -f "$1" ] || [ -L "$1" ]; then return 1; fi
    md5=$(md5_of "$1")
    dpkg-query -W -f '${Conffiles}\n' | grep -qxF -e " $1 $md5" ||
        cat /var/lib/dpkg/info/*.md5sums | grep -qxF -e "$md5  ${1#/}"
}
# BACKUP PATH: a file of a package that went with it: of its settings, or one that was changed
restore_settings() {
    is_there "$1" || { could_not "$2 cannot be restored, because $1 is gone"; return 0; }
    is_same "$1" "$2" && return 0
    if is_there "$2" && ! has_come "$2" && ! is_as_delivered "$2"; then
        [ "$(content_of "$1")" = "$(content_of "$2")" ] ||
            could_not "$2 has been changed since. The earlier version is $1"
        # what the package has instead has come just now, for dpkg keeps such a file as well
        has_come "$2.dpkg-dist" && rm -f "$2.dpkg-dist"
        return 0
    fi
    if mkdir -p "${2%/*}" && put_there "$1" "$2"; then say "restored $2"
    else could_not "$2, which is kept as $1"; fi
    [ -f "$2" ] && cmp -s "$2" "$2.dpkg-new" && rm -f "$2.dpkg-new"
    return 0
}
# PATH TARGET: a link where a package has a folder; dpkg takes it away and makes a folder
link_again() {
    if [ -L "$1" ]; then return 0; fi
    if ! is_there "$1"; then mkdir -p "${1%/*}" && ln -s "$2" "$1" || could_not "the link $1 to $2"
    elif ! has_come "$1"; then could_not "$1 has been changed since. It was a link to $2"
    elif mv -T "$1" "$1.rdna1-undo" && ln -s "$2" "$1" && cp -aT "$1.rdna1-undo/" "$1/"; then
        rm -rf --one-file-system "$1.rdna1-undo" && say "restored $1"
    else could_not "the link $1 to $2. Its content is in $1.rdna1-undo"; fi
}
# COPY PATH FORM: a folder of a package that was another one's, and that came as it is delivered
restore_folder() {
    if [ -L "$2" ] || [ "$(stat -c '%a %u %g' "$2" 2>/dev/null)" != "$3" ]; then return 0; fi
    cp -RT --preserve=mode,ownership,xattr "$1" "$2" && say "restored $2" || could_not "$2"
}
# PATH: what of it has not come with this rollback, nor with packages of one that was cut off
strangers_in() {
    if ! { [ -d "$now/links" ] && find "$1" ! -cnewer "$now/links" | sort >"$now/older"; }; then
        say "$1" # nothing can be told of it
    elif [ -f "$here/rollback_began" ]; then
        find "$1" ! -cnewer "$here/rollback_began"
        sort -u /var/lib/dpkg/info/*.list | comm -13 - "$now/older"
    else cat "$now/older"; fi
}
# LIST: files of packages that had been deleted before; those that came back with them go again
lose_again() {
    [ -f "$1" ] || { could_not "$1 is gone: deleted files may exist again"; return 0; }
    while IFS= read -r path; do
        is_there "$path" || continue
        if [ -z "$(strangers_in "$path")" ]; then
            rm -rf --one-file-system "$path" && say "removed again $path" || could_not "$path"
        elif has_come "$path" || [ -f "$here/rollback_began" ]; then
            could_not "$path did not exist before, but contains something older"
        fi
    done <"$1"
}
# FILE: a rollback that began has been undone itself
forget_mark() { rm -f "$1"; }
alternatives=/var/lib/dpkg/alternatives
# RECORD: the links of an alternative
links_of() {
    {
        read -r _ && read -r link || return 0
        printf '%s\n' "$link" "/etc/alternatives/${1##*/}"
        while read -r name && [ -n "$name" ] && read -r link; do
            printf '%s\n' "$link" "/etc/alternatives/$name"
        done
    } <"$1"
}
# RECORD: where its links lead
leading() { links_of "$1" | while read -r link; do say "$link $(readlink "$link")"; done; }
# RECORD: what can be chosen
choices_of() {
    [ -f "$1" ] || return 0
    slaves=0
    {
        read -r _ && read -r _ || return 0
        while read -r name && [ -n "$name" ] && read -r _; do slaves=$((slaves + 1)); done
        while read -r choice && [ -n "$choice" ] && read -r _; do
            printf '%s\n' "$choice"
            for _ in $(seq "$slaves"); do read -r _; done
        done
    } <"$1"
}
# FOLDER: a copy of all alternatives, their records and where their links lead
keep_alternatives() {
    [ -d "$1" ] && return 0
    rm -rf "$1.part"
    copy_alternatives "$1.part" && mv -T "$1.part" "$1" || could_not "a copy of $alternatives"
}
copy_alternatives() {
    mkdir -p "$1/records" "$1/links" || return 1
    for record in "$alternatives"/*; do
        case "$record" in *.dpkg-tmp) continue ;; esac
        [ -f "$record" ] || continue
        cp -p "$record" "$1/records/" || return 1
        leading "$record" >"$1/links/${record##*/}" || return 1
    done
}
# FOLDER NAME: is it as it was when that copy was made
is_as_in() {
    if [ ! -f "$1/records/$2" ]; then ! is_there "$alternatives/$2"; return; fi
    cmp -s "$1/records/$2" "$alternatives/$2" &&
        [ "$(leading "$alternatives/$2")" = "$(cat "$1/links/$2")" ]
}
# FOLDER: what a change made of the alternatives, once it has ended
keep_changed() {
    for record in "$1"/records/* "$alternatives"/*; do
        is_there "$record" && { is_as_in "$1" "${record##*/}" || say "${record##*/}"; }
    done >"$1/changed.part"
    mv "$1/changed.part" "$1/changed"
}
# NAME FOLDER...: did these changes, or this rollback, touch it; one that was cut off may have
was_touched() {
    touched=$1
    shift
    for folder; do
        [ -f "$folder/changed" ] || return 0
        grep -qxF "$touched" "$folder/changed" && return 0
    done
    return 1
}
# FOLDER NAME: what somebody else has registered since then and before this rollback began
others() {
    choices_of "$alternatives/$2" | while read -r choice; do
        choices_of "$1/records/$2" | grep -qxF "$choice" && continue
        choices_of "$now/records/$2" | grep -qxF "$choice" && [ -e "$choice" ] && say "$choice"
    done
}
# FOLDER...: alternatives are as they were when the first change began; of those that these changes
# have not touched, as they were before this rollback
alternatives_back() {
    first=$1
    for record in "$first"/records/* "$now"/records/* "$alternatives"/*; do
        name=${record##*/}
        case "$name" in *.dpkg-tmp|'*') continue ;; esac
        wanted=$now
        was_touched "$name" "$@" && wanted=$first
        is_as_in "$wanted" "$name" && continue
        if [ -n "$gone_for_good" ] && ! has_all_choices "$wanted/records/$name"; then
            say "$name is not changed: what it pointed to was removed permanently"
            continue
        fi
        found=$(others "$wanted" "$name")
        if [ -n "$found" ]; then say "$name is left unchanged: $found has been added since"
        else alternative_back "$wanted" "$name" || could_not "the alternatives of $name"; fi
    done
}
# FOLDER NAME
alternative_back() {
    if [ ! -f "$1/records/$2" ]; then update-alternatives --quiet --remove-all "$2"; return; fi
    if [ -f "$alternatives/$2" ]; then
        links_of "$alternatives/$2" | while read -r link; do
            grep -qF "$link " "$1/links/$2" || lead "$link" ''
        done
    fi
    cp -p "$1/records/$2" "$alternatives/$2.dpkg-tmp" &&
        mv -f "$alternatives/$2.dpkg-tmp" "$alternatives/$2" || return 1
    while read -r link target; do lead "$link" "$target"; done <"$1/links/$2"
    is_as_in "$1" "$2" && say "the alternatives of $2 are as before"
}
# LINK TARGET: a link of an alternative; without a target there is none
lead() {
    if is_there "$1" && [ ! -L "$1" ]; then return; fi
    [ "$(readlink "$1")" = "$2" ] && return
    if [ -z "$2" ]; then rm -f "$1"
    else ln -sfn "$2" "$1.dpkg-tmp" && mv -fT "$1.dpkg-tmp" "$1"; fi
}
# RECORD: is everything there that can be chosen
has_all_choices() {
    choices_of "$1" | while read -r choice; do [ -e "$choice" ] || exit 1; done
}
forget_since() { rm -rf "$now"; }
# USER GROUP
is_in() { id -nG "$1" | tr ' ' '\n' | grep -qx "$2"; }
leave() { if is_in "$1" "$2"; then gpasswd -d "$1" "$2" || could_not "$1 is in the group $2"; fi; }
join() { is_in "$1" "$2" || gpasswd -a "$1" "$2" || could_not "$1 is not in the group $2"; }
rest() { configure_all || :; }
settle() { configure_all || could_not "dpkg --configure failed"; }
# All that waits, but for what would build a kernel module: that is for whoever wants it
configure_all() {
    waiting=$(dpkg-query -W -f '${db:Status-Abbrev} ${binary:Package}\n' | sed -n 's/^.[UFWt]. //p')
    modules='^\(amdgpu\|rock\|rocm\)-dkms\(:.*\)\{0,1\}$'
    if ! printf '%s\n' "$waiting" | grep -q "$modules"; then
        dpkg --force-confold --configure -a
        return
    fi
    waiting=$(printf '%s\n' "$waiting" | grep -v "$modules")
    # shellcheck disable=SC2086 # names of packages hold no blanks
    [ -z "$waiting" ] || dpkg --force-confold --configure $waiting || return
    dpkg --triggers-only -a
}
# NAME VERSION FILE STATE: what builds a kernel module, and had failed to, is where it was
unpack_again() {
    if is_of_others "$1" "$2"; then
        stays "The earlier version is $2"
        return 0
    fi
    case "$(state_of "$1")" in
        ?[UFi]?"$2") ;;
        *) dpkg --force-depends --force-downgrade --unpack "$3" || could_not "$1 $2" ;;
    esac
    case "$4$(state_of "$1")" in F?U?"$2") fail_to_configure "$1" ;; esac
    return 0
}
# NAME: as it had failed, but without its script, which would build the module: for this one call,
# a script that fails lies over it
fail_to_configure() {
    printf '#!/bin/sh\nexit 1\n' >"$here/backup/fails" && chmod 0755 "$here/backup/fails"
    unshare --mount sh -c 'mount --bind "$1" "$2" && exec dpkg --configure "$3"' sh \
        "$here/backup/fails" "/var/lib/dpkg/info/${1%%:*}.postinst" "$1" >/dev/null 2>&1
    say "$1 is not configured: $(state_of "$1")"
}
# (NAME VERSION FILE)...: what was cut off in the middle of unpacking is unpacked to its end first,
# for dpkg knows only then which files it brought
finish_unpacking() {
    while [ $# -ge 3 ]; do
        case "$(state_of "$1")" in ?H*|??R*)
            file=$3
            [ -f "$file" ] || file=$(package_file "$1" "$2")
            if [ -n "$file" ]; then dpkg --force-depends --force-downgrade --unpack "$file" || :; fi
            ;;
        esac
        shift 3
    done
}
# NAME VERSION: its file in apt's cache, or from the repository where that can be reached
package_file() {
    version=$(printf %s "$2" | sed 's/:/%3a/g')
    case "$1" in *:*) architectures=${1#*:} ;; *) architectures="$native all" ;; esac
    for architecture in $architectures; do
        file="/var/cache/apt/archives/${1%%:*}_${version}_$architecture.deb"
        if [ -f "$file" ]; then printf %s "$file"; return; fi
    done
    mkdir -p "$here/backup/again" && cd "$here/backup/again" || return
    apt-get -qq download "$1=$2" >/dev/null 2>&1
    for architecture in $architectures; do
        file="$here/backup/again/${1%%:*}_${version}_$architecture.deb"
        if [ -f "$file" ]; then printf %s "$file"; fi
    done
}
# NAME VERSION...: is it there in another version than these
is_of_others() {
    others_name=$1
    case "$(state_of "$others_name")" in ''|?[ncH]*) return 1 ;; esac
    others_version=$(asked "$others_name" '${Version}')
    shift
    for known; do [ "$known" = "$others_version" ] && return 1; done
    return 0
}
# WHAT: what is said of it, and what to do about it
stays() { could_not "$others_name $others_version has been installed since, and is kept. $*"; }
# NAME FIRST THEN: is it back already as the run found it first, when another version was THEN
is_back() { [ "$2" != "$3" ] && [ -n "$2" ] && is_installed "$1" "$2"; }
# HOW (NAME VERSION FIRST)...: packages that we brought
take_ours() {
    ours=
    how=$1
    shift
    while [ $# -ge 3 ]; do
        if is_back "$1" "$3" "$2"; then :
        elif is_of_others "$1" "$2"; then stays "If you do not need it, run: apt-get $how $1"
        else ours="$ours $1"; fi
        shift 3
    done
    # shellcheck disable=SC2086 # names of packages hold no blanks
    take_out "--$how" $ours
}
# NAME: settings of a package that we brought, as somebody has edited them since
keep_edited() {
    dpkg-query -W -f '${Conffiles}\n' "$1" |
        sed -n 's/^ \(\/.*\) \([0-9a-f]\{32\}\)\( obsolete\)\{0,1\}$/\2 \1/p' |
        while read -r sum path; do
            [ -f "$path" ] && [ "$(md5_of "$path")" != "$sum" ] || continue
            keep_newer "$path"
        done
}
# NAME FILE: what lies where a package that comes back has files, and is none of its own
keep_in_the_way() {
    dpkg-query -L "$1" >"$here/backup/listed" 2>/dev/null
    dpkg-deb --fsys-tarfile "$2" | tar -t --quoting-style=literal | while IFS= read -r path; do
        path=/${path#./}
        case "$path" in */) continue ;; esac
        if ! is_there "$path" || { [ -d "$path" ] && [ ! -L "$path" ]; }; then continue; fi
        grep -qxF -e "$path" "$here/backup/listed" || keep_newer "$path"
    done
    rm -f "$here/backup/listed"
}
# PATH: what was put there, or changed, since
keep_newer() {
    newer=$here/backup/newer$1
    while is_there "$newer"; do
        if cmp -s "$1" "$newer"; then return 0; fi
        newer=$newer~
    done
    mkdir -p "${newer%/*}" && put_there "$1" "$newer" &&
        say "$1 has been changed since. It is kept as $newer" || say "$1 could not be kept"
}
# HOW NAME...: packages that we brought, in whichever version
take_out() {
    how=$1
    shift
    found=
    for name; do
        case "$(state_of "$name")" in
            ''|?n*) ;;
            ?c*) [ "$how" = --purge ] && found="$found $name" ;;
            *) found="$found $name" ;;
        esac
    done
    [ -z "$found" ] && return 0
    if [ "$how" = --purge ]; then for name in $found; do keep_edited "$name"; done; fi
    # apt would keep its mark of a dependency, since dpkg does not tell it that the package goes
    # shellcheck disable=SC2086 # names of packages hold no blanks
    apt-mark manual $found >/dev/null 2>&1
    # shellcheck disable=SC2046,SC2086
    dpkg --force-depends --force-remove-reinstreq "$how" $(exact $found) ||
        could_not "these packages were not removed:$found"
}
# NAME VERSION: is it there; one that dpkg was only told to remove is to stay
is_installed() {
    case "$(state_of "$1")" in
        [rp]i?"$2") printf '%s install\n' "$(exact "$1")" | dpkg --set-selections ;;
        ?i?"$2") ;;
        *) return 1 ;;
    esac
}
# (NAME VERSION)...: packages that were there before: those that are there are to stay
stay() { while [ $# -ge 2 ]; do is_installed "$1" "$2" || :; shift 2; done; }
# (NAME VERSION FILE OURS FIRST)...: packages that were there before, in whose stead we brought OURS
bring_back() {
    files=
    while [ $# -ge 5 ]; do
        if is_back "$1" "$5" "$2" || is_installed "$1" "$2"; then :
        elif is_of_others "$1" "$2" "$4"; then
            stays "To restore the earlier $2, remove it and run this again"
        elif [ -f "$3" ]; then keep_in_the_way "$1" "$3" && files="$files $3"
        elif apt-get -y --allow-downgrades --no-install-recommends install "$1=$2"; then :
        else could_not "$1 $2: no package file was kept, and apt cannot download it"; fi
        shift 5
    done
    [ -z "$files" ] && return 0
    # shellcheck disable=SC2086 # our own file names hold no blanks
    dpkg --force-confold --force-downgrade -i $files ||
        could_not "these packages were not installed:$files"
}
# (NAME VERSION)...: packages of which no file was kept; what the user installed since is there
went_for_good() {
    gone_for_good=yes
    while [ $# -ge 2 ]; do
        if ! is_installed "$1" "$2"; then
            say "NOT UNDONE: $1 $2 was removed permanently, and no package file was kept"
            missing=$((missing + 1))
        fi
        shift 2
    done
}
# BACKUP PATH: a file of such a package, which does not come back without it
settings_kept() {
    is_there "$2" || ! is_there "$1" || say "the content of $2 is kept as $1"
}
# auto|manual NAME...: those that are there; apt-mark marks none of them where it knows one not
mark() {
    how=$1
    shift
    found=
    for name; do case "$(state_of "$name")" in ''|?[nc]*) ;; *) found="$found $name" ;; esac; done
    [ -z "$found" ] && return 0
    # shellcheck disable=SC2086 # names of packages hold no blanks
    apt-mark "$how" $found >/dev/null || could_not "apt-mark $how$found failed"
}
loader() { ldconfig || could_not "ldconfig failed"; }
# What depends on packages that are not there any more
name_needy() {
    apt-get -o Debug::NoLocking=true -o Dir::Cache::pkgcache= check 2>/dev/null |
        sed -n 's/^ \([^ ]*\) : \(Pre\)\{0,1\}-\{0,1\}Depends: .*/\1/p' | sort -u
}

# THE CHECKS
[ "$(id -u)" = 0 ] || { say "Run this as root: sudo sh $here/UNDO.sh"; exit 1; }
cd / || exit 1
if ! touch "$here/.writable" 2>/dev/null; then
    say "This file system cannot be written to. In a recovery console, run: mount -o remount,rw /"
    exit 1
fi
if [ -n "$(find "$here/journal.jsonl" -newer "$here/.writable" 2>/dev/null)" ]; then
    say "By this clock ($(date)) the run is in the future: newer files cannot be recognized."
    say "Set the clock (date -s), then run this again."
    say "If the clock is right, run this first: touch $here/journal.jsonl"
    exit 1
fi
rm -f "$here/.writable" "$here/must_come"
if [ "${1-}" != --locked ] && command -v flock >/dev/null 2>&1; then
    # -o: what we start does not hold the lock, should it stay
    flock -n -o -E 75 @STATE@/lock sh "$here/UNDO.sh" --locked
    code=$?
    [ "$code" = 75 ] && say "rdna1-setup is running as root right now. Wait until it has finished."
    exit "$code"
fi

# THE CALLS
name_lost
if [ -n "${now-}" ]; then  # packages were changed
    for name in $(name_needy); do
        could_not "$name depends on packages that no longer exist. If you do not need it, run:" \
            "apt-get remove $name"
    done
fi
printf '{"event": "undone", "failed": %s}\n' "$failed" |
    tee -a "$here/journal.jsonl" >>"$here/events.jsonl"
sync
if [ "$failed" != 0 ]; then
    say "Changes that could not be undone, named above: $((failed + missing))."
    exit 1
elif [ "$missing" != 0 ]; then
    say "Everything else is undone. Permanently removed packages, named above: $missing."
    exit 3
fi
say "All changes of this run are undone."
