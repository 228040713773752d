"""Availability on the screen: what is known and since when, and keys answer meanwhile."""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from screens.choose.sources import Sources
from screens.services import Services
from screens.start import services_for
from tests.available.asked import QUICK, WHEELS, WHEN, Stopwatch
from tests.available.servers import Listener, Talk, drip_body, never, portal, status, stocked
from tests.run.server import WheelServer
from tests.screens import examples
from tests.screens.driving import (
    app_with,
    as_agreed,
    press,
    reach,
    screen_text,
    until,
    usable_keys,
)
from tests.screens.fakes import LIVE_SERVICES
from wizard.__main__ import parser
from wizard.available.answers import Answer, Standing
from wizard.available.asking import USUAL, Patience
from wizard.available.questions import Named
from wizard.available.session import Known, ask_all, known
from wizard.machine.facts import Machine

Compare = Callable[[str, str], None]
GOOD = Answer(Standing.THERE, "torch-1.13.1+rocm5.2-cp310-cp310-linux_x86_64.whl.", WHEN)
BAD = Answer(Standing.NO_NETWORK, "The name could not be looked up (DNS).", WHEN)


@pytest.fixture(autouse=True)
def plain_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    certificate = Path(__file__).parents[1] / "run" / "certificate.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE", "PIP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def over(named: Named, state: Path, patience: Patience = USUAL) -> Services:
    """Services that really ask."""

    def ask(before: Known) -> AsyncGenerator[Known, None]:
        return ask_all(before, {}, state, patience)

    def find(machine: Machine) -> Known:
        return known(machine, named, state)

    return replace(LIVE_SERVICES, sources=Sources(find, ask))


async def test_what_is_known_now_and_since_when_looks_as_agreed(same_as_golden: Compare) -> None:
    before = known(examples.MACHINE, Named(), None)
    first, second, *rest = before.entries
    told = Known((replace(first, now=GOOD, good=GOOD), replace(second, now=BAD, good=GOOD), *rest))

    async def ask(_: Known) -> AsyncGenerator[Known, None]:
        yield told

    services = replace(LIVE_SERVICES, sources=Sources(lambda _: before, ask))
    async with app_with(services, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "p")
        await until(pilot, lambda: "Asked. p asks again." in screen_text(pilot.app))
        await as_agreed(pilot, same_as_golden, "available")


@pytest.mark.parametrize("talk", [never, drip_body], ids=("never answers", "drips"))
async def test_keys_are_answered_while_a_server_is_not(talk: Talk, tmp_path: Path) -> None:
    with Listener(talk) as server:
        named = Named(torch_index=server.address, rocm_repo=f"{server.address}/apt")
        services = over(named, tmp_path)
        async with app_with(services, "choose").run_test(size=(80, 24)) as pilot:
            await reach(pilot, "choose")
            await press(pilot, "p")
            await until(pilot, server.connected.is_set)
            watch = Stopwatch()
            await until(pilot, lambda: "rocm52      asking ..." in screen_text(pilot.app))
            assert "p" not in usable_keys(pilot.app)
            await press(pilot, "down", "up", "escape")
            await reach(pilot, "choose")
            assert watch.seconds < USUAL.stall_s


async def test_an_answer_that_comes_while_the_window_is_taken_down_ends_nothing() -> None:
    before = known(examples.MACHINE, Named(), None)
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def ask(_: Known) -> AsyncGenerator[Known, None]:
        asked.set()
        await go_on.wait()
        yield before

    services = replace(LIVE_SERVICES, sources=Sources(lambda _: before, ask))
    async with app_with(services, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "p")
        await asked.wait()
        await pilot.app.screen.query("Static").remove()
        go_on.set()
        await until(pilot, lambda: "p" in usable_keys(pilot.app))
        await press(pilot, "escape")
        await reach(pilot, "choose")


@pytest.mark.parametrize("talk", [never, drip_body], ids=("never answers", "drips"))
async def test_a_server_without_end_is_too_slow(talk: Talk, tmp_path: Path) -> None:
    with Listener(talk) as server:
        named = Named(torch_index=server.address, rocm_repo=f"{server.address}/apt")
        async with app_with(over(named, tmp_path, QUICK), "choose").run_test(
            size=(80, 24)
        ) as pilot:
            await reach(pilot, "choose")
            await press(pilot, "p")
            await until(pilot, lambda: "Asked. p asks again." in screen_text(pilot.app))
            await until(pilot, lambda: "rocm52      too slow " in screen_text(pilot.app))
            await until(pilot, lambda: "p" in usable_keys(pilot.app))


@pytest.mark.parametrize(
    ("talk", "word"),
    [
        (portal, "something else answered"),
        (status("403 Forbidden"), "refused"),
        (status("407 Proxy Authentication Required"), "refused"),
    ],
    ids=("portal", "403", "proxy"),
)
async def test_the_screen_names_what_answers_and_when_it_was_last_there(
    talk: Talk, word: str, tmp_path: Path
) -> None:
    with WheelServer() as good:
        wheels = [
            wheel.replace("cp310", tag) for wheel in WHEELS for tag in ("cp310", "cp39", "cp38")
        ]
        index = stocked(good, wheels, "/simple")
        port = index.rpartition(":")[2].partition("/")[0]
        async with app_with(over(Named(torch_index=index), tmp_path), "choose").run_test(
            size=(80, 24)
        ) as pilot:
            await reach(pilot, "choose")
            await press(pilot, "p")
            await until(pilot, lambda: "Asked." in screen_text(pilot.app))
            await until(pilot, lambda: "rocm52      there   " in screen_text(pilot.app))
    text = (tmp_path / "available.json").read_text()
    with Listener(talk) as bad:
        moved = text.replace(f":{port}/", f":{bad.port}/")
        (tmp_path / "available.json").write_text(moved)
        named = Named(torch_index=f"{bad.address}/simple")
        async with app_with(over(named, tmp_path), "choose").run_test(size=(80, 24)) as pilot:
            await reach(pilot, "choose")
            await press(pilot, "p")
            seen = re.compile(rf"^ rocm52 +{word} +20\d\d-", re.MULTILINE)
            await until(pilot, lambda: seen.search(screen_text(pilot.app)) is not None)


@pytest.mark.parametrize("options", [("--dry-run",), ("--demo",)], ids=("dry run", "demo"))
async def test_a_dry_run_and_the_demo_ask_nobody_and_say_so(options: tuple[str, ...]) -> None:
    with Listener(never) as server:
        sources = ("--torch-index", server.address, "--rocm-repo", f"{server.address}/apt")
        arguments = parser(()).parse_args((*options, *sources))
        assert isinstance(arguments, argparse.Namespace)
        offered = services_for(arguments).sources
        assert offered is not None
        assert offered.ask is None
        services = replace(LIVE_SERVICES, sources=offered)
        async with app_with(services, "choose").run_test(size=(80, 24)) as pilot:
            await reach(pilot, "choose")
            await press(pilot, "p")
            await until(pilot, lambda: "rocm52      not asked" in screen_text(pilot.app))
            await until(pilot, lambda: "Nobody is asked" in screen_text(pilot.app))
            assert "p" not in usable_keys(pilot.app)
            await press(pilot, "p", "escape")
            await reach(pilot, "choose")
        assert server.connections == 0


async def test_what_servers_say_is_never_markup() -> None:
    before = known(examples.MACHINE, Named(), None)
    first, *rest = before.entries
    said = replace(BAD, detail="[/opt/rocm] [bold]x [gfx1010] [ 12%] end")
    told = Known((replace(first, now=said), *rest))
    services = replace(LIVE_SERVICES, sources=Sources(lambda _: told, None, "[/quiet]"))
    async with app_with(services, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "p")
        await until(pilot, lambda: "[/opt/rocm] [bold]x [gfx1010] [" in screen_text(pilot.app))
        assert "[/quiet]" in screen_text(pilot.app)


async def test_without_sources_the_key_does_nothing() -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "p")
        await reach(pilot, "choose")
