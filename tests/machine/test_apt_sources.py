"""Where apt takes its packages from, in both formats."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.records import make
from wizard.apt.sources import AptSource, apt_sources, deb822_entries, line_entries
from wizard.machine.packages import APT_SOURCES

PARTS = "/etc/apt/sources.list.d"
LISTS = "/var/lib/apt/lists"
ROCM = "https://repo.radeon.com/rocm/apt/5.7.1"
KEY = """-----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBGJ
 =abcd
 -----END PGP PUBLIC KEY BLOCK-----
"""


def sources(folder: Path, files: dict[str, str], **record: object) -> tuple[AptSource, ...]:
    """The sources of a machine with these files."""
    return apt_sources(make(folder, {"/etc/hostname": "", **files}, **record))[0]


def one(folder: Path, text: str, name: str = "rocm.list") -> AptSource:
    """The only entry of a file."""
    (source,) = sources(folder, {f"{PARTS}/{name}": text})
    return source


def test_amds_line_is_read_with_its_options(tmp_path: Path) -> None:
    line = f"deb [arch=amd64 signed-by=/etc/apt/keyrings/rocm.gpg] {ROCM} jammy main\n"

    assert one(tmp_path, f"\n# ROCm\n{line}") == AptSource(
        file=f"{PARTS}/rocm.list",
        line=3,
        types=("deb",),
        uris=(ROCM,),
        suites=("jammy",),
        components=("main",),
        signed_by="/etc/apt/keyrings/rocm.gpg",
        enabled=True,
        amd=True,
    )


@pytest.mark.parametrize(
    ("line", "uri", "suite", "components", "signed_by"),
    [
        ("deb http://a.example/x noble main universe", "http://a.example/x", "noble",
         ("main", "universe"), ""),
        ("deb-src\thttp://a.example/x\tnoble\tmain", "http://a.example/x", "noble", ("main",), ""),
        ("  deb [ arch=amd64,i386  Signed-By=/a.gpg,/b.gpg ]   http://a.example/x ./",
         "http://a.example/x", "./", (), "/a.gpg,/b.gpg"),
        ("deb [trusted=yes] file:/var/opt/x ./ # offline", "file:/var/opt/x", "./", (), ""),
        ("deb cdrom:[Ubuntu 24.04 LTS _Noble_ - Release amd64 (20240423)]/ noble main",
         "cdrom:[Ubuntu 24.04 LTS _Noble_ - Release amd64 (20240423)]/", "noble", ("main",), ""),
        ("deb cdrom:[Debian #1]/ trixie main", "cdrom:[Debian #1]/", "trixie", ("main",), ""),
        ('deb "http://a.example/a b" noble', "http://a.example/a b", "noble", (), ""),
        ("deb http://a.example/x noble main\r", "http://a.example/x", "noble", ("main",), ""),
    ],
)  # fmt: skip
def test_a_line_is_understood_as_apt_does(
    line: str, uri: str, suite: str, components: tuple[str, ...], signed_by: str
) -> None:
    (entry,) = line_entries(line)

    assert (entry.uris, entry.suites) == ((uri,), (suite,))
    assert (entry.components, entry.signed_by) == (components, signed_by)


@pytest.mark.parametrize(
    "line",
    [
        "",
        f"# deb {ROCM} jammy main",
        f"#deb {ROCM} jammy main # disabled on upgrade to noble",
        f"deb # {ROCM} jammy main",
        "deb",
        "deb http://a.example/x",
        "deb [arch=amd64] http://a.example/x",
        "deb [arch=amd64 http://a.example/x noble main",
        "rpm http://a.example/x noble main",
        "\x00\ufffd deb",
    ],
)
def test_a_line_that_is_no_entry_is_none(line: str) -> None:
    assert list(line_entries(line)) == []


def test_a_paragraph_is_read_with_all_its_values(tmp_path: Path) -> None:
    text = f"""# comment

X-Repolib-Name: ROCm
types: deb deb-src
URIs: {ROCM}
# between
\thttps://mirror.example/rocm
Suites: jammy
 noble
Components: main proprietary
Signed-By: /usr/share/keyrings/rocm.gpg
"""

    assert one(tmp_path, text, "rocm.sources") == AptSource(
        file=f"{PARTS}/rocm.sources",
        line=3,
        types=("deb", "deb-src"),
        uris=(ROCM, "https://mirror.example/rocm"),
        suites=("jammy", "noble"),
        components=("main", "proprietary"),
        signed_by="/usr/share/keyrings/rocm.gpg",
        enabled=True,
        amd=True,
    )


def test_every_paragraph_has_its_own_line_and_state() -> None:
    text = (
        f"Types: deb\nURIs: http://a\nSuites: x\nEnabled: no\nSigned-By:\n {KEY}\n\r\n"
        "Types: deb\nURIs: http://b\nSuites: y\n\n\nTypes: deb\n"
    )

    first, second = deb822_entries(text)

    assert (first.line, first.enabled, first.signed_by) == (1, False, "a key in the entry")
    assert (second.line, second.enabled, second.signed_by) == (13, True, "")


@pytest.mark.parametrize(
    ("value", "enabled"),
    [("no", False), ("No", False), ("false", False), ("0", False), ("yes", True), ("maybe", True)],
)
def test_enabled_means_what_apt_takes_it_for(value: str, enabled: bool) -> None:
    (entry,) = deb822_entries(f"Types: deb\nURIs: x\nSuites: y\nEnabled: {value}\n")

    assert entry.enabled is enabled


@pytest.mark.parametrize(
    ("uri", "amd"),
    [
        (ROCM, True),
        ("http://repo.radeon.com/amdgpu/6.2.4/ubuntu", True),
        ("https://REPO.radeon.com:443/rocm/apt/debian", True),
        ("https://rocm.nightlies.amd.com/packages-multi-arch/deb/1", True),
        ("https://mirror.example/repo.radeon.com/rocm", False),
        ("https://repo.radeon.com.example.org/rocm", False),
        ("http://archive.ubuntu.com/ubuntu", False),
        ("https://[", False),
        (":", False),
    ],
)
def test_a_source_is_amds_by_its_server(uri: str, amd: bool, tmp_path: Path) -> None:
    assert one(tmp_path, f"deb {uri} noble main").amd is amd


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("https://mirror.example/rocm/ noble main", "mirror.example_rocm_dists_noble_InRelease"),
        ("https://mirror.example/rocm noble main", "mirror.example_rocm_dists_noble_Release"),
        ("https://me:secret@mirror.example/r noble x", "mirror.example_r_dists_noble_InRelease"),
        ("https://mirror.example/rocm_apt noble", "mirror.example_rocm%5fapt_dists_noble_Release"),
        ("file:/var/opt/amdgpu ./", "_var_opt_amdgpu_._Release"),
        ("http://mirror.example/rocm /", "mirror.example_rocm_Release"),
    ],
)
def test_a_mirror_is_amds_by_the_release_file_it_hands_out(
    line: str, name: str, tmp_path: Path
) -> None:
    files = {f"{PARTS}/x.list": f"deb {line}\n", f"{LISTS}/{name}": "Origin: repo.radeon.com\n"}

    assert [source.amd for source in sources(tmp_path, files)] == [True]


def test_a_name_and_password_in_an_address_are_not_told(tmp_path: Path) -> None:
    source = one(tmp_path, "deb https://me:s3cret@mirror.example/rocm noble main")

    assert source.uris == ("https://mirror.example/rocm",)


def test_files_that_apt_passes_over_are_passed_over(tmp_path: Path) -> None:
    line = f"deb {ROCM} jammy main\n"
    files = {f"{PARTS}/{name}": line for name in ("a.list.save", "b", "c d.list", "e.list")}

    found = sources(tmp_path, {"/etc/apt/sources.list": line, **files})

    assert [source.file for source in found] == ["/etc/apt/sources.list", f"{PARTS}/e.list"]


def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    path = f"{PARTS}/secret.list"
    host = make(tmp_path, {path: ""}, unreadable=[path])

    assert [each.because for each in apt_sources(host)[1]] == [f"no permission to read {path}"]


def test_the_row_counts_entries_and_shows_amds(tmp_path: Path) -> None:
    text = f"Types: deb\nURIs: {ROCM}\nSuites: jammy\nComponents: main\nEnabled: no\n"
    files = {
        "/etc/apt/sources.list": "deb http://archive.ubuntu.com/ubuntu noble main\n",
        f"{PARTS}/rocm.sources": text,
    }

    assert APT_SOURCES.tell(sources(tmp_path, files)) == (
        "2 entries, 1 from AMD (1 disabled)",
        (f"{PARTS}/rocm.sources:1: {ROCM} jammy main; signed by any key apt trusts; disabled",),
    )
    assert APT_SOURCES.tell(()) == ("none", ())


@given(st.text(st.sampled_from('deb[]"# \n\t:.-=/aTypesURIsSuites'), max_size=300))
def test_no_text_makes_either_format_raise(text: str) -> None:
    assert all(entry.line for entry in (*line_entries(text), *deb822_entries(text)))
