"""Every way in which a server cannot be reached has a name and a remedy."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from email.message import Message
from http.client import IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest

from tests.run.server import Manner, WheelServer
from wizard.core.credentials import authorization, redact, without_login
from wizard.core.trouble import Trouble
from wizard.system.web import Web, name_failure, open_web, worth_retrying

ADDRESS = "https://download.example/whl/torch.whl"


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def server(no_proxies: None) -> Iterator[WheelServer]:
    with WheelServer() as running:
        yield running


def status(code: int) -> HTTPError:
    return HTTPError(ADDRESS, code, "said", Message(), None)


FAILURES: list[tuple[Exception, bool, str]] = [
    (URLError(socket.gaierror(-2, "Name or service not known")), True, "DNS returned no address"),
    (URLError(socket.gaierror(-3, "Temporary failure")), True, "no name server answered"),
    (URLError(OSError(101, "Network is unreachable")), True, "Network is unreachable"),
    (URLError(ConnectionRefusedError(111, "Connection refused")), True, "refused"),
    (URLError(TimeoutError("timed out")), True, "timeout"),
    (TimeoutError("The read operation timed out"), True, "timeout"),
    (URLError(ssl.SSLCertVerificationError(1, "self-signed certificate")), False, "certificate"),
    (URLError(OSError("Tunnel connection failed: 407 Proxy Auth")), False, "requires a login"),
    (URLError(OSError("Tunnel connection failed: 403 Forbidden")), False, "does not allow"),
    (ConnectionResetError(104, "Connection reset by peer"), True, "was lost"),
    (IncompleteRead(b"abc", 5), True, "was lost"),
    (status(401), False, "login"),
    (status(403), False, "does not let you"),
    (status(404), False, "no longer exists"),
    (status(407), False, "proxy needs a login"),
    (status(418), False, "rejects the request"),
    (status(429), True, "slow down"),
    (status(500), True, "has a problem"),
    (status(503), True, "has a problem"),
    (status(511), False, "captive portal"),
]


@pytest.mark.parametrize(("error", "again", "word"), FAILURES, ids=lambda value: str(value)[:40])
def test_a_failure_is_named_and_tried_again_only_where_that_can_help(
    error: Exception, again: bool, word: str
) -> None:
    trouble = name_failure(error, ADDRESS)
    assert word in f"{trouble.happened} {trouble.meaning}"
    assert "download.example" in trouble.happened
    assert trouble.next_step.endswith(".")
    assert worth_retrying(error) is again


@pytest.mark.parametrize("code", [socket.EAI_NONAME, socket.EAI_AGAIN])
def test_a_name_that_was_not_found_is_asked_for_again_and_no_other(
    code: int, no_proxies: None
) -> None:
    trouble = name_failure(URLError(socket.gaierror(code, "said")), ADDRESS)
    assert trouble.happened.startswith("download.example was not found: ")
    assert "no internet" not in trouble.meaning
    assert "`getent hosts download.example`" in trouble.next_step


@pytest.mark.parametrize("scheme", ["", "http://me:geheim@"])
def test_the_name_of_a_proxy_that_was_not_found_is_told_and_not_the_servers(
    scheme: str, monkeypatch: pytest.MonkeyPatch, no_proxies: None
) -> None:
    monkeypatch.setenv("https_proxy", f"{scheme}proxy.example:3128")
    trouble = name_failure(URLError(socket.gaierror(-2, "said")), ADDRESS)
    assert trouble.happened.startswith(
        "proxy.example (the proxy to download.example) was not found: "
    )
    assert "`getent hosts proxy.example`" in trouble.next_step
    assert "HTTPS_PROXY" in trouble.meaning


def failure_of(web: Web, address: str) -> Exception:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the kind is what name_failure tells
        web.get(address, {}).close()
    return caught.value


def test_a_port_where_nobody_listens_is_a_refused_connection(no_proxies: None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/a.whl"
        trouble = name_failure(failure_of(open_web({}), address), address)
    assert trouble.happened == "127.0.0.1 refused the connection."


def test_a_server_without_tls_is_not_spoken_to_in_the_clear(server: WheelServer) -> None:
    address = server.url("/a.whl").replace("http:", "https:")
    trouble = name_failure(failure_of(open_web({}), address), address)
    assert "TLS" in trouble.happened


def test_other_schemes_are_not_opened() -> None:
    with pytest.raises(URLError):
        open_web({}).get("file:///etc/passwd", {})


def test_the_proxy_of_the_environment_is_used_and_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, no_proxies: None
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        proxy = f"http://me:geheim@127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        address = "http://download.example/a.whl"
        trouble = name_failure(failure_of(open_web({}), address), address)
    assert "through the proxy http://***@127.0.0.1" in trouble.happened
    assert "geheim" not in trouble.happened


def test_pips_own_proxy_serves_too(server: WheelServer) -> None:
    server.put("http://download.example/a.whl", b"through the proxy")
    web = open_web({"PIP_PROXY": server.url("/")})
    with web.get("http://download.example/a.whl", {}) as answer:
        assert answer.read() == b"through the proxy"


def test_a_certificate_bundle_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=r"PIP_CERT points to .*no\.pem"):
        open_web({"PIP_CERT": str(tmp_path / "no.pem")})


@pytest.fixture(scope="module")
def own_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 that nobody knows, with its key."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed: TLS not tried")
    path = tmp_path_factory.mktemp("tls") / "own.pem"
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    argv = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject)
    places = ("-keyout", str(path), "-out", str(path))
    subprocess.run((*argv, *places), capture_output=True, check=True)
    return path


class Secure:
    """A server that speaks TLS, and may ask who is there."""

    def __init__(self, certificate: Path, *, asks: bool = False) -> None:
        self.running = WheelServer()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        if asks:
            context.load_verify_locations(certificate)
            context.verify_mode = ssl.CERT_REQUIRED
        self.running.speak_tls(context)
        self.address = self.running.put("/a.whl", b"12345").replace("http:", "https:")


def content_of(certificate: Path, environ: dict[str, str], *, asks: bool = False) -> bytes:
    secure = Secure(certificate, asks=asks)
    with secure.running, open_web(environ).get(secure.address, {}) as answer:
        return answer.read()


def test_a_certificate_that_nobody_knows_is_refused_and_named(own_certificate: Path) -> None:
    secure = Secure(own_certificate)
    with secure.running:
        error = failure_of(open_web({}), secure.address)
    assert not worth_retrying(error)
    trouble = name_failure(error, secure.address)
    assert trouble.happened.startswith("The TLS certificate of 127.0.0.1 was not accepted: ")
    assert "set SSL_CERT_FILE to its certificate" in trouble.next_step


@pytest.mark.parametrize("name", ["PIP_CERT", "REQUESTS_CA_BUNDLE"])
def test_a_certificate_that_pip_is_given_counts(own_certificate: Path, name: str) -> None:
    assert content_of(own_certificate, {name: str(own_certificate)}) == b"12345"


def test_a_server_that_pip_is_to_trust_needs_no_known_certificate(own_certificate: Path) -> None:
    assert content_of(own_certificate, {"PIP_TRUSTED_HOST": "other.example 127.0.0.1"}) == b"12345"
    secure = Secure(own_certificate)
    port = secure.address.split(":")[2].split("/")[0]
    with secure.running:
        one = open_web({"PIP_TRUSTED_HOST": f"127.0.0.1:{port}"})
        one.get(secure.address, {}).close()
        other = open_web({"PIP_TRUSTED_HOST": f"127.0.0.1:1{port} other.example"})
        assert "CERTIFICATE_VERIFY_FAILED" in str(failure_of(other, secure.address))


def test_who_has_a_certificate_of_their_own_shows_it(own_certificate: Path) -> None:
    known = {"PIP_CERT": str(own_certificate)}
    own = {**known, "PIP_CLIENT_CERT": str(own_certificate)}
    assert content_of(own_certificate, own, asks=True) == b"12345"
    with pytest.raises(OSError):  # noqa: PT011 - what it is depends on the version of TLS
        content_of(own_certificate, known, asks=True)


def test_a_certificate_of_ones_own_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=r"PIP_CLIENT_CERT points to .*no\.pem"):
        open_web({"PIP_CLIENT_CERT": str(tmp_path / "no.pem")})


def test_a_server_that_knows_no_head_has_no_known_size(server: WheelServer) -> None:
    assert open_web({}).size(server.put("/a.whl", b"12345", Manner(head=False))) is None
    assert open_web({}).size(server.put("/b.whl", b"12345")) == 5


def test_asking_for_a_size_never_becomes_a_download_behind_a_redirect(server: WheelServer) -> None:
    there = server.put("/there.whl", b"12345")
    here = server.put("/here.whl", b"", Manner(status=302, location=there))
    assert open_web({}).size(here) == 5
    assert [method for method, _, _ in server.served.requests] == ["HEAD", "HEAD"]


def test_a_login_does_not_follow_a_redirect_elsewhere(server: WheelServer) -> None:
    there = server.put("/there.whl", b"12345", Manner(login="Basic bWU6cHc="))
    here = server.put("/here.whl", b"", Manner(status=302, location=there))
    with pytest.raises(HTTPError) as caught:
        open_web({}).get(here.replace("http://", "http://me:pw@"), {})
    caught.value.close()
    assert caught.value.code == 401


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("get https://me:pw@host/x?a=b", "get https://***@host/x?a=b"),
        ("https://token@host/ and http://a:b@c/", "https://***@host/ and http://***@c/"),
        ("https://me:p@ss@host/", "https://***@host/"),
        ("see https://host/user@example", "see https://host/user@example"),
        ("nothing here", "nothing here"),
    ],
)
def test_logins_in_addresses_are_never_shown(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_a_login_goes_only_to_the_server_that_it_was_given_for() -> None:
    indexes = ("https://me:p%40ss@host/simple/",)
    assert authorization("https://host/files/a.whl", indexes, {})
    assert not authorization("https://other/files/a.whl", indexes, {})
    assert not authorization("http://host/files/a.whl", indexes, {})
    assert not authorization("https://host:444/files/a.whl", indexes, {})
    assert without_login("https://me:pw@host/a.whl#sha256=1") == "https://host/a.whl"


def test_logins_are_found_in_pips_variables_and_in_netrc(tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine host login me password pw\n")
    netrc.chmod(0o600)
    by_file = authorization("https://host/a.whl", (), {"NETRC": str(netrc)})
    by_variable = authorization(
        "https://host/a.whl", (), {"PIP_EXTRA_INDEX_URL": "https://x/ https://me:pw@host/simple"}
    )
    assert by_file == by_variable == (("Authorization", "Basic bWU6cHc="),)
