"""Our reading of apt's sources against apt's own: the same entries, the same names of lists."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.apt.sources import apt_sources, list_names

APT = "/usr/bin/apt-get"
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not Path(APT).exists(), reason="apt is not installed"),
]

LINES = """
# deb http://off.example/x noble main
deb [ arch=amd64  Signed-By=/a.gpg,/b.gpg trusted=yes ]   http://a.example/x_y ./
deb [trusted=yes] file:/var/opt/x~1 ./ # offline
deb [trusted=yes] https://mirror.example/r noble x y
deb\thttp://tab.example/x\tnoble\tmain#tail
deb http://mirror.example/rocm/ /
deb https://repo.radeon.com:443/rocm/apt/5.7.1 jammy main
"""
ONE = "Types: deb\nURIs: http://a.example/1\nSuites: noble\nComponents: main\n"
TWO = "Types: deb\nURIs: http://b.example/2\nSuites: noble\nComponents: main\n"
KEY = (
    "Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQ\n"
    " -----END PGP PUBLIC KEY BLOCK-----\n"
)
TEXTS = [
    ("list", LINES),
    ("sources", f"{ONE}\n{TWO}"),
    ("sources", f"{ONE} \n{TWO}"),
    ("sources", f"{ONE}\t\n{TWO}"),
    ("sources", f"{ONE}\n#c\n\n\n{TWO}"),
    ("sources", f"{ONE}#c\n{TWO}"),
    ("sources", f"{ONE}{KEY}\n{TWO}"),
    ("sources", f"{ONE}Enabled: no\n\n{TWO}"),
    ("sources", f"{ONE}enabled: 0\n\n{TWO}Enabled: maybe\n"),
    ("sources", f"{ONE}URIs: http://c.example/3\n"),
    ("sources", f"{ONE}\n{TWO}".replace("\n", "\r\n")),
    ("sources", ONE.replace("/1\n", "/1\n#x\n http://a.example/2\n").replace("noble", "a b")),
    ("sources", ONE.replace("Types", "types").replace("URIs:", "uris :")),
]


def apts_lists(folder: Path) -> set[str]:
    """The lists that apt would fetch for the sources in a folder, by their names."""
    options = ("Dir::Etc::sourcelist=/nowhere", f"Dir::Etc::sourceparts={folder}",
               "APT::Get::IndexTargets::ReleaseInfo=false",
               "APT::Get::IndexTargets::OnlyPresent=false")  # fmt: skip
    done = subprocess.run(
        (APT, *(word for option in options for word in ("-o", option)), "indextargets", "--format",
         "$(FILENAME)", "Created-By: Packages"),
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return {Path(name).name for name in done.stdout.split()}


@pytest.mark.parametrize(("kind", "text"), TEXTS)
def test_apt_and_we_read_the_same_entries(kind: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / f"x.{kind}").write_text(text)
    host = make(tmp_path / "machine", {f"/etc/apt/sources.list.d/x.{kind}": text})

    ours = {
        f"{name}_{component}"
        for source in apt_sources(host)[0]
        if source.enabled
        for uri in source.uris
        for name in list_names(uri, source.suites)
        for component in source.components or ("Packages",)
    }

    lists = apts_lists(tmp_path / "parts")
    assert lists
    assert {name.partition("_binary-")[0] for name in lists} == ours
