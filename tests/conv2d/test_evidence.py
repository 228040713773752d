"""Looks at real processes: what they use, what they wait in, and what grows beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wizard.conv2d.hangs import HangClass, Look, Sources, between, classify, look_at, read

KERNEL = read("MIOpen(HIP): Info2 [run] kernel_name = k, global_work_dim = {1")


@contextmanager
def running(*argv: str) -> Iterator[subprocess.Popen[bytes]]:
    """A child that has said that it is ready."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            yield child
        finally:
            child.kill()


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", f"print('ready', flush=True)\n{program}")


def look(pid: int, gpu: int | None = None, caches: tuple[Path, ...] = ()) -> Look:
    return look_at(pid, Sources(lambda: gpu, caches), log_lines=0)


def looks_until(pid: int, enough: Callable[[Look, Look], bool]) -> tuple[Look, Look]:
    """The first look, and a later one by which something has happened."""
    first = second = look(pid)
    while not enough(first, second):
        second = look(pid)
    return first, second


def test_a_process_that_computes_uses_a_core_and_one_that_waits_does_not() -> None:
    with running(*python("while True: pass")) as child:
        first, second = looks_until(child.pid, lambda a, b: b.processor_s - a.processor_s > 0.2)
        cores = between(first, second, None).cores
        assert cores is not None
        assert 0.05 < cores < 1.5  # other tests may use the processor too
    with running(*python("input()")) as child:
        first, second = looks_until(child.pid, lambda a, b: b.at_s - a.at_s > 0.2)
        cores = between(first, second, None).cores
        assert cores is not None
        assert cores < 0.2
        assert second.state == "sleeping"


def test_children_count_and_compilers_among_them_are_named(tmp_path: Path) -> None:
    compiler = tmp_path / "clang-17"
    compiler.symlink_to("/bin/sleep")
    program = (
        f"import subprocess, sys; c = subprocess.Popen(['{compiler}', '600'])\n"
        "try: input()\nexcept EOFError: pass\nfinally: c.kill()"
    )
    with running(*python(program)) as child:
        _, second = looks_until(child.pid, lambda _, b: bool(b.compilers))
        assert second.compilers == ("clang-17",)
        evidence = between(second, second, None)
        assert classify(evidence).hang_class is HangClass.COMPILING
        assert child.stdin is not None
        child.stdin.close()
        child.wait()


def test_a_cache_that_grows_is_progress_and_a_link_out_of_it_is_not_followed(
    tmp_path: Path,
) -> None:
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    (cache / "deep").mkdir(parents=True)
    elsewhere.mkdir()
    (cache / "link").symlink_to(elsewhere)
    os.mkfifo(cache / "fifo")
    caches = (cache, tmp_path / "missing")
    first = look(os.getpid(), caches=caches)
    (elsewhere / "big").write_bytes(b"x" * 10_000)
    assert look(os.getpid(), caches=caches).cache_bytes == first.cache_bytes
    (cache / "deep" / "kernel.o").write_bytes(b"x")
    evidence = between(first, look(os.getpid(), caches=caches), None)
    assert evidence.cache_grew
    assert evidence.progresses


@pytest.mark.parametrize(
    ("gpu", "hang_class"),
    [(99, HangClass.SPINNING), (0, HangClass.LOST_SIGNAL), (None, HangClass.UNCLASSIFIED)],
)
def test_how_busy_the_card_is_tells_a_spinning_kernel_from_a_lost_signal(
    gpu: int | None, hang_class: HangClass
) -> None:
    seen = look(os.getpid(), gpu)
    assert classify(between(seen, seen, KERNEL)).hang_class is hang_class


def test_of_a_process_that_is_gone_there_is_nothing_to_see() -> None:
    child = subprocess.Popen(("/bin/true",))
    child.wait()
    seen = look(child.pid)
    assert (seen.processor_s, seen.state, seen.waits_in, seen.compilers) == (0.0, "", "", ())
