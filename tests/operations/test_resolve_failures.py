"""What is told where no versions can be chosen: uv is made to fail for real."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import HTTPServer, SimpleHTTPRequestHandler
from io import BytesIO
from pathlib import Path

import pytest

from tests.operations.resolving import Asked, asked, resolved, tagged
from tests.run.server import Manner, WheelIndex
from tests.run.wheels import make_wheel
from wizard.core.trouble import Trouble
from wizard.host.pip_settings import PipSettings

__all__ = ["asked"]

PAGE = Manner(content_type="text/html")
ONCE = PipSettings(retries=0, timeout_s=3)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[WheelIndex]:
    folder = tmp_path / "packages"
    make_wheel(folder, "numpy", "1.26.0", {})
    make_wheel(folder, "modern", "1.0", {}, requires=("numpy>=2",))
    make_wheel(folder, "outer", "1.0", {}, requires=("modern",))
    tagged(make_wheel(folder, "elsewhere", "1.0", {}), "cp38-cp38-manylinux_2_17_x86_64")
    tagged(make_wheel(folder, "windows", "1.0", {}), "py3-none-win_amd64")
    needs_python(make_wheel(folder, "later", "1.0", {}), ">=3.99")
    with WheelIndex(folder.glob("*.whl"), metadata=True) as index:
        index.put("/files/source-1.0.tar.gz", source_archive())
        link = b'<a href="/files/source-1.0.tar.gz">source-1.0.tar.gz</a>'
        index.put("/simple/source/", link, PAGE)
        index.put("/simple/login/", b"<html><h1>Welcome</h1>Please log in.</html>", PAGE)
        index.put("/simple/picture/", b"\x89PNG", Manner(content_type="image/png"))
        yield index


def needs_python(wheel: Path, versions: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in members.items():
            line = f"\nRequires-Python: {versions}\nVersion:".encode()
            archive.writestr(name, content.replace(b"\nVersion:", line, 1))


def source_archive() -> bytes:
    made = BytesIO()
    text = b"Metadata-Version: 2.1\nName: source\nVersion: 1.0\n"
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        member = tarfile.TarInfo("source-1.0/PKG-INFO")
        member.size = len(text)
        archive.addfile(member, BytesIO(text))
    return made.getvalue()


def trouble_of(asked: Asked, settings: PipSettings, *wanted: str) -> Trouble:
    with pytest.raises(Trouble) as trouble:
        resolved(asked.but(*wanted), settings)
    assert trouble.value.meaning.endswith(".")
    assert trouble.value.next_step.endswith(".")
    return trouble.value


@pytest.mark.parametrize(
    ("wanted", "happened"),
    [
        ("numpy==3", "numpy==3 was not found on the package index."),
        ("absent", "absent was not found on the package index."),
        ("login", "login was not found on the package index."),
        ("elsewhere", "elsewhere==1.0 has no wheel for this Python and machine."),
        ("source", "source==1.0 has no wheel for this Python and machine, only its source code."),
        ("later", "later==1.0 needs Python >=3.99."),
    ],
)
def test_a_requirement_that_cannot_be_met_is_named(
    asked: Asked, index: WheelIndex, wanted: str, happened: str
) -> None:
    assert trouble_of(asked, PipSettings(index.simple), wanted).happened == happened


def test_a_wheel_for_other_machines_alone_is_none(asked: Asked, index: WheelIndex) -> None:
    # uv 0.9 chooses it and leaves the rest to us, uv 0.13 refuses it.
    happened = trouble_of(asked, PipSettings(index.simple), "windows").happened

    assert happened.startswith(("windows==1.0 has no wheel", "windows 1.0 has no wheel"))


def test_a_conflict_is_told_with_what_each_package_needs(asked: Asked, index: WheelIndex) -> None:
    told = trouble_of(asked, PipSettings(index.simple), "outer", "numpy<2")

    assert told.happened == "The requested versions conflict."
    assert "depend" in told.meaning
    assert "numpy>=2" in told.meaning
    assert "numpy==1.26.0" in told.meaning


def test_a_page_of_another_kind_is_named(asked: Asked, index: WheelIndex) -> None:
    told = trouble_of(asked, PipSettings(index.simple), "picture")

    assert told.happened == f"{index.url('/simple/picture/')} is not the page of a package index."
    assert "image/png" in told.meaning


@pytest.mark.parametrize("status", [500, 503])
def test_an_error_of_the_server_is_named(asked: Asked, index: WheelIndex, status: int) -> None:
    index.put("/simple/numpy/", b"", Manner(status=status))

    told = trouble_of(asked, replace(ONCE, index=index.simple), "numpy")

    assert told.happened.startswith(f"127.0.0.1 responded with an HTTP error: {status} ")


@pytest.mark.parametrize(
    ("status", "words"), [(401, "a login is missing or wrong"), (403, "does not let you download")]
)
def test_an_index_that_lets_nobody_in_is_told_from_one_that_has_no_such_package(
    asked: Asked, index: WheelIndex, status: int, words: str
) -> None:
    index.put("/simple/torch/", b"", Manner(status=status))
    settings = replace(ONCE, index="http://127.0.0.1:9/simple")

    told = trouble_of(asked.but(index=index.simple), settings, "torch")

    page = index.url("/simple/torch/")
    assert told.happened == f"127.0.0.1 answered HTTP {status} for {page}."
    assert words in told.meaning


def test_without_a_network_the_host_is_named(asked: Asked) -> None:
    told = trouble_of(asked, replace(ONCE, index="https://no-such-host.invalid/simple"), "numpy")

    assert told.happened.startswith("no-such-host.invalid was not found")
    assert "getent hosts no-such-host.invalid" in told.next_step


def test_a_server_that_is_down_is_named(asked: Asked) -> None:
    told = trouble_of(asked, replace(ONCE, index="http://127.0.0.1:9/simple"), "numpy")

    assert told.happened == "Cannot connect to 127.0.0.1: Connection refused."


def test_a_server_that_says_nothing_is_given_up(asked: Asked) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/simple"
        told = trouble_of(asked, PipSettings(address, retries=0, timeout_s=1), "numpy")

    assert told.happened == "The connection was lost, or the server did not answer in time."


@contextmanager
def answering(text: str) -> Iterator[str]:
    """A server that gives every caller this text; its place."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    caller, _ = server.accept()
                except OSError:
                    return
                with caller:
                    caller.recv(1 << 16)
                    caller.sendall(text.replace("\n", "\r\n").encode())

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_a_server_without_tls_is_told(asked: Asked) -> None:
    with answering("HTTP/1.1 400 Bad Request\n\n") as place:
        told = trouble_of(asked, replace(ONCE, index=f"https://{place}/simple"), "numpy")

    assert told.happened == "127.0.0.1 did not answer in TLS."


@pytest.mark.parametrize(
    ("answer", "happened"),
    [
        ("HTTP/1.1 407 Proxy Authentication Required\n\n", "The proxy needs a login."),
        (
            "HTTP/1.1 403 Forbidden\n\n",
            "The proxy could not be reached, or refused the connection.",
        ),
    ],
)
def test_a_proxy_that_refuses_is_told(asked: Asked, answer: str, happened: str) -> None:
    with answering(answer) as place:
        settings = replace(ONCE, index="https://no-such-host.invalid/simple", proxy=place)
        told = trouble_of(asked, settings, "numpy")

    assert told.happened == happened


def test_pip_s_proxy_serves_also_what_the_usual_variables_leave_out(
    asked: Asked, index: WheelIndex
) -> None:
    with answering("HTTP/1.1 407 Proxy Authentication Required\n\n") as place:
        settings = replace(ONCE, index="https://127.0.0.1:9/simple", proxy=place)
        with pytest.raises(Trouble) as trouble:
            resolved(asked.but("numpy"), settings, {"NO_PROXY": "*"})

    assert trouble.value.happened == "The proxy needs a login."


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """An index in TLS whose certificate nobody knows, and that certificate."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    argv = f"openssl req -x509 -newkey rsa:2048 -nodes -keyout {key} -out {certificate} -days 2"
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    plain = ("-addext", "basicConstraints=critical,CA:FALSE")
    subprocess.run((*argv.split(), *names, *plain), check=True, capture_output=True)
    folder = tmp_path / "www"
    make_wheel(folder / "numpy", "numpy", "1.26.0", {})

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            pass

        def translate_path(self, path: str) -> str:
            return str(folder / super().translate_path(path).rpartition("/simple/")[2])

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = HTTPServer(("127.0.0.1", 0), Quiet)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://localhost:{server.server_port}/simple", certificate
    server.shutdown()
    server.server_close()


def test_a_certificate_that_nobody_vouches_for_is_refused(
    asked: Asked, secure: tuple[str, Path]
) -> None:
    told = trouble_of(asked, replace(ONCE, index=secure[0]), "numpy")

    assert told.happened == "The certificate of localhost was not accepted."


def test_pip_s_own_certificate_vouches_for_a_server(asked: Asked, secure: tuple[str, Path]) -> None:
    address, certificate = secure
    wish = asked.but("numpy")

    wheels, _ = resolved(wish, PipSettings(address, certificates=str(certificate)))

    assert wheels["numpy"].version == "1.26.0"


@pytest.mark.parametrize("port", ["", ":port"])
def test_a_host_that_pip_trusts_needs_no_certificate(
    asked: Asked, secure: tuple[str, Path], port: str
) -> None:
    address = secure[0]
    trusted = f"localhost{port and ':' + address.split(':')[2].split('/')[0]}"
    wish = asked.but("numpy")

    wheels, _ = resolved(wish, PipSettings(address, trusted_hosts=(trusted,)))

    assert wheels["numpy"].version == "1.26.0"


def test_a_python_that_does_not_start_is_named(asked: Asked) -> None:
    told = trouble_of(replace(asked, python="/no/python"), ONCE, "numpy")

    assert "/no/python" in told.happened
