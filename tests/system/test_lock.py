"""The lock between choosing and installing: plain names, right names, nothing half written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wizard.core.trouble import Trouble
from wizard.system.lock import (
    Wheel,
    read_wheels,
    wheel_at,
    with_known_hashes,
    write_requirements,
    write_wheels,
)

TORCH = wheel_at(
    "Torch",
    "2.13.0+cpu",
    "https://me:pw@host/whl/torch-2.13.0%2Bcpu-py3-none-any.whl",
    "A" * 64,
    12,
)
NUMPY = wheel_at("numpy", "1.26.4", "file:///srv/numpy-1.26.4-py3-none-any.whl", "")


def test_a_wheel_has_the_name_at_the_end_of_its_address() -> None:
    assert (
        Wheel(
            "torch",
            "2.13.0+cpu",
            "torch-2.13.0+cpu-py3-none-any.whl",
            "https://me:pw@host/whl/torch-2.13.0%2Bcpu-py3-none-any.whl",
            "a" * 64,
            12,
        )
        == TORCH
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://host/torch-1.0.tar.gz",
        "https://host/..%2F..%2Fetc%2Ftorch-1.0-py3-none-any.whl",
        "https://host/torch-1.0-py3-none-any.whl/..",
        "https://host/torch%0A-1.0-py3-none-any.whl",
        "https://host/torch-1.0.whl",
        "https://host/-e.whl",
        "https://host/",
        "ftp://host/torch-1.0-py3-none-any.whl",
        "/srv/torch-1.0-py3-none-any.whl",
    ],
)
def test_anything_but_a_plain_wheel_name_is_refused(address: str) -> None:
    with pytest.raises(Trouble, match="not a wheel"):
        wheel_at("torch", "1.0", address, "")


def test_a_file_that_is_named_for_another_package_is_refused() -> None:
    with pytest.raises(Trouble, match=r"contains torch 1\.0"):
        wheel_at("torch", "1.0", "https://host/numpy-1.0-py3-none-any.whl", "")
    with pytest.raises(Trouble, match=r"contains torch 2\.0"):
        wheel_at("torch", "2.0", "https://host/torch-1.0-py3-none-any.whl", "")


def test_what_is_no_sha256_counts_as_none_published() -> None:
    assert wheel_at("torch", "1.0", "https://host/torch-1.0-py3-none-any.whl", "md5").sha256 == ""


def test_a_lock_survives_being_written_and_read(tmp_path: Path) -> None:
    write_wheels(tmp_path / "wheels.json", (TORCH, NUMPY))
    assert read_wheels(tmp_path / "wheels.json") == (TORCH, NUMPY)


def test_a_lock_that_is_missing_or_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wheels.json"
    with pytest.raises(Trouble, match="No such file"):
        read_wheels(path)
    write_wheels(path, (TORCH,))
    for junk in (path.read_text()[:-9], "[" * 100_000, "null", "[]", '{"schema": 1}'):
        path.write_text(junk)
        with pytest.raises(Trouble, match="structure is unknown"):
            read_wheels(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(Trouble, match="structure is unknown"):
        read_wheels(path)


CHANGES: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda form: form.update(schema=2), "its format is 2, not 1"),
    (lambda form: form["wheels"].append(form["wheels"][0]), "it names one file twice"),
    (lambda form: form["wheels"][0].update(file="../torch-2.13.0+cpu-py3-none-any.whl"), "unknown"),
    (lambda form: form["wheels"][0].update(sha256="0" * 63), "unknown"),
    (lambda form: form["wheels"][0].update(size=-1), "unknown"),
    (lambda form: form["wheels"][0].update(size=True), "unknown"),
    (lambda form: form["wheels"][0].update(more=1), "unknown"),
    (lambda form: form["wheels"][0].update(version=None), "unknown"),
]


@pytest.mark.parametrize(("change", "why"), CHANGES)
def test_a_lock_that_somebody_changed_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], why: str
) -> None:
    path = tmp_path / "wheels.json"
    write_wheels(path, (TORCH, NUMPY))
    form = json.loads(path.read_text())
    change(form)
    path.write_text(json.dumps(form))
    with pytest.raises(Trouble, match="cannot be used") as caught:
        read_wheels(path)
    assert why in caught.value.happened


def test_the_installation_reads_exact_versions_each_with_its_hash(tmp_path: Path) -> None:
    write_requirements(tmp_path / "lock.txt", ((TORCH, "1" * 64), (NUMPY, "2" * 64)))
    assert (tmp_path / "lock.txt").read_text().splitlines()[1:] == [
        f"numpy==1.26.4 --hash=sha256:{'2' * 64}",
        f"torch==2.13.0+cpu --hash=sha256:{'1' * 64}",
    ]


def test_a_hash_that_we_know_outranks_the_published_one() -> None:
    known = ((TORCH.file, "3" * 64),)
    assert with_known_hashes((TORCH, NUMPY), known) == (replace(TORCH, sha256="3" * 64), NUMPY)
