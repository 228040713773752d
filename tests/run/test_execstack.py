"""The executable-stack flag is found and cleared in real libraries."""

import shutil
from pathlib import Path

import pytest

from wizard.system.executable_stack import asks_for_executable_stack, clear
from wizard.system.whole_file import draft_of

LIBC = next(
    (
        path
        for path in (Path("/lib/x86_64-linux-gnu/libc.so.6"), Path("/lib64/libc.so.6"))
        if path.exists()
    ),
    None,
)


def with_flag(folder: Path) -> Path:
    """A copy of the C library whose stack flag is set by hand."""
    from elftools.elf.elffile import ELFFile

    if LIBC is None:
        pytest.skip("there is no 64-bit C library to copy")
    library = folder / "libamdhip64.so"
    shutil.copy(LIBC, library)
    with library.open("r+b") as file:
        elf = ELFFile(file)
        for number in range(elf.num_segments()):
            if elf.get_segment(number)["p_type"] == "PT_GNU_STACK":
                file.seek(elf["e_phoff"] + number * elf["e_phentsize"] + 4)
                file.write((7).to_bytes(4, "little"))
    return library


def test_clearing_changes_one_bit_and_nothing_else(tmp_path: Path) -> None:
    library = with_flag(tmp_path)
    before = library.read_bytes()
    assert asks_for_executable_stack(library)
    assert clear(library)
    assert not asks_for_executable_stack(library)
    after = library.read_bytes()
    assert len(before) == len(after)
    changed = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    assert changed.bit_count() == 1


def test_clearing_leaves_other_names_of_the_same_file_as_they_are(tmp_path: Path) -> None:
    """uv links what it installs to its cache: written in place, the change would reach there."""
    library = with_flag(tmp_path)
    library.chmod(0o755)
    cached = tmp_path / "cached.so"
    cached.hardlink_to(library)
    assert clear(library)
    assert asks_for_executable_stack(cached)
    assert not asks_for_executable_stack(library)
    assert library.stat().st_mode == cached.stat().st_mode
    assert set(tmp_path.iterdir()) == {library, cached}


def test_a_cut_off_copy_is_written_anew(tmp_path: Path) -> None:
    library = with_flag(tmp_path)
    draft_of(library).write_bytes(b"half a library")
    assert clear(library)
    assert not asks_for_executable_stack(library)
    assert set(tmp_path.iterdir()) == {library}


def test_a_library_without_the_flag_is_left_alone(tmp_path: Path) -> None:
    library = with_flag(tmp_path)
    clear(library)
    before = library.stat().st_mtime_ns
    assert not clear(library)
    assert library.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "content", [b"", b"not a library", b"\x7fELF", b"\x7fELF\x02\x01\x01" + b"\0" * 57]
)
def test_what_is_no_library_is_refused(tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "libhiprtc.so"
    broken.write_bytes(content)
    with pytest.raises(ValueError, match=r"libhiprtc"):
        clear(broken)
    assert broken.read_bytes() == content
