"""The whole tree of options: every command, its help and its arguments. Loads no command."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

from wizard import __version__
from wizard.core.credentials import redact

WRONG_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from ([^)]*)\)$")
SOURCES: dict[str, Any] = {
    "venv": None,
    "torch_index": "",
    "wheelhouse": "",
    "python_mirror": "",
    "rocm_repo": "",
    "rocm_key_fingerprint": "",
}
"""What counts where the command line names no place and no source."""
AXES = ("size", "height", "width", "channels-in", "channels-out", "kernel", "batch")
RARE = frozenset(
    {
        *("--engine", "--spawn", "--log", "--keep-databases"),
        *("--import-deadline", "--even-if-in-use", "--foreground", "--result"),
    }
)
"""What few people need: ``--help`` leaves it out, ``--help-all`` shows it."""


class Parser(argparse.ArgumentParser):
    """A parser whose commands tell their own wrong options; a command's parser is one too."""

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The words as options; ends the program with 2 and a usage where they are wrong."""
        found, unknown = self.parse_known_args(words)
        if unknown:
            speaks = self._speaker(found.command, words, unknown[0])
            hints = (_nearest(word, speaks.option_strings()) for word in unknown)
            speaks.error(f"unknown: {' '.join(unknown)}{next(filter(None, hints), '')}")
        return found

    def option_strings(self) -> Iterable[str]:
        """Every option that this parser knows."""
        return (name for action in self._actions for name in action.option_strings)

    def error(self, message: str) -> NoReturn:
        """Tells the usage, what is wrong, and the choice that may have been meant."""
        wrong = WRONG_CHOICE.search(message)
        known = re.findall(r"[\w.+-]+", wrong[2]) if wrong else ()
        super().error(message + (_nearest(wrong[1], known) if wrong else ""))

    def _speaker(self, command: str | None, words: Sequence[str], unknown: str) -> Parser:
        """The parser in whose part of the words an unknown one stands."""
        if command is None or unknown in words[: list(words).index(command)]:
            return self
        (commands,) = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        chosen: Parser = commands.choices[command]
        return chosen


def _nearest(word: str, known: Iterable[str]) -> str:
    """A question that names the known word that is most like this one; ``""`` for none."""
    found = get_close_matches(word.partition("=")[0], tuple(known), n=1)
    return f". Did you mean {found[0]}?" if found else ""


class Command(NamedTuple):
    """A command: its function, what it does, and its options."""

    run: str
    """Its module in ``wizard.cli``, and the function there."""
    summary: str
    add_arguments: Callable[[argparse.ArgumentParser], None]


def parser() -> Parser:
    """The whole command line."""
    top = Parser(
        prog="rdna1-setup",
        description="Sets up PyTorch on RX 5300, 5500, 5600 and 5700 cards, and measures it.",
        epilog="Without a command, the wizard starts; without a terminal, one page is printed.",
        parents=[_common()],
    )
    top.add_argument("--version", action="version", version=f"rdna1-setup {__version__}")
    shown = top.add_mutually_exclusive_group()
    _flag(shown, "--plain", "ask questions in plain text instead of showing screens")
    _flag(shown, "--screens", "show screens even if a screen reader is running")
    add_source_arguments(top)
    top.set_defaults(dry_run=False, machine=None, demo=False, command=None, **SOURCES)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, command in COMMANDS.items():
        one = commands.add_parser(
            name, help=command.summary, description=command.summary, parents=[_common()]
        )
        command.add_arguments(one)
    return top


def _value(parser: argparse._ActionsContainer, shown: str, text: str, **more: Any) -> None:
    """An option with a value, or a word, named as help shows it: ``--gpu ADDRESS``."""
    name, metavar = shown.split()
    parser.add_argument(name, metavar=metavar, help=text, **more)


def _flag(parser: argparse._ActionsContainer, name: str, text: str) -> None:
    parser.add_argument(name, action="store_true", help=text)


def _common() -> Parser:
    """What goes before and after a command: a new one each, for defaults set on one reach its twin.

    Unnamed ones stay unset, so that a command does not put a default over what stood before it.
    """
    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    _flag(common, "--dry-run", "show everything but change nothing")
    _value(common, "--machine DIR", "use a machine recording instead of this machine")
    _flag(common, "--demo", "use an example machine that comes with the program")
    return common


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Place and sources, for the wizard and for its commands; unnamed ones stay unset.

    Unset, so that a command does not put its defaults over what was named before it.
    """
    add_wheel_arguments(parser, "the folder to install in (default: ~/ai/ID)")
    unset = argparse.SUPPRESS
    python = "where uv gets Python: an address, or file:///DIR/python made by `fetch`"
    _value(parser, "--python-mirror URL", python, type=_python_mirror, default=unset)
    mirror = "get system packages from a copy of https://repo.radeon.com/rocm/apt"
    _value(parser, "--rocm-repo URL", mirror, type=_repository, default=unset)
    _value(
        parser,
        "--rocm-key-fingerprint HEX",
        "the fingerprint of the key that signs this copy, if it is not AMD's",
        type=_fingerprint,
        default=unset,
    )


def add_wheel_arguments(parser: argparse.ArgumentParser, where: str) -> None:
    """A folder, and where its wheels come from."""
    _value(parser, "--venv DIR", where, default=argparse.SUPPRESS)
    add_index_arguments(parser)


def add_index_arguments(parser: argparse.ArgumentParser) -> None:
    """Where wheels come from."""
    unset = argparse.SUPPRESS
    index = "use another wheel index, or pip for pip's own configuration"
    _value(parser, "--torch-index URL", index, default=unset, type=_index)
    house = "install from a folder of wheels, without the network"
    _value(parser, "--wheelhouse DIR", house, default=unset)


def add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    """Stack, place and sources."""
    _value(parser, "--stack ID", "the stack, such as rocm52 or cpu; `plan` lists all of them")
    parser.add_argument(
        "--footprint",
        choices=("venv", "venv+system"),
        default="venv",
        help="venv: one folder (default); venv+system: also ROCm packages, as root",
    )
    add_application_argument(parser)
    _value(
        parser,
        "--preset NAME",
        "also set these published variables for the stack, such as 'GEMM only' for rocm57",
        default="",
    )
    add_source_arguments(parser)
    _value(parser, "--gpu ADDRESS", "PCI address of the card to use", default="")
    _value(
        parser,
        "--base-python PATH",
        "base the venv on this Python (default: the most suitable one)",
        default="",
    )
    _flag(
        parser,
        "--user-torch-aside",
        "move a torch in your user packages out of the way if the environment would import it",
    )
    _flag(parser, "--without-card", "install for another machine, without checking for a card")
    _flag(
        parser,
        "--without-groups",
        "do not change your groups (default: if you have no permission to use the GPU, the "
        "plan adds you to its group, as root)",
    )
    add_rollback_argument(parser)
    _add_system_arguments(parser)


def add_application_argument(parser: argparse.ArgumentParser) -> None:
    """What is to run."""
    _value(
        parser,
        "--app ID",
        "what you want to run, such as comfyui or llm-chat; repeat the option for more "
        "(default: programs found here)",
        action="append",
    )


def add_rollback_argument(parser: argparse.ArgumentParser) -> None:
    """What may go although nothing could put it back."""
    _flag(
        parser,
        "--without-rollback",
        "permanently remove packages that are no longer in any archive",
    )


def _add_system_arguments(parser: argparse.ArgumentParser) -> None:
    """What the footprint venv+system installs, from where, and what goes first."""
    system = parser.add_argument_group("with --footprint venv+system")
    _value(
        system,
        "--system-release X.Y.Z",
        "use a different ROCm release from the stack's own",
        default="",
    )
    system.add_argument(
        "--system-set",
        choices=("smallest", "full"),
        default="smallest",
        help="how much of ROCm to install (default: the smallest useful set)",
    )
    _value(
        system,
        "--system-removal WHAT",
        "what to remove first: none, or any of amd, driver, distribution, separated by "
        "commas (default: amd, which means AMD's other ROCm releases)",
        type=_scopes,
        default=("amd",),
    )
    _flag(system, "--profile-file", "set ROCM_PATH and PATH for all users at login")
    _value(
        system,
        "--snapshot TOOL",
        "make a snapshot first with timeshift, snapper or snapper:CONFIG",
        type=_snapshot,
        default="",
    )


def add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    """What a plan is for: a stack, or to take something away."""
    add_choice_arguments(parser)
    away = parser.add_argument_group("instead of a stack")
    kind = away.add_mutually_exclusive_group()
    _flag(kind, "--remove", "show the plan of `rdna1-setup remove`")
    _flag(kind, "--clean-up", "show the plan of `rdna1-setup clean-up`")
    add_removal_arguments(away)


def add_removal_arguments(parser: argparse._ActionsContainer) -> None:
    """What goes beside AMD's own ROCm."""
    _flag(
        parser,
        "--distribution-rocm",
        "also remove the distribution's ROCm packages (Blender and others may use them)",
    )
    _flag(parser, "--driver", "also remove AMD's kernel driver package amdgpu-dkms")


def add_carrying_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of every command that carries a plan out."""
    _flag(parser, "--yes", "do not ask: you have read the plan")
    _flag(parser, "--json", "print events as JSON lines")


def _detect(parser: argparse.ArgumentParser) -> None:
    _flag(parser, "--json", "print JSON for programs")
    hashes = "also check the hashes of the ROCm libraries of every torch (reads gigabytes)"
    _flag(parser, "--verify", hashes)


def _diagnose(parser: argparse.ArgumentParser) -> None:
    _value(
        parser, "--kernel-log FILE", "read this kernel log instead of the machine's own", default=""
    )
    _flag(parser, "--try-torch", "also try each torch on the card, which may hang it")
    add_application_argument(parser)
    _value(parser, "--fix CAUSE", "show the plan that fixes this finding, ask, and carry it out")
    _flag(parser, "--yes", "do not ask: you have read the plan")
    _flag(parser, "--json", "print JSON for programs; with --fix, events as JSON lines")
    add_wheel_arguments(
        parser, "with --fix: if several findings have that cause, fix the one in this folder"
    )


def _explain(parser: argparse.ArgumentParser) -> None:
    add_application_argument(parser)
    _flag(parser, "--json", "print JSON for programs")
    _value(parser, "files FILE", "a file with the text, or - for standard input", nargs="+")


def _plan(parser: argparse.ArgumentParser) -> None:
    add_plan_arguments(parser)
    _flag(parser, "--json", "print JSON for programs and for apply --plan")
    _flag(
        parser,
        "--brief",
        "with --json: the recommendation, sizes, and each step's title, without commands",
    )
    _flag(
        parser,
        "--exact",
        "also check the wheels with the index, the download size, and the exact "
        "system packages with the repository and apt",
    )
    _flag(
        parser,
        "--evidence",
        "also show every statement about the stack: author, card, date, link, contradictions",
    )


def _apply(parser: argparse.ArgumentParser) -> None:
    add_choice_arguments(parser)
    _value(
        parser, "--plan FILE", "a file with the exact output of `plan --json`; - for standard input"
    )
    add_carrying_arguments(parser)
    parser.set_defaults(remove=False, clean_up=False)


def _fetch(parser: argparse.ArgumentParser) -> None:
    _value(parser, "folder DIR", "the folder to fill; name the same one to continue")
    _value(parser, "--stack ID", "the stack to install", required=True)
    add_application_argument(parser)
    _value(
        parser,
        "--for RECORDED",
        "the machine recording to download for, made by `report --record DIR` (default: this "
        "machine)",
        dest="recorded",
    )
    _value(parser, "--gpu ADDRESS", "PCI address of the card", default="")
    add_index_arguments(parser)
    _flag(parser, "--json", "print events as JSON lines")


def _remove(parser: argparse.ArgumentParser) -> None:
    add_removal_arguments(parser)
    add_rollback_argument(parser)
    add_carrying_arguments(parser)
    parser.set_defaults(remove=True, clean_up=False)


def _clean_up(parser: argparse.ArgumentParser) -> None:
    add_rollback_argument(parser)
    add_carrying_arguments(parser)
    parser.set_defaults(remove=False, clean_up=True, distribution_rocm=False, driver=False)


def _conv2d(parser: argparse.ArgumentParser) -> None:
    _add_help_all(parser, RARE)
    _add_what(parser.add_argument_group("what to measure"))
    _add_where(parser.add_argument_group("where"))
    _add_how_long(parser.add_argument_group("deadlines and allowed hangs"))
    _add_searches(parser.add_argument_group("searches"))
    _add_results(parser.add_argument_group("results and earlier runs"))
    _add_files(parser.add_argument_group("files (nothing is measured)"))


def _add_what(group: argparse._ArgumentGroup) -> None:
    _value(group, "--preset ID", "a table of shapes, for example notes002")
    _value(group, "--sizes N,N", "square images, for example 32,44,224")
    _value(group, "--channels A-B,A-B", "input and output channels, for example 16-32,64-128")
    _value(group, "--layers FILE", "a list with one layer per line, such as 64 128 3 56x56")
    _value(group, "--layer LINE", "one layer in that form", action="append")
    _value(group, "--work W,W", "one or more of forward, backward and train", default="forward")
    _value(
        group,
        "--operations ID,ID",
        "measure operations other than Conv2d: all of them, or these",
        nargs="?",
        const="",
    )
    group.add_argument(
        "--engine",
        choices=["configured", "native", "unfold"],
        default="configured",
        help="native and unfold do not use MIOpen",
    )


def _add_where(group: argparse._ArgumentGroup) -> None:
    _value(group, "--python PY", "the Python whose torch is measured (default: your newest venv's)")
    group.add_argument(
        "--device", choices=["cuda", "cpu"], default="cuda", help="cuda means the GPU"
    )
    _flag(group, "--clean", "ignore your shell's settings for ROCm")
    _flag(group, "--spawn", "start a new Python for each shape")
    _flag(group, "--log", "turn on MIOpen's log, which names what hangs but slows calls")
    _flag(group, "--keep-databases", "keep what MIOpen found with each setting")


def _add_how_long(group: argparse._ArgumentGroup) -> None:
    _value(
        group, "--repeats N", "how often to launch each shape; flaky means that some fail", type=int
    )
    _value(group, "--deadline S", "seconds allowed for each shape", type=float)
    _value(group, "--import-deadline S", "seconds allowed for importing torch", type=float)
    add_asking_arguments(group)


def add_asking_arguments(group: argparse._ActionsContainer) -> None:
    """The options that answer beforehand what is asked before anything is launched on a card."""
    _value(
        group,
        "--hangs N",
        "how often the card may hang before the run stops (default: 1 if it "
        "drives a screen or is in use, otherwise 3)",
        type=int,
    )
    _flag(group, "--yes", "do not ask: you have read the warning")
    _flag(group, "--even-if-in-use", "measure even if someone is logged in at the card's screen")


def _add_searches(group: argparse._ArgumentGroup) -> None:
    _flag(group, "--ask", "list what MIOpen would choose from for each shape")
    _value(
        group,
        "--find-limit AXIS",
        f"find the largest value that works: {', '.join(AXES)}",
        choices=AXES,
    )
    _value(group, "--range A-B", "the range to search for the limit", default="1-256")
    kinds = group.add_mutually_exclusive_group()
    _flag(kinds, "--find-setting", "find the fewest variables that make one shape work")
    _flag(kinds, "--compare-settings", "compare how fast the algorithms are")
    _flag(
        group,
        "--workarounds",
        "measure workarounds for the first shape if it does not pass (see --hangs)",
    )


def _add_results(group: argparse._ArgumentGroup) -> None:
    _flag(group, "--json", "print results as JSON, and progress on stderr")
    group.add_argument(
        "--resume",
        action=argparse.BooleanOptionalAction,
        help="continue an unfinished run of the same kind (default)",
    )
    _flag(group, "--foreground", "run inside this process and end with it")
    which = group.add_mutually_exclusive_group()
    _value(
        which,
        "--attach RUN",
        "follow the running measurement, or show that run",
        nargs="?",
        const="",
    )
    _flag(which, "--stop", "end the running measurement")
    _flag(which, "--list", "list the measurements, newest first")
    _value(
        group,
        "--compare CARD",
        "compare two cards or runs, one with the last run, or the last two runs",
        nargs="*",
    )
    _value(group, "--run RUN", "use this run from --list instead of the last one")
    _value(group, "--result N", "use the Nth result of the run", type=int)


def _add_files(group: argparse._ArgumentGroup) -> None:
    _value(group, "--export FILE", "write the last run as a result card for others")
    _value(group, "--import FILE", "check and show a result card", dest="import_card")
    _value(group, "--repro FILE.py", "write a script that repeats one result")


def _add_help_all(parser: argparse.ArgumentParser, rare: frozenset[str]) -> None:
    """``--help-all``, and a ``--help`` that leaves rare options out."""

    class Common(argparse.HelpFormatter):
        def add_usage(
            self,
            usage: str | None,
            actions: Iterable[argparse.Action],
            groups: Iterable[argparse._MutuallyExclusiveGroup],
            prefix: str | None = None,
        ) -> None:
            common = [each for each in actions if not rare.intersection(each.option_strings)]
            super().add_usage(usage, common, groups, prefix)

        def add_argument(self, action: argparse.Action) -> None:
            if not rare.intersection(action.option_strings):
                super().add_argument(action)

    class ShowAll(argparse._HelpAction):
        def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
            parser.formatter_class = argparse.HelpFormatter
            parser.epilog = None
            parser.print_help()
            parser.exit()

    parser.formatter_class = Common
    parser.epilog = f"For {len(rare)} more options, rarely needed: {parser.prog} --help-all"
    parser.add_argument(
        "--help-all", action=ShowAll, help="also show rarely needed options, and exit"
    )


def _test_my_card(parser: argparse.ArgumentParser) -> None:
    _flag(parser, "--json", "print results as JSON, and progress on stderr")
    _value(
        parser,
        "--python PY",
        "test with the torch of this Python (default: the first ROCm build found)",
    )
    _value(
        parser,
        "--folder DIR",
        "write the result card and report into this new folder (default: a "
        "folder here, named after the time)",
    )
    _value(parser, "--deadline S", "seconds allowed for each shape", type=float)
    parser.add_argument(
        "--resume",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="continue where an earlier run was interrupted",
    )
    add_asking_arguments(parser)


def _keep(parser: argparse.ArgumentParser) -> None:
    _value(parser, "--venv DIR", "a venv made by rdna1-setup", required=True)
    _value(parser, "setting NAME=VALUE", "for example MIOPEN_DEBUG_CONV_GEMM=0", nargs="+")
    add_carrying_arguments(parser)


def _rollback(parser: argparse.ArgumentParser) -> None:
    _value(parser, "run_id ID", "the run to undo (default: the newest)", nargs="?")
    _flag(parser, "--list", "list the runs and do nothing else")
    _flag(parser, "--forget", "only mark the run as undone, because its folder is lost")
    _flag(parser, "--yes", "do not ask")
    _flag(parser, "--json", "with --list: print JSON for programs")


def _watch(parser: argparse.ArgumentParser) -> None:
    """None of its own."""


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("md", "json"), default="md")
    parser.add_argument(
        "--json", dest="format", action="store_const", const="json", help="same as --format json"
    )
    _value(parser, "--record DIR", "record this machine in a new folder")
    _value(parser, "--folder DIR", "write the whole report into a new folder")
    _flag(parser, "--zip", "with --folder: also write DIR.zip")
    _value(
        parser,
        "--collect-env ENV",
        "with --folder: also run PyTorch's collect_env, which may use the card",
        nargs="?",
        const="",
    )
    _flag(parser, "--yes", "write the folder without asking")


def _about(parser: argparse.ArgumentParser) -> None:
    about = "the topic to explain (default: list all topics)"
    parser.add_argument("topic", metavar="TOPIC", nargs="?", help=about)
    _flag(parser, "--json", "print JSON for programs")


def _index(text: str) -> str:
    """An index as it was named; anything that is none is refused by the parser."""
    if not text:
        return text  # the stack's own: argparse sends defaults this way too
    from wizard.operations.resolve import AS_CONFIGURED  # loads packaging: for a named index alone

    if text == AS_CONFIGURED or _is_address(text):
        return text
    raise argparse.ArgumentTypeError(
        f"{redact(text)!r} is not an index. Enter an address that begins with http://, https:// or "
        "file:///, or the word pip to use pip's own configuration."
    )


def _python_mirror(text: str) -> str:
    """A place of Pythons as uv can take it."""
    if not text or _is_address(text):
        return text
    raise argparse.ArgumentTypeError(
        f"{redact(text)!r} is not a valid address. Enter one that begins with http://, https:// or "
        "file:///, such as file:///media/stick/python."
    )


def _is_address(text: str) -> bool:
    with suppress(ValueError):
        parts = urlsplit(text)
        if parts.scheme == "file":
            return parts.netloc in ("", "localhost") and parts.path.startswith("/")
        return bool(parts.hostname) and parts.scheme in ("http", "https")
    return False


def _snapshot(text: str) -> str:
    """A tool that makes snapshots."""
    if not text or re.fullmatch(r"timeshift|snapper(?::[A-Za-z0-9_][A-Za-z0-9_-]{0,63})?", text):
        return text
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a snapshot tool. Use timeshift, snapper or snapper:CONFIG."
    )


def _scopes(text: str) -> tuple[str, ...]:
    """What is to be removed, as a plan names it."""
    known = ("amd", "driver", "distribution")
    words = () if text == "none" else tuple(dict.fromkeys(text.split(",")))
    if unknown := [word for word in words if word not in known]:
        raise argparse.ArgumentTypeError(
            f"{unknown[0]!r} is not valid. Use 'none', or one or more of {', '.join(known)}, "
            "separated by commas."
        )
    return words


def _repository(text: str) -> str:
    """The address of a mirror as apt can take it."""
    if not text or re.fullmatch(r"(?:https?://[\w.:\[\]-]+|file:(?://)?)(?:/[\w.~%+=-]+)+/?", text):
        return text.rstrip("/")
    raise argparse.ArgumentTypeError(
        f"{redact(text)!r} is not an address that apt can use. Enter one that begins with http://, "
        "https:// or file:///. If the server needs a login, put the login in /etc/apt/auth.conf.d."
    )


def _fingerprint(text: str) -> str:
    """A whole fingerprint, however its digits are grouped."""
    plain = re.sub(r"[\s:]", "", text).upper().removeprefix("0X")
    if plain and not re.fullmatch(r"[0-9A-F]{40}", plain):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a fingerprint, which has 40 hexadecimal digits. A shorter ID is not "
            "safe, because it can be forged."
        )
    return plain


COMMANDS = {
    "detect": Command(
        "detect.run_detect",
        "Show what this machine has: cards, access, Pythons, torch, ROCm and settings.",
        _detect,
    ),
    "diagnose": Command(
        "diagnose.run_diagnose",
        "Find out what is wrong with ROCm and PyTorch on this machine, with evidence and fixes.",
        _diagnose,
    ),
    "explain": Command(
        "diagnose.run_explain",
        "Explain a saved log, listing or traceback, and how to fix the problem. "
        "Reads nothing else.",
        _explain,
    ),
    "plan": Command(
        "plan.run_plan",
        "Show every step, command and file of an installation, without doing anything.",
        _plan,
    ),
    "apply": Command(
        "apply.run_apply",
        "Carry out a plan. You see it first, can resume it, and can undo it with rollback.",
        _apply,
    ),
    "fetch": Command(
        "fetch.run_fetch",
        "Download the wheels of a stack, and a Python if needed, for machines without internet.",
        _fetch,
    ),
    "remove": Command(
        "apply.run_clearing",
        "Remove ROCm from the system, package by package. You can undo it. Venvs are kept.",
        _remove,
    ),
    "clean-up": Command(
        "apply.run_clearing",
        "Remove leftovers from other scripts (settings, folders, broken packages). You can "
        "undo it.",
        _clean_up,
    ),
    "conv2d": Command(
        "conv2d.run_conv2d",
        "Measure Conv2d on your card, shape by shape, each with a deadline.",
        _conv2d,
    ),
    "test-my-card": Command(
        "card_test.run_test_my_card",
        "Test your card in about ten minutes: what hangs, from what size, and what helps.",
        _test_my_card,
    ),
    "keep": Command(
        "apply.run_keep", "Keep a setting for one venv. You review it first and can undo it.", _keep
    ),
    "rollback": Command(
        "rollback.run_rollback",
        "Undo a run: remove what it made and keep all your own files.",
        _rollback,
    ),
    "watch": Command(
        "rollback.run_watch", "Show what an earlier run is still doing as root.", _watch
    ),
    "report": Command(
        "report.run_report",
        "Make a report for an issue (findings, verdicts, machine, runs) without personal data.",
        _report,
    ),
    "about": Command(
        "report.run_about",
        "Explain ROCm, the override, why games work but Conv2d does not, and more.",
        _about,
    ),
}
