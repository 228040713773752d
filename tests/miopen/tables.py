"""Makes ``assets/asked``: what the libraries of each release answer, asked without a card.

For maintainers. It runs inside a root with the libMIOpen that is to be asked and a g++; ``main``
says what is asked. How the roots were made (as root, anywhere with some 5 GB):

    debootstrap --variant=minbase --components=main,universe resolute ROOT
        # Ubuntu 26.04: ROCm 7.1.1; questing, 25.10: 5.5.1
    debootstrap --variant=minbase sid ROOT
        # Debian unstable: 6.4.3; with experimental and apt-get -t experimental, 7.2.4
    chroot ROOT apt-get install --no-install-recommends libmiopen-dev libamdhip64-dev g++ python3
    rm -r ROOT/usr/lib/x86_64-linux-gnu/rocblas   # 2 GB of kernels that are never loaded
    git -C REPOSITORY archive HEAD | tar -x -C ROOT/source
    chroot ROOT g++ -O1 -shared -fPIC /source/tests/miopen/stand_in.cpp -o /stand_in.so
    mount -t tmpfs none ROOT/tmp                  # searches write much
    chroot ROOT env -C /source python3 -m tests.miopen.tables --release 7.1.1 \\
        --origin "Ubuntu 26.04, libmiopen1 7.1.1+dfsg-0ubuntu1" --no-database /stand_in.so

MIOpen of ROCm 5.2.0, 5.7.0 and 6.2.0 was built in a root of Debian 12 from the tags of ROCm/MIOpen
(``build.sh`` in this folder).

An answer is stored once, and so is each pattern: the answers to one shape under all settings. A
row is a shape, with the number of a pattern for each column (chip, direction, format).
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from assets import FOLDER
from wizard.conv2d.candidates import questions
from wizard.conv2d.shapes import Row, Shape, load_presets, square
from wizard.knowledge.solvers import FIND_MODE, FIND_MODES, SEARCH, key_of, load_families

CHIPS = ("gfx1010:xnack-", "gfx1011:xnack-", "gfx1012:xnack-", "gfx1030")
"""As HIP names them. gfx1030, which has no xnack, is what the override makes of any of these."""
DIRECTIONS = ("forward", "backward_data", "backward_weights")
DTYPES = ("float32", "float16")
AROUND_THE_LIMIT = (40, 41, 42, 43, 45, 46)
MODEL = ("MIOPEN_DEBUG_ENABLE_AI_IMMED_MODE_FALLBACK", "1")
HOW = (
    "assets/miopen_ask.py with tests/miopen/stand_in.cpp preloaded, on a machine without a card; "
    "the chips have the compute units that stand_in.cpp gives them (40, 36 and 22; 40 for "
    "gfx1030); "
    "a setting that begins with 'search' lists what miopenFindConvolution* found applicable and "
    "would time (kernels were not compiled), the others what "
    "miopenConvolution*GetSolution lists, and after '|' what applies without an estimate"
)
Setting = tuple[tuple[str, str], ...]
Answers = dict[tuple[str, str], dict[tuple[Shape, str, str], str]]
"""By chip and setting: for each shape, direction and format."""


def settings() -> Iterator[tuple[str, Setting]]:
    """Every setting that is asked about, with its key: ``search`` before those of a search."""
    families = load_families()
    gemm, winograd, direct, implicit = families[:4]
    three = (gemm.off, winograd.off, direct.off)
    sets: list[Setting] = [(), *((family.off,) for family in families)]
    sets += [three[:2], three[::2], three[1:], three]
    # Only 0 is said to have an effect: with 1 the answers must be those of no setting.
    sets += [tuple((family.variable, "1") for family in families)]
    sets += [((FIND_MODE, mode),) for mode in FIND_MODES]
    sets += [(MODEL,)]
    for each in sets:
        yield key_of(each), each
    # A variable that names the only solvers acts on searches alone: it is asked about only here.
    for searched in ((), three, (implicit.alone,)):
        for each in (searched, (*searched, (FIND_MODE, "NORMAL"))):
            yield key_of(each, search=True), each


def shapes() -> tuple[Shape, ...]:
    """Every distinct shape of the presets and models, in float32 and without bias, and those around
    the size above which 16->32 is reported to hang."""
    rows = (row.shape for preset in load_presets() for row in preset.rows)
    named = (replace(shape, dtype="float32", bias=False) for shape in rows)
    return tuple(dict.fromkeys((*named, *(square(16, 32, size) for size in AROUND_THE_LIMIT))))


def main() -> int:
    """Ask for every chip, setting, shape, direction and format, and write the table."""
    arguments = parse_arguments()
    asked = [
        (shape, direction, dtype)
        for shape in shapes()
        for direction, dtype in product(DIRECTIONS, DTYPES)
    ]
    lines = "".join(json.dumps(question(*each)) + "\n" for each in asked)
    about: dict[str, Any] = {}
    answers: Answers = {}
    for chip, (key, setting) in product(CHIPS, settings()):
        found = ask(arguments, chip, setting, lines, search=key.startswith(SEARCH))
        about = next(found)
        texts = map(answer_text, found)
        answers[chip.partition(":")[0], key] = dict(zip(asked, texts, strict=True))
        print(f"{datetime.datetime.now():%H:%M:%S} {chip} {key or 'as it is'}", flush=True)
    databases = "-database" if arguments.database else ""
    path = FOLDER / "asked" / f"rocm-{arguments.release}{databases}.json"
    path.parent.mkdir(exist_ok=True)
    table = {**header(arguments, about), **table_of(answers)}
    path.write_text(json.dumps(table, indent=1) + "\n", "utf-8")
    print(f"{path}: {path.stat().st_size} bytes, {len(asked) * len(answers)} answers")
    return 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("stand_in", type=Path, help="tests/miopen/stand_in.cpp, compiled")
    parser.add_argument("--release", required=True, help="of ROCm, for example 7.1.1")
    parser.add_argument("--library", type=Path, default="/usr/lib/x86_64-linux-gnu/libMIOpen.so.1")
    parser.add_argument("--origin", required=True, help="the package, or the tag and commit")
    databases = parser.add_mutually_exclusive_group(required=True)
    databases.add_argument("--no-database", dest="database", action="store_const", const=None)
    databases.add_argument("--database", type=Path, help="a folder with databases and models")
    parser.add_argument("--database-origin", default="", help="where that folder comes from")
    return parser.parse_args()


def question(shape: Shape, direction: str, dtype: str) -> dict[str, Any]:
    """One line for the script that asks."""
    row = Row(replace(shape, dtype=dtype), work="backward")  # which has every direction
    return next(each for each in questions(row) if each["direction"] == direction)


def ask(
    arguments: argparse.Namespace, chip: str, setting: Setting, lines: str, *, search: bool
) -> Iterator[dict[str, Any]]:
    """What one process says: first of itself, then one answer for each line."""
    with tempfile.TemporaryDirectory() as home:  # what a search stores must not answer later ones
        empty = Path(home) / "no-database"
        empty.mkdir()
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": home,
            "TMPDIR": home,
            "LD_PRELOAD": str(arguments.stand_in),
            "STAND_IN_CHIP": chip,
            "STAND_IN_COMPILER": "none",
            "MIOPEN_SYSTEM_DB_PATH": str(arguments.database or empty),
            **dict(setting),
        }
        script = (sys.executable, "-I", "-B", str(FOLDER / "miopen_ask.py"))
        argv = (*script, "--library", str(arguments.library), *(("--find",) if search else ()))
        done = subprocess.run(
            argv, input=lines, env=environ, stdout=subprocess.PIPE, text=True, check=True
        )
    yield from map(json.loads, done.stdout.splitlines())


def answer_text(answer: dict[str, Any]) -> str:
    """An answer in one line: where from, the solvers in order, and those without an estimate."""
    if "find" in answer:
        # A database that knows the shape is believed, and nothing is searched.
        names = answer["find"]["applicable"]
        nothing = "find-db:" if answer.get("source") == "find-db" else "nothing:"
        return " ".join(names) or nothing
    source = answer.get("source", "estimates")
    words = [] if source == "estimates" else [f"{source}:"]
    if "refused" in answer:
        words.append(f"{answer['refused']}:")
    words += [solver["name"] for solver in answer.get("solvers", ())]
    words += ("|", *answer["also"]) if answer["also"] else ()
    return " ".join(words) or "nothing:"


def header(arguments: argparse.Namespace, about: dict[str, Any]) -> dict[str, Any]:
    """What was asked, and how."""
    return {
        "rocm": arguments.release,
        "miopen": about["version"],
        "origin": arguments.origin,
        "sha256": hashlib.sha256(Path(about["real"]).read_bytes()).hexdigest(),
        "databases": arguments.database_origin if arguments.database else "none",
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "how": HOW,
    }


def table_of(answers: Answers) -> dict[str, Any]:
    """The answers, each stored once: columns, answers, patterns and rows."""
    keys = [key for key, _ in settings()]
    columns = list(product((chip.partition(":")[0] for chip in CHIPS), DIRECTIONS, DTYPES))
    texts: dict[str, int] = {}
    patterns: dict[str, int] = {}
    rows = {}
    for shape in shapes():
        numbers = []
        for chip, direction, dtype in columns:
            said = (answers[chip, key][shape, direction, dtype] for key in keys)
            pattern = numbered(texts.setdefault(text, len(texts)) for text in said)
            numbers.append(patterns.setdefault(pattern, len(patterns)))
        rows[shape.label] = numbered(numbers)
    return {
        "columns": [" ".join(column) for column in columns],
        "settings": keys,
        "answers": list(texts),
        "patterns": list(patterns),
        "rows": rows,
    }


def numbered(numbers: Iterable[int]) -> str:
    """Numbers as text, and a repeated one as ``7*3``: a row stays one line that a person reads."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][0] == number:
            runs[-1][1] += 1
        else:
            runs.append([number, 1])
    return " ".join(f"{number}*{times}" if times > 1 else str(number) for number, times in runs)


if __name__ == "__main__":
    sys.exit(main())
