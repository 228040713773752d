"""The options of ``conv2d``, grouped by the question that each answers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

AXES = ("size", "height", "width", "channels-in", "channels-out", "kernel", "batch")
RARE = frozenset(
    {
        *("--engine", "--spawn", "--log", "--keep-databases"),
        *("--import-deadline", "--even-if-in-use", "--foreground", "--result"),
    }
)
"""What few people need: ``--help`` leaves it out, ``--help-all`` shows it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """All options of ``conv2d``."""
    _add_help_all(parser, RARE)
    _add_what(parser.add_argument_group("what to measure"))
    _add_where(parser.add_argument_group("where"))
    _add_how_long(parser.add_argument_group("deadlines and allowed hangs"))
    _add_searches(parser.add_argument_group("searches"))
    _add_results(parser.add_argument_group("results and earlier runs"))
    _add_files(parser.add_argument_group("files (nothing is measured)"))


def _add_what(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--preset", metavar="ID", help="a table of shapes, for example notes002")
    group.add_argument("--sizes", metavar="N,N", help="square images, for example 32,44,224")
    group.add_argument(
        "--channels", metavar="A-B,A-B", help="input and output channels, for example 16-32,64-128"
    )
    group.add_argument(
        "--layers", metavar="FILE", help="a list with one layer per line, such as 64 128 3 56x56"
    )
    group.add_argument("--layer", metavar="LINE", action="append", help="one layer in that form")
    group.add_argument("--work", default="forward", metavar="W,W",
                       help="one or more of forward, backward and train")  # fmt: skip
    group.add_argument(
        "--operations",
        nargs="?",
        const="",
        metavar="ID,ID",
        help="measure operations other than Conv2d: all of them, or these",
    )
    group.add_argument(
        "--engine",
        choices=["configured", "native", "unfold"],
        default="configured",
        help="native and unfold do not use MIOpen",
    )


def _add_where(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--python",
        metavar="PY",
        help="the Python whose torch is measured (default: your newest venv's)",
    )
    group.add_argument(
        "--device", choices=["cuda", "cpu"], default="cuda", help="cuda means the GPU"
    )
    group.add_argument("--clean", action="store_true", help="ignore your shell's settings for ROCm")
    group.add_argument("--spawn", action="store_true", help="start a new Python for each shape")
    group.add_argument(
        "--log",
        action="store_true",
        help="turn on MIOpen's log, which names what hangs but slows calls",
    )
    group.add_argument("--keep-databases", action="store_true",
                       help="keep what MIOpen found with each setting")  # fmt: skip


def _add_how_long(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="how often to launch each shape; flaky means that some fail",
    )
    group.add_argument("--deadline", type=float, metavar="S", help="seconds allowed for each shape")
    group.add_argument(
        "--import-deadline", type=float, metavar="S", help="seconds allowed for importing torch"
    )
    add_asking_arguments(group)


def add_asking_arguments(group: argparse._ActionsContainer) -> None:
    """The options that answer beforehand what is asked before anything is launched on a card."""
    group.add_argument("--hangs", type=int, metavar="N",
                       help="how often the card may hang before the run stops (default: 1 if it "
                            "drives a screen or is in use, otherwise 3)")  # fmt: skip
    group.add_argument("--yes", action="store_true", help="do not ask: you have read the warning")
    group.add_argument(
        "--even-if-in-use",
        action="store_true",
        help="measure even if someone is logged in at the card's screen",
    )


def _add_searches(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--ask", action="store_true",
                       help="list what MIOpen would choose from for each shape")  # fmt: skip
    group.add_argument("--find-limit", choices=AXES, metavar="AXIS",
                       help=f"find the largest value that works: {', '.join(AXES)}")  # fmt: skip
    group.add_argument(
        "--range", default="1-256", metavar="A-B", help="the range to search for the limit"
    )
    kinds = group.add_mutually_exclusive_group()
    kinds.add_argument("--find-setting", action="store_true",
                       help="find the fewest variables that make one shape work")  # fmt: skip
    kinds.add_argument("--compare-settings", action="store_true",
                       help="compare how fast the algorithms are")  # fmt: skip
    group.add_argument(
        "--workarounds",
        action="store_true",
        help="measure workarounds for the first shape if it does not pass (see --hangs)",
    )


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--json", action="store_true", help="print results as JSON, and progress on stderr"
    )
    group.add_argument("--resume", action=argparse.BooleanOptionalAction,
                       help="continue an unfinished run of the same kind (default)")  # fmt: skip
    group.add_argument("--foreground", action="store_true",
                       help="run inside this process and end with it")  # fmt: skip
    which = group.add_mutually_exclusive_group()
    which.add_argument("--attach", nargs="?", const="", metavar="RUN",
                       help="follow the running measurement, or show that run")  # fmt: skip
    which.add_argument("--stop", action="store_true", help="end the running measurement")
    which.add_argument("--list", action="store_true", help="list the measurements, newest first")
    group.add_argument(
        "--compare",
        metavar="CARD",
        nargs="*",
        help="compare two cards or runs, one with the last run, or the last two runs",
    )
    group.add_argument(
        "--run", metavar="RUN", help="use this run from --list instead of the last one"
    )
    group.add_argument("--result", metavar="N", type=int, help="use the Nth result of the run")


def _add_files(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--export", metavar="FILE", help="write the last run as a result card for others"
    )
    group.add_argument(
        "--import", dest="import_card", metavar="FILE", help="check and show a result card"
    )
    group.add_argument("--repro", metavar="FILE.py", help="write a script that repeats one result")


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
