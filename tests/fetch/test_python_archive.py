"""A Python in the folder: from the address that uv names, checked by its hash and by uv."""

import asyncio
import os
from hashlib import sha256
from pathlib import Path

import pytest

from tests.run.server import WheelServer
from wizard.core.events import Done
from wizard.core.trouble import Trouble
from wizard.fetch.python_archive import bring_python, installed_python
from wizard.system.system import System

FILE = "cpython-3.10.22+20261009-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz"
BODY = b"\x1f\x8bnot really an archive" * 100
UV = """#!/bin/sh
if [ "$2" = list ]; then
    echo '[{"implementation": "cpython", "os": "linux", "libc": "gnu", "arch": "x86_64",'
    echo '"variant": "default", "url": "URL"}]'
    exit
fi
[ "$OFFERS" = nothing ] && { echo "error: checksum mismatch"; exit 1; }
place=${4#file://}/20261009
cmp "$place"/cpython-3.10.22+*.tar.gz "$EXPECTS" || exit 1
mkdir -p "${10}/cpython-3.10-linux/bin"
echo python > "${10}/cpython-3.10-linux/bin/python3.10"
"""


def bring(tmp_path: Path, server: WheelServer, hash_of: bytes = BODY, **more: str) -> list[str]:
    address = server.put(f"/download/20261009/{FILE}", BODY).replace("+", "%2B")
    row = f"{sha256(hash_of).hexdigest()}  {FILE}\n"
    server.put("/download/20261009/SHA256SUMS", row.encode())
    uv = tmp_path / "uv"
    uv.write_text(UV.replace("URL", address))
    uv.chmod(0o755)
    (tmp_path / "expected").write_bytes(BODY)
    environ = {**os.environ, "EXPECTS": str(tmp_path / "expected"), **more}
    system = System(environ, str(tmp_path), lambda: False)
    mirror, installed = tmp_path / "mirror", tmp_path / "installed"

    async def outcome() -> list[str]:
        acting = bring_python(str(uv), "3.10", "x86_64", mirror, installed, system)
        return [each.outcome async for each in acting if isinstance(each, Done)]

    return asyncio.run(outcome())


def test_it_lies_where_uv_looks_for_it_below_a_mirror(tmp_path: Path) -> None:
    with WheelServer() as server:
        (outcome,) = bring(tmp_path, server)
    assert (tmp_path / "mirror/20261009" / FILE).read_bytes() == BODY
    assert installed_python(tmp_path / "installed", "3.10") is not None
    assert "uv can install Python 3.10 from it" in outcome


def test_a_damaged_archive_is_refused_and_removed(tmp_path: Path) -> None:
    with WheelServer() as server, pytest.raises(Trouble, match="wrong SHA-256"):
        bring(tmp_path, server, hash_of=b"another")
    assert not (tmp_path / "mirror/20261009" / FILE).exists()


def test_one_that_uv_does_not_take_is_removed(tmp_path: Path) -> None:
    with WheelServer() as server, pytest.raises(Trouble, match="uv could not install"):
        bring(tmp_path, server, OFFERS="nothing")
    assert not (tmp_path / "mirror/20261009" / FILE).exists()
