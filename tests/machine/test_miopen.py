"""What MIOpen keeps between runs."""

from __future__ import annotations

from pathlib import Path

from tests.machine.records import make
from wizard.machine.facts import MiopenStore
from wizard.machine.rocm import ENTRY_LIMIT, MIOPEN, read_miopen

HOME = "/home/owner"
CACHE, CONFIG = f"{HOME}/.cache/miopen", f"{HOME}/.config/miopen"


def test_compiled_kernels_are_told_by_release_and_target(tmp_path: Path) -> None:
    files = {
        f"{CACHE}/2.20.0.a1b2c3/gfx1030_18.ukdb": "",
        f"{CACHE}/3.3.0./gfx1010_20.ukdb": "",
        f"{CACHE}/3.3.0./gfx90878.ukdb": "1234",
        f"{CACHE}/3.3.0./tmp-gfx1010": "12345",
    }
    sizes = {f"{CACHE}/2.20.0.a1b2c3/gfx1030_18.ukdb": 50_000_000}

    assert read_miopen(make(tmp_path, files, sizes=sizes)).value == (
        MiopenStore(f"{CACHE}/2.20.0.a1b2c3", "kernels", "2.20.0", ("gfx1030_18",), 50_000_000),
        MiopenStore(f"{CACHE}/3.3.0.", "kernels", "3.3.0", ("gfx1010_20", "gfx90878"), 4),
    )


def test_choices_tell_their_release_where_their_names_do(tmp_path: Path) -> None:
    files = {
        f"{CONFIG}/gfx1030_18.HIP.2_20_0_f1e2d3.ufdb.txt": "12",
        f"{CONFIG}/gfx1030_18_1.1.0.udb": "345",
        f"{CONFIG}/gfx1030_20.cd.updb.txt": "",
        f"{CONFIG}/notes.txt": "mine",
    }

    assert read_miopen(make(tmp_path, files)).value == (
        MiopenStore(CONFIG, "choices", "2.20.0", ("gfx1030_18", "gfx1030_20"), 5),
    )


def test_folders_that_variables_in_force_name_are_looked_at_too(tmp_path: Path) -> None:
    environ = {"MIOPEN_CUSTOM_CACHE_DIR": "/data/kernels", "MIOPEN_USER_DB_PATH": "~/db/"}
    files = {
        "/data/kernels/gfx1030_20.ukdb": "1",
        "/data/kernels/2.17.0.8974-dirty/gfx1030_20.ukdb": "22",
        f"{HOME}/db/gfx1030_20.udb": "333",
    }

    found = read_miopen(make(tmp_path, files, environ=environ)).value

    assert [(one.path, one.kind, one.version, one.bytes) for one in found] == [
        ("/data/kernels", "kernels", "", 1),
        ("/data/kernels/2.17.0.8974-dirty", "kernels", "2.17.0", 2),
        (f"{HOME}/db", "choices", "", 3),
    ]


def test_a_variable_without_a_place_of_its_own_adds_none(tmp_path: Path) -> None:
    files = {f"{CACHE}/3.3.0./gfx1010_20.ukdb": ""}

    for value in ("", "relative", CACHE, f"{CACHE}/", "~someone/x", "\x00"):
        environ = {"MIOPEN_CUSTOM_CACHE_DIR": value}
        assert len(read_miopen(make(tmp_path, files, environ=environ)).value) == 1


def test_a_machine_on_which_miopen_never_ran_has_nothing(tmp_path: Path) -> None:
    host = make(tmp_path, {f"{CACHE}/readme": ""})

    assert read_miopen(host).value == ()
    assert MIOPEN.tell(()) == ("nothing", ())


def test_only_some_hundreds_of_entries_are_counted(tmp_path: Path) -> None:
    files = {f"{CACHE}/3.3.0/gfx1030_{number}.ukdb": "1" for number in range(ENTRY_LIMIT + 5)}

    assert read_miopen(make(tmp_path, files)).value[0].bytes == ENTRY_LIMIT


def test_what_is_kept_is_told_with_its_size(tmp_path: Path) -> None:
    files = {f"{CACHE}/3.3.0./gfx1010_20.ukdb": ""}
    sizes = {f"{CACHE}/3.3.0./gfx1010_20.ukdb": 50_000_000}

    told = MIOPEN.tell(read_miopen(make(tmp_path, files, sizes=sizes)).value)

    assert told == (
        "for gfx1010_20",
        (f"{CACHE}/3.3.0.: kernels of MIOpen 3.3.0 for gfx1010_20, 50.0 MB",),
    )
