"""Package lists are read, and packages change exactly as reviewed."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from assets.root.apt_undo import note_change
from assets.root.failures import explain
from assets.root.files import place_at, read_file
from assets.root.package_files import is_kept, keep_deb, kept_path, take_deb
from assets.root.packages import (
    LIST_LOCKS,
    Package,
    Simulated,
    automatic,
    bare,
    change_argv,
    finishing,
    only_source,
    options,
    packages,
    refuse_interrupted,
    simulate,
    wait_for_locks,
)
from assets.root.places import LONGEST_CONTENT, OWN_SOURCE
from assets.root.processes import CHANGE_DEADLINE_S, FETCH_DEADLINE_S, SHORT_DEADLINE_S, Ended, run
from assets.root.requests import DKMS, NEVER_REMOVED, refuse_always
from assets.root.step import Step
from assets.root.trouble import Trouble, Wrong, counted, surprise
from assets.root.undo import Call, shell_script


def apt_update(_: dict[str, Any], step: Step) -> str:
    """Read the package lists of our own source; those of others stay as they are."""
    with place_at(OWN_SOURCE) as (folder, name):
        if read_file(folder, name, LONGEST_CONTENT) is None:
            raise Trouble(
                f"{OWN_SOURCE} does not exist.",
                "Without this file, there is no package list to read.",
                "First, run the step that writes this file.",
            )
    wait_for_locks(step, LIST_LOCKS)
    only = only_source(OWN_SOURCE)
    ended = step.follow(("apt-get", *only, "update"), FETCH_DEADLINE_S, apt=True)
    if ended.code != 0:
        raise explain(ended)
    form = ("--format", "$(FILENAME)", "Created-By: Packages")
    lists = run(("apt-get", *only, "indextargets", *form)).output.split()
    if not lists or not all(os.path.exists(path) for path in lists):
        raise explain(ended)
    return "{} read".format(counted(len(lists), "package list"))


def apt_change(wanted: dict[str, Any], step: Step) -> str:
    """One transaction, if apt means to do exactly what was reviewed; dpkg is asked afterwards."""
    wait_for_locks(step)
    files = [take_deb(path, wanted_hash, step) for path, wanted_hash in wanted["debs"]]
    refuse_unkept(wanted, packages(), step)
    earlier = step.run.unfinished(step.request)
    if earlier:  # dpkg finishes what it had begun when this very step was cut off
        drop_half(step, wanted["expect"])
        for call in finishing():
            step.follow(call, CHANGE_DEADLINE_S)
    refuse_interrupted()
    drop_half(step, wanted["expect"])
    before = packages()
    if earlier:
        refuse_other_versions(wanted, earlier["noted"]["there"], before)
    argv = change_argv(
        *(f"{name}={version}" for name, version in wanted["install"]),
        *files,
        # What apt-get does not know at all it would take for a failure.
        *(name + "-" for name in wanted["remove"] if name in before),
        purge=wanted["purge"],
        where=fetched_before(wanted, step),
    )
    refuse_surprises(wanted, simulate(argv), before)
    if unmet(wanted, before):
        if not earlier:
            keep_replaced(wanted, before, step)
            note_change(wanted, before, files, step)
        ended = step.follow(argv, CHANGE_DEADLINE_S, apt=True)
        if unmet(wanted, packages()):
            raise _not_as_wanted(wanted, ended)
    keep_what_changed(step)
    expect = wanted["expect"]
    return "{} installed, {} removed; dpkg confirms each".format(
        counted(len(expect["install"]), "package"), len(expect["remove"])
    )


def refuse_other_versions(
    wanted: dict[str, Any], there: dict[str, str], present: dict[str, Package]
) -> None:
    """Raise Trouble where somebody has brought a version since that is neither the old one nor
    ours: nothing was noted of it, so that nothing could bring it back."""
    for name, version in wanted["expect"]["install"]:
        package = present.get(name)
        if package and package.state != "c" and package.version not in (version, there.get(name)):
            raise surprise(f"{name} is now {package.version}.")


def refuse_unkept(wanted: dict[str, Any], present: dict[str, Package], step: Step) -> None:
    """Raise Trouble where something goes of which no file is kept, unless that was reviewed."""
    going = [(n, present[n].version) for n in wanted["expect"]["remove"] if n in present]
    unkept = [
        f"{name} {version}"
        for name, version in going
        if present[name].state != "c"
        and (name, version) not in wanted["for_good"]
        and not is_kept(step, name, version)
    ]
    if unkept:
        raise Trouble(
            "No package file is kept for {}.".format(", ".join(unkept)),
            "These packages would be removed permanently, but the plan does not say so. Nothing "
            "was changed.",
            "Have rdna1-setup check the machine again, and review the new plan.",
        )


def keep_replaced(wanted: dict[str, Any], before: dict[str, Package], step: Step) -> None:
    """Keep the package files of what another version replaces, where they can be had."""
    for name, version in replaced(wanted, before):
        if not is_kept(step, name, version):
            try:
                how = keep_deb(step, name, version)
            except Trouble as trouble:
                how = trouble.happened
            step.output([f"{name} {version}: {how}"])


def replaced(wanted: dict[str, Any], present: dict[str, Package]) -> list[tuple[str, str]]:
    """What is there in another version than a transaction brings."""
    coming = dict(wanted["expect"]["install"])
    there = ((n, present[n].version) for n in coming if n in present and present[n].state != "c")
    return [(name, version) for name, version in there if version != coming[name]]


def keep_what_changed(step: Step) -> None:
    """Note which alternatives the transaction changed, so that no others are put back."""
    for intent in step.run.intents():
        if intent["request"] == step.request.digest and "alternatives" in intent["noted"]:
            calls = [("keep_changed", intent["noted"]["alternatives"])]
            run(("sh", "-c", shell_script(step.run.path, calls)))


def fetched_before(wanted: dict[str, Any], step: Step) -> tuple[str, ...]:
    """What lets apt find package files that an earlier step kept, by the names that it looks for.

    Not in its own folder: in a container a hook of apt's may empty that one at every change.
    """
    archives = step.run.in_backup("archives")
    kept = {each: kept_path(step, *each) for each in wanted["expect"]["install"]}
    for (name, version), path in kept.items():
        if path:
            architecture = run(("dpkg-deb", "-f", path, "Architecture")).output.strip()
            own = f"{name.partition(':')[0]}_{version.replace(':', '%3a')}_{architecture}.deb"
            os.makedirs(
                archives + "/partial", exist_ok=True
            )  # else apt may give it to its own user
            with contextlib.suppress(FileExistsError):
                os.link(path, f"{archives}/{own}")
    return options(f"Dir::Cache::archives={archives}") if any(kept.values()) else ()


def refuse_surprises(
    wanted: dict[str, Any], simulated: Simulated, present: dict[str, Package]
) -> None:
    """Raise Trouble unless what apt would do, and what is so already, is exactly what is wanted."""
    try:
        refuse_always([*simulated.install, *simulated.configure], simulated.remove)
    except Wrong as error:
        raise surprise(str(error)) from None
    install = dict(wanted["expect"]["install"])
    remove = set(wanted["expect"]["remove"])
    more = [n + " " + v for n, v in sorted(simulated.install.items()) if install.get(n) != v]
    gone = sorted(simulated.remove - remove)
    missed = [
        name
        for name in unmet(wanted, present, unpacked_will_do=True)
        if name not in simulated.install and name not in simulated.remove
    ]
    told = (
        (more, "would also install {}"),
        (gone, "would also remove {}"),
        (missed, "would not change {}"),
    )
    said = [words.format(", ".join(names[:8])) for names, words in told if names]
    if said:
        raise surprise("apt {}.".format("; apt ".join(said)))


def unmet(
    wanted: dict[str, Any], present: dict[str, Package], unpacked_will_do: bool = False
) -> list[str]:
    """Names of packages that are not as they shall be."""
    good = "iUFWt" if unpacked_will_do else "i"
    found = []
    for name, version in wanted["expect"]["install"]:
        package = present.get(name)
        fits = package is not None and package.version == version and not package.broken
        if package is None or not fits or package.state not in good:
            found.append(name)
    for name in wanted["expect"]["remove"]:
        package = present.get(name)
        if package is not None and (wanted["purge"] or package.state != "c"):
            found.append(name)
    return found


def _not_as_wanted(wanted: dict[str, Any], ended: Ended) -> Trouble:
    left = unmet(wanted, packages())
    if ended.code != 0:
        trouble = explain(ended)
        state = ("These packages are not in the planned state ({} in all): {}.").format(
            len(left), ", ".join(left[:5])
        )
        return Trouble(trouble.happened, trouble.meaning + " " + state, trouble.next_step)
    return Trouble(
        "apt succeeded, but dpkg disagrees about {}.".format(", ".join(left[:8])),
        "apt reported success, but did not do its job.",
        "Read the log above, then run the same step again.",
    )


def touched_by(expect: dict[str, Any]) -> set[str]:
    """Names of all that a transaction brings or removes."""
    return {name for name, _ in expect["install"]} | set(expect["remove"])


def drop_half(step: Step, expect: dict[str, Any]) -> None:
    """Remove what dpkg was cut off at and cannot finish, so that apt can put it there whole."""
    ours = {name for name in touched_by(expect) if not NEVER_REMOVED.fullmatch(name)}
    present = packages().items()
    half = [p.name for n, p in present if n in ours and (p.state == "H" or p.broken)]
    if half:
        forced = ("dpkg", "--force-depends", "--force-remove-reinstreq", "--remove", *half)
        step.follow(forced, SHORT_DEADLINE_S)


def mark(wanted: dict[str, Any], step: Step) -> str:
    """Tell apt which packages were asked for and which are mere dependencies."""
    present = packages()
    named_here = {how: [bare(n) for n in wanted[how]] for how in ("auto", "manual")}
    lost = [n for names in named_here.values() for n in names if n not in present]
    if lost:
        raise Trouble(
            "{} is not installed.".format(", ".join(lost[:5])),
            "apt keeps such marks only for installed packages.",
            "Have rdna1-setup check the machine again, and review the new plan.",
        )
    auto = automatic()
    to_auto = [name for name in named_here["auto"] if name not in auto]
    to_manual = [name for name in named_here["manual"] if name in auto]
    wait_for_locks(step)
    undo: list[Call] = []
    undo += [("mark", "manual", *to_auto)] if to_auto else []
    undo += [("mark", "auto", *to_manual)] if to_manual else []
    if undo:
        step.intend({}, undo)
    for how, names in (("auto", to_auto), ("manual", to_manual)):
        if names:
            ended = run(("apt-mark", how, *names))
            now = automatic()
            if any((name in now) != (how == "auto") for name in names):
                raise explain(ended)
    return "{} changed".format(counted(len(to_auto) + len(to_manual), "mark"))


def configure(_: dict[str, Any], step: Step) -> str:
    """Let dpkg finish what an interruption left half done."""
    wait_for_locks(step)
    step.intend({}, ())
    for call in finishing():
        ended = step.follow(call, CHANGE_DEADLINE_S)
        if ended.code != 0:
            raise explain(ended)
    # What a later step brings or removes, that step makes whole.
    changes = [each.arguments["expect"] for each in step.later if each.verb == "apt_change"]
    later = set().union(*map(touched_by, changes))
    present = [pair for pair in packages().items() if pair[0] not in later]
    unfinished = [n for n, p in present if p.state not in "ic" or p.broken]
    modules = [name for name in unfinished if DKMS.fullmatch(name)]
    left = [name for name in unfinished if name not in modules]
    refuse_interrupted()
    if left:
        raise Trouble(
            "dpkg succeeded, but {} is still half installed.".format(", ".join(left[:8])),
            "An installation or removal was interrupted, and dpkg cannot finish it on its own.",
            "Run `sudo apt-get install --reinstall {0}`. If no archive has the package, run "
            "`sudo dpkg "
            "--remove --force-remove-reinstreq {0}`.".format(" ".join(left[:8])),
        )
    but = ", except {}, which would build a kernel module".format(", ".join(modules))
    return "every package is configured" + (but if modules else "")
