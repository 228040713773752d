"""Libraries of a wheel that were exchanged, put aside or removed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import make
from tests.machine.test_elf import GNU_STACK, LOAD, READ_WRITE, READ_WRITE_RUN, library
from tests.machine.test_environments import environments_on
from wizard.core.fact import Fact
from wizard.host.host import Host
from wizard.machine.facts import ChangedLibrary, TorchInstall
from wizard.machine.recorded import RecordedHost
from wizard.machine.torch import recorded_sizes

SITE = "/home/owner/.local/lib/python3.12/site-packages"
LIB = f"{SITE}/torch/lib"
INFO = f"{SITE}/torch-2.5.1+rocm6.2.dist-info"
MIOPEN = f"{LIB}/libMIOpen.so"
HIP = f"{LIB}/libamdhip64.so"
RECORDED = 445_599_768
RECORD = (
    "torch/__init__.py,sha256=7QI,92345\n"
    f"torch/lib/libMIOpen.so,sha256=XIlz,{RECORDED}\n"
    "torch/lib/libamdhip64.so,sha256=Wqd,22000000\n"
    "torch/lib/libtorch_cpu.so,sha256=p1,500000000\n"
)


def wheel(**libraries: bytes) -> dict[str, str | bytes]:
    """A ROCm torch in the user site with its RECORD; the libraries by their names."""
    files: dict[str, str | bytes] = {
        f"{SITE}/torch/version.py": "__version__ = '2.5.1+rocm6.2'\n",
        f"{INFO}/RECORD": RECORD,
        MIOPEN: b"",
        HIP: b"",
    }
    return files | {f"{LIB}/lib{name}": content for name, content in libraries.items()}


def found(host: Host) -> TorchInstall:
    """The only torch of the machine."""
    (environment,) = environments_on(host).value
    assert environment.torch is not None
    return environment.torch


SIZES = {MIOPEN: RECORDED, HIP: 22_000_000}


def test_a_wheel_as_it_was_installed_has_nothing_changed(tmp_path: Path) -> None:
    assert found(make(tmp_path, wheel(), sizes=SIZES)).changed == ()


@pytest.mark.parametrize(
    "copy",
    ["libMIOpen.so.original", "libMIOpen.so.bak", "libMIOpen.so.backup", "libMIOpen.so.orig",
     "libMIOpen.so_backup", "libMIOpen.so.BAK", "libMIOpen.so.bak.2025-11-08", "libMIOpen.so-old"],
)  # fmt: skip
def test_an_exchanged_library_is_told_with_the_copy_put_aside(copy: str, tmp_path: Path) -> None:
    files = {**wheel(), f"{LIB}/{copy}": b""}

    changed = found(make(tmp_path, files, sizes={**SIZES, MIOPEN: 309_000_000})).changed

    assert changed == (ChangedLibrary(MIOPEN, RECORDED, 309_000_000, f"{LIB}/{copy}"),)


@pytest.mark.parametrize("other", ["libMIOpen.so.1", "libMIOpen.so.1.0", "libMIOpen_old.so"])
def test_other_libraries_beside_it_are_no_copies(other: str, tmp_path: Path) -> None:
    files = {**wheel(), f"{LIB}/{other}": b""}

    (changed,) = found(make(tmp_path, files, sizes={**SIZES, MIOPEN: 1})).changed

    assert changed.saved == ""


def test_a_library_that_is_gone_counts_as_changed(tmp_path: Path) -> None:
    files = wheel()
    del files[MIOPEN]

    assert found(make(tmp_path, files, sizes=SIZES)).changed == (
        ChangedLibrary(MIOPEN, RECORDED, 0, ""),
    )


def test_a_link_counts_for_what_it_leads_to(tmp_path: Path) -> None:
    own = "/opt/rocm-miopen-rdna1/lib/libMIOpen.so.1.0"
    files = {**wheel(), own: b""}
    del files[MIOPEN]

    changed = found(
        make(tmp_path, files, links={MIOPEN: own}, sizes={HIP: 22_000_000, own: 300_000_000})
    ).changed

    assert changed == (ChangedLibrary(MIOPEN, RECORDED, 300_000_000, ""),)


def test_a_link_to_nothing_is_a_library_that_is_gone(tmp_path: Path) -> None:
    files = wheel()
    del files[MIOPEN]

    (changed,) = found(make(tmp_path, files, links={MIOPEN: "libMIOpen.so.1"}, sizes=SIZES)).changed

    assert changed.bytes == 0


def test_a_link_to_the_same_bytes_is_no_change(tmp_path: Path) -> None:
    files = wheel(**{"MIOpen.so.1": b""})
    del files[MIOPEN]
    sizes = {HIP: 22_000_000, f"{LIB}/libMIOpen.so.1": RECORDED}

    assert found(make(tmp_path, files, links={MIOPEN: "libMIOpen.so.1"}, sizes=sizes)).changed == ()


def test_without_a_record_nothing_is_claimed(tmp_path: Path) -> None:
    files = wheel()
    del files[f"{INFO}/RECORD"]

    assert found(make(tmp_path, files)).changed == ()


def test_a_wheel_without_rocm_has_no_such_libraries(tmp_path: Path) -> None:
    files = wheel() | {f"{SITE}/torch/version.py": "__version__ = '2.5.1+cpu'\n"}

    assert found(make(tmp_path, files)).changed == ()


@pytest.mark.parametrize(
    ("record", "sizes"),
    [
        ("torch/lib/libMIOpen.so,sha256=x,7\r\n", [("libMIOpen.so", 7)]),
        ("torch/lib/libhiprtc-builtins.so.5,sha256=x,7", [("libhiprtc-builtins.so.5", 7)]),
        ("torch/lib/librocblas.so.3.1.50700,sha256=x,7", [("librocblas.so.3.1.50700", 7)]),
        ("torch/lib/libMIOpen.so,sha256=x,", []),
        ("torch/lib/libMIOpen.so,sha256=x,٣", []),
        ("torch/lib/libMIOpen.so,sha256=x,-7", []),
        ("torch/lib/libMIOpen.so", []),
        ("torch/lib/rocblas/library/Kernels.so,sha256=x,7", []),
        ("torch/lib/libtorch_cpu.so,sha256=x,7", []),
        ("torch/lib/../../../libMIOpen.so,sha256=x,7", []),
        ("", []),
    ],
)
def test_a_record_tells_the_sizes_of_rocm_libraries(
    record: str, sizes: list[tuple[str, int]]
) -> None:
    assert recorded_sizes(record) == sizes


def test_libraries_that_ask_for_an_executable_stack_are_named(tmp_path: Path) -> None:
    files = wheel(
        **{
            "amdhip64.so": library((LOAD, 5), (GNU_STACK, READ_WRITE_RUN)),
            "hiprtc.so": library((LOAD, 5), (GNU_STACK, READ_WRITE_RUN)),
            "rocblas.so": library((LOAD, 5), (GNU_STACK, READ_WRITE)),
            "hsa-runtime64.so": b"\x7fELF cut off",
            "torch_cpu.so": library((GNU_STACK, READ_WRITE_RUN)),
        }
    )

    assert found(make(tmp_path, files)).executable_stack == ("libamdhip64.so", "libhiprtc.so")


def test_the_record_of_a_wheel_like_another_is_read_only_for_a_change(tmp_path: Path) -> None:
    sites = [f"/home/owner/v{n}/lib/python3.12/site-packages" for n in range(4)]
    files: dict[str, str | bytes] = {f"/home/owner/v{n}/pyvenv.cfg": "" for n in range(4)}
    sizes: dict[str, int] = {}
    for site in sites:
        files |= {path.replace(SITE, site): content for path, content in wheel().items()}
        sizes |= {path.replace(SITE, site): size for path, size in SIZES.items()}
    exchanged = f"{sites[2]}/torch/lib/libMIOpen.so"
    reads: list[str] = []

    class Counting(RecordedHost):
        def read(self, path: str) -> Fact[str]:
            reads.append(path)
            return super().read(path)

    make(tmp_path, files, sizes={**sizes, exchanged: 1})
    found = environments_on(Counting(tmp_path)).value

    assert [one.torch.changed for one in found if one.torch] == [
        (),
        (),
        (ChangedLibrary(exchanged, RECORDED, 1, ""),),
        (),
    ]
    records = [path for path in reads if path.endswith("RECORD")]
    assert records == [path for path in records if sites[0] in path or sites[2] in path]
    assert len(records) == 2
