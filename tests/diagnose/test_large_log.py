"""The large log: its size, what is hidden in it, and that the rest is harmless and repeatable."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.diagnose.large_log import MEGABYTE, write_large_log
from tests.diagnose.reading import load_corpus

READ_S, PEAK_KB = 2.0, 200_000
HIDDEN = ("first hidden line\nand its second\n", "a text without a last line end")


def test_the_log_has_the_wanted_size_and_ends_in_a_whole_line(tmp_path: Path) -> None:
    write_large_log(tmp_path / "log", 2)
    data = (tmp_path / "log").read_bytes()

    assert 2 * MEGABYTE <= len(data) < 2.2 * MEGABYTE
    assert data.endswith(b"\n")


def test_the_hidden_texts_lie_where_it_says_on_lines_of_their_own(tmp_path: Path) -> None:
    places = write_large_log(tmp_path / "log", 2, HIDDEN)
    data = (tmp_path / "log").read_bytes()

    assert tuple(place.text for place in places) == HIDDEN
    for place in places:
        end = place.offset + len(place.text)
        assert data[place.offset : end].decode() == place.text
        assert data[place.offset - 1 : place.offset] == b"\n"
        assert place.text.endswith("\n") or data[end : end + 1] == b"\n"
    assert MEGABYTE // 2 < places[0].offset < MEGABYTE < places[1].offset


def test_many_texts_fit_into_a_small_log(tmp_path: Path) -> None:
    texts = tuple(case.text for case in load_corpus() if case.expected)
    places = write_large_log(tmp_path / "log", 1, texts)
    text = (tmp_path / "log").read_bytes().decode()

    assert len(places) == len(texts)
    assert all(one in text for one in texts)


def test_the_same_seed_gives_the_same_log(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_large_log(tmp_path / name, 1, HIDDEN, seed)
    one, same, other = ((tmp_path / name).read_bytes() for name in "abc")

    assert one == same != other


def test_fifty_megabytes_are_read_in_two_seconds_and_little_memory(tmp_path: Path) -> None:
    hidden = "[  812.404551] amdgpu: qcm fence wait loop timeout expired\n"
    write_large_log(tmp_path / "log", 50, (hidden,))
    program = (
        "import re, sys, time\n"
        "from wizard.diagnose.explain import explain_file\n"
        "began = time.process_time()\n"
        "with open(sys.argv[1], 'rb') as log:\n"
        "    causes = [finding.cause for finding in explain_file(log).findings]\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]\n"
        "print(time.process_time() - began, peak, *causes)\n"
    )
    # Not getrusage: its peak is that of the process which started this one, if that was larger.
    argv = [sys.executable, "-c", program, str(tmp_path / "log")]
    told = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout
    seconds, kilobytes, *causes = told.split()
    assert causes == ["compute-queue-preemption-hang"]
    assert float(seconds) < READ_S
    assert int(kilobytes) < PEAK_KB
