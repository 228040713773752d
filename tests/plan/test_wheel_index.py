"""The wheels of a plan are found, on an index or in a folder; what is gone is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plan.index_servers import stocked
from tests.plan.wheels_asked import WHEELS, Standing, answer_of, wheels_at
from tests.run.server import Manner, WheelServer

pytestmark = pytest.mark.usefixtures("plain_network")


def test_an_index_that_lists_every_wheel_has_them_and_nothing_is_fetched() -> None:
    with WheelServer() as server:
        found = answer_of(wheels_at(stocked(server, WHEELS)))
        heads = [path for method, path, _ in server.served.requests if method == "HEAD"]
    assert found.standing is Standing.LISTED
    assert heads == [f"/files/{WHEELS[0]}"]
    assert server.sent() == 0


def test_where_an_index_lacks_one_of_them_that_one_is_named() -> None:
    with WheelServer() as server:
        others = (*WHEELS[:2], "torchaudio-2.2.2+rocm5.7-cp310-cp310-linux_x86_64.whl")
        found = answer_of(wheels_at(stocked(server, others)))
    assert found.standing is Standing.GONE
    assert "torchaudio==0.13.1+rocm5.2" in found.detail
    assert "other wheels for this package" in found.detail


def test_wheels_for_another_python_do_not_count() -> None:
    with WheelServer() as server:
        found = answer_of(wheels_at(stocked(server, WHEELS), "3.12"))
    assert found.standing is Standing.GONE
    assert "for Python 3.12" in found.detail


@pytest.mark.parametrize(
    ("manner", "standing"),
    [
        (Manner(status=404), Standing.GONE),
        (Manner(status=503), Standing.NOT_ASKED),
        (Manner(head=False), Standing.LISTED),
        (Manner(status=403), Standing.LISTED),
    ],
    ids=("gone", "in trouble", "knows no HEAD", "refuses HEAD"),
)
def test_a_file_that_is_listed_is_asked_for_by_head(manner: Manner, standing: Standing) -> None:
    with WheelServer() as server:
        index = stocked(server, WHEELS)
        server.put(f"/files/{WHEELS[0]}", b"", manner)
        found = answer_of(wheels_at(index))
    assert found.standing is standing
    if standing is not Standing.LISTED:
        assert found.detail.startswith(f"{WHEELS[0]} is listed, but")


def test_a_signed_link_is_asked_for_and_told_without_its_key() -> None:
    with WheelServer() as server:
        index = stocked(server, WHEELS)
        body, manner = server.served.files["/simple/torch/"]
        server.put("/simple/torch/", body.replace(b"#sha256", b"?key=geheim#sha256"), manner)
        found = answer_of(wheels_at(index))
        asked = [path for method, path, _ in server.served.requests if method == "HEAD"]
    assert asked == [f"/files/{WHEELS[0]}?key=geheim"]
    assert found.standing is Standing.GONE
    assert "geheim" not in found.detail


def test_an_index_behind_a_login_is_asked_with_it_and_shown_without_it() -> None:
    with WheelServer() as server:
        index = stocked(server, WHEELS)
        login = Manner(login="Basic bWU6Z2VoZWlt", content_type="text/html")
        for path, (body, _) in list(server.served.files.items()):
            server.put(path, body, login)
        question = wheels_at(index.replace("http://", "http://me:geheim@"))
        found, refused = answer_of(question), answer_of(wheels_at(index))
    assert found.standing is Standing.LISTED
    assert refused.standing is Standing.NOT_ASKED
    assert "geheim" not in found.detail + refused.detail


def test_a_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with WheelServer() as proxy:
        stocked(proxy, WHEELS, "http://index.example/simple")
        for path, (body, manner) in list(proxy.served.files.items()):
            page = body.replace(b"../../files", b"http://index.example/files")
            proxy.put(path, page, manner)
        for wheel in WHEELS:
            proxy.put(f"http://index.example/files/{wheel}", b"")
        monkeypatch.setenv("http_proxy", proxy.url("/"))
        found = answer_of(wheels_at("http://index.example/simple"))
    assert found.standing is Standing.LISTED, found


def test_a_folder_of_wheels_is_looked_into_without_any_network(tmp_path: Path) -> None:
    question = wheels_at(str(tmp_path), in_folder=True)
    assert answer_of(question).standing is Standing.GONE
    for wheel in WHEELS:
        (tmp_path / wheel).touch()
    assert answer_of(question).standing is Standing.LISTED
    gone = answer_of(wheels_at(str(tmp_path / "gone"), in_folder=True))
    assert gone.standing is Standing.GONE
    assert "No such file" in gone.detail
