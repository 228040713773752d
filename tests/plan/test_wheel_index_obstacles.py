"""Whatever stands between us and an index has a name, and none of it holds us up."""

from __future__ import annotations

import re
import socket
from dataclasses import replace

import pytest
from packaging.requirements import InvalidRequirement

from tests.plan.index_servers import (
    Listener,
    Talk,
    drip_body,
    drip_headers,
    never,
    portal,
    saying,
    status,
    stocked,
    untrusted_tls,
)
from tests.plan.wheels_asked import QUICK, WHEELS, Standing, Stopwatch, answer_of, wheels_at
from tests.run.server import Manner, WheelServer

pytestmark = pytest.mark.usefixtures("plain_network")
SLACK_S = 5.0
"""For a machine that is busy with something else: what is waited for without a deadline is more."""

IN_BETWEEN: dict[str, tuple[Talk, str]] = {
    "a captive portal with 200": (portal, "login page"),
    "a captive portal that says so": (
        status("511 Network Authentication Required"),
        "log in first",
    ),
    "no web server": (saying(b"220 mail.example ESMTP\r\n"), "not respond like a web server"),
    "a server that refuses": (status("403 Forbidden"), "Some servers return 403"),
    "a server that wants a login": (status("401 Unauthorized"), "login"),
    "a law": (status("451 Unavailable For Legal Reasons"), "451"),
    "a server in trouble": (status("503 Service Unavailable"), "503"),
    "a server that is asked too often": (status("429 Too Many Requests"), "slow"),
    "a gateway that waits too long": (status("504 Gateway Timeout"), "504"),
    "a cut": (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"), "not an index"),
    "a line that breaks off": (saying(b""), "was lost"),
    "a redirect to a disk": (status("302 Found", "Location: file:///etc/passwd"), "302"),
    "a redirect to no address": (
        status("302 Found", "Location: http://[nonsense/"),
        "to something other than a web address",
    ),
}
ENDLESS: dict[str, tuple[Talk, str]] = {
    "a server that never answers": (never, "timeout"),
    "a server that drips its page": (
        drip_body,
        "127.0.0.1 sent nothing for too long|No answer|did not answer in time",
    ),
    "a server that drips its headers": (drip_headers, "No answer within"),
}


@pytest.mark.parametrize(("talk", "word"), IN_BETWEEN.values(), ids=IN_BETWEEN)
def test_what_stands_in_between_is_named_and_never_taken_for_gone(talk: Talk, word: str) -> None:
    with Listener(talk) as server:
        found = answer_of(wheels_at(f"{server.address}/simple"))
    assert found.standing is Standing.NOT_ASKED, found
    assert word in found.detail


@pytest.mark.parametrize(("talk", "word"), ENDLESS.values(), ids=ENDLESS)
def test_a_server_without_end_is_left_within_the_deadline(talk: Talk, word: str) -> None:
    with Listener(talk) as server:
        watch = Stopwatch()
        found = answer_of(wheels_at(f"{server.address}/simple"), QUICK)
        assert watch.seconds < SLACK_S
    assert found.standing is Standing.NOT_ASKED, found
    assert re.search(word, found.detail), found


def test_where_nothing_is_at_the_address_the_wheels_are_gone() -> None:
    with Listener(status("404 Not Found")) as server:
        found = answer_of(wheels_at(f"{server.address}/simple"))
    assert found.standing is Standing.GONE
    assert "404" in found.detail


def test_a_place_without_network_is_named_and_not_waited_for() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        place = f"http://127.0.0.1:{taken.getsockname()[1]}/simple"
        found = answer_of(wheels_at(place))
    assert found.standing is Standing.NOT_ASKED
    assert "refused the connection" in found.detail


def test_a_name_that_nobody_knows_is_not_taken_for_gone() -> None:
    found = answer_of(wheels_at("http://no-such-host.invalid/simple"))
    assert found.standing is Standing.NOT_ASKED


def test_a_certificate_that_nobody_trusts_is_told_and_nothing_is_read() -> None:
    with Listener(untrusted_tls) as server:
        found = answer_of(wheels_at(f"https://127.0.0.1:{server.port}/simple"))
    assert found.standing is Standing.NOT_ASKED
    assert "certificate" in found.detail


def test_a_bundle_of_certificates_that_cannot_be_read_is_told() -> None:
    found = answer_of(wheels_at("https://127.0.0.1:9/simple"), environ={"PIP_CERT": "/no/such.pem"})
    assert found.standing is Standing.NOT_ASKED
    assert "PIP_CERT points to /no/such.pem" in found.detail


@pytest.mark.parametrize("code", ["403 Forbidden", "407 Proxy Authentication Required"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses_is_told_without_its_password(
    monkeypatch: pytest.MonkeyPatch, scheme: str, code: str
) -> None:
    with Listener(status(code)) as proxy:
        monkeypatch.setenv(f"{scheme}_proxy", f"http://me:geheim@127.0.0.1:{proxy.port}")
        found = answer_of(wheels_at(f"{scheme}://index.example/simple"))
    assert found.standing is Standing.NOT_ASKED, found
    assert code[:3] in found.detail
    assert "geheim" not in found.detail
    assert proxy.connections


def test_a_portal_that_leads_to_its_login_page_is_named_with_where_it_led() -> None:
    with WheelServer() as login, Listener(portal) as page:
        login.put("/simple/torch/", b"", Manner(status=302, location=f"{page.address}/login"))
        found = answer_of(wheels_at(login.url("/simple").replace("127.0.0.1", "localhost")))
    assert found.standing is Standing.NOT_ASKED
    assert "localhost redirected to 127.0.0.1, which sent a page" in found.detail


def test_who_sends_us_round_and_round_is_left_after_a_few_times() -> None:
    with WheelServer() as server:
        for number in range(20):
            there = server.url(f"/{number + 1}")
            server.put(f"/{number}", b"", Manner(status=302, location=there))
        server.put("/simple/torch/", b"", Manner(status=302, location=server.url("/0")))
        found = answer_of(wheels_at(server.url("/simple")))
        asked = len(server.served.requests)
    assert found.standing is Standing.NOT_ASKED
    assert "but never" in found.detail
    assert asked <= 6


def test_an_index_that_answers_403_for_what_it_does_not_have_is_told_as_refusing_that() -> None:
    with WheelServer() as server:
        index = stocked(server, WHEELS[:2])
        server.put("/simple/torchaudio/", b"", Manner(status=403))
        found = answer_of(wheels_at(index))
    assert found.standing is Standing.NOT_ASKED
    assert "/simple/torchaudio/" in found.detail
    assert "a file that does not exist" in found.detail


def test_a_bug_of_ours_is_not_taken_for_a_slow_server() -> None:
    nonsense = replace(wheels_at("http://127.0.0.1:9/simple"), requirements=("===",))
    with pytest.raises(InvalidRequirement):
        answer_of(nonsense)


def test_what_a_server_says_reaches_nobody_with_control_characters() -> None:
    answer = status("302 Found", "Location: http://\x1b[31mred\x07.invalid/")
    with Listener(answer) as server:
        found = answer_of(wheels_at(server.address))
    assert found.detail.isprintable()
