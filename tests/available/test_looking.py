"""What is there is found: on an index, in a folder of wheels, in a repository."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.available.asked import WHEELS, answer_of, suites_at, wheels_at
from tests.available.servers import stocked
from tests.run.server import Manner, WheelServer
from wizard.available.answers import Standing

SIGNED = b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nOrigin: repo.radeon.com\n"
PLAIN = b"Origin: repo.radeon.com\nSuite: ubuntu\n"


def test_an_index_that_lists_every_wheel_is_there_and_they_are_named() -> None:
    with WheelServer() as server:
        found = answer_of(wheels_at(stocked(server, WHEELS)))
        heads = [path for method, path, _ in server.served.requests if method == "HEAD"]
    assert found.standing is Standing.THERE
    assert all(wheel in found.detail for wheel in WHEELS)
    assert heads == [f"/files/{WHEELS[0]}"]
    assert server.sent() == 0


def test_an_index_without_one_of_them_is_not_there_and_that_one_is_named() -> None:
    with WheelServer() as server:
        others = (*WHEELS[:2], "torchaudio-2.2.2+rocm5.7-cp310-cp310-linux_x86_64.whl")
        found = answer_of(wheels_at(stocked(server, others)))
    assert found.standing is Standing.ABSENT
    assert "torchaudio==0.13.1+rocm5.2" in found.detail
    assert "Other wheels of it are there" in found.detail


def test_wheels_of_the_same_name_for_other_hardware_are_not_taken_for_native_ones() -> None:
    native = replace(wheels_at(""), requirements=("torch[device-gfx1010]", "torchaudio"))
    pypi = ("torch-2.15.0-cp310-cp310-linux_x86_64.whl", "torchaudio-2.1-py3-none-any.whl")
    amd = tuple(
        wheel.replace("-", "+rocm7.14.0-", 2).replace("+rocm7.14.0", "", 1) for wheel in pypi
    )
    with WheelServer() as server:
        found = answer_of(replace(native, place=stocked(server, pypi, "/pypi")))
        own = answer_of(replace(native, place=stocked(server, amd, "/amd")))
    assert found.standing is Standing.ABSENT
    assert "with ROCm in its version" in found.detail
    assert own.standing is Standing.THERE
    assert "Whether they have device-gfx1010 inside, pip will tell." in own.detail


def test_wheels_for_another_python_are_not_there() -> None:
    with WheelServer() as server:
        found = answer_of(wheels_at(stocked(server, WHEELS), "3.12"))
    assert found.standing is Standing.ABSENT
    assert "for Python 3.12" in found.detail


@pytest.mark.parametrize(
    ("manner", "standing"),
    [
        (Manner(status=404), Standing.ABSENT),
        (Manner(status=503), Standing.FAILING),
        (Manner(head=False), Standing.THERE),
        (Manner(status=403), Standing.THERE),
    ],
    ids=("gone", "in trouble", "knows no HEAD", "refuses HEAD"),
)
def test_a_file_that_is_listed_is_asked_for_by_head(manner: Manner, standing: Standing) -> None:
    with WheelServer() as server:
        index = stocked(server, WHEELS)
        server.put(f"/files/{WHEELS[0]}", b"", manner)
        found = answer_of(wheels_at(index))
    assert found.standing is standing
    if standing is not Standing.THERE:
        assert found.detail.startswith(f"{WHEELS[0]} is listed, but")


def test_a_signed_link_is_asked_for_and_told_without_its_key() -> None:
    with WheelServer() as server:
        index = stocked(server, WHEELS)
        body, manner = server.served.files["/simple/torch/"]
        server.put("/simple/torch/", body.replace(b"#sha256", b"?key=geheim#sha256"), manner)
        found = answer_of(wheels_at(index))
        asked = [path for method, path, _ in server.served.requests if method == "HEAD"]
    assert asked == [f"/files/{WHEELS[0]}?key=geheim"]
    assert found.standing is Standing.ABSENT
    assert "geheim" not in found.detail


def test_an_index_behind_a_login_is_asked_with_it_and_shown_without_it() -> None:
    with WheelServer() as server:
        index = stocked(server, WHEELS)
        login = Manner(login="Basic bWU6Z2VoZWlt", content_type="text/html")
        for path, (body, _) in list(server.served.files.items()):
            server.put(path, body, login)
        question = wheels_at(index.replace("http://", "http://me:geheim@"))
        found, refused = answer_of(question), answer_of(wheels_at(index))
    assert found.standing is Standing.THERE
    assert refused.standing is Standing.REFUSED
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
    assert found.standing is Standing.THERE, found


def test_a_folder_of_wheels_is_looked_into_without_any_network(tmp_path: Path) -> None:
    question = wheels_at(str(tmp_path), in_folder=True)
    assert answer_of(question).standing is Standing.ABSENT
    for wheel in WHEELS:
        (tmp_path / wheel).touch()
    assert answer_of(question).standing is Standing.THERE
    gone = answer_of(wheels_at(str(tmp_path / "gone"), in_folder=True))
    assert gone.standing is Standing.ABSENT
    assert "No such file" in gone.detail


def test_an_index_in_a_folder_is_read_too(tmp_path: Path) -> None:
    question = wheels_at(f"file://{tmp_path}/simple")
    assert answer_of(question).standing is Standing.ABSENT
    for wheel in WHEELS:
        page = tmp_path / "simple" / wheel.partition("-")[0] / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text(f'<a href="{wheel}">{wheel}</a>')
    assert answer_of(question).standing is Standing.THERE


def test_where_pip_decides_nobody_is_asked() -> None:
    assert answer_of(wheels_at("")).standing is Standing.NOT_ASKED


@pytest.mark.parametrize(
    ("file", "body"),
    [("InRelease", SIGNED), ("Release", PLAIN), ("InRelease", b"\n" + SIGNED)],
)
@pytest.mark.parametrize("suite", ["ubuntu", "focal"])
def test_the_first_suite_that_a_repository_has_is_named(suite: str, file: str, body: bytes) -> None:
    with WheelServer() as server:
        server.put(f"/5.2/dists/{suite}/{file}", body)
        found = answer_of(suites_at(server.url("/5.2")))
    assert found.standing is Standing.THERE
    assert found.detail == f"Suite {suite}, by its file {file}."


def test_a_repository_without_the_suite_is_not_there_and_a_refused_one_is_refused() -> None:
    with WheelServer() as server:
        assert answer_of(suites_at(server.url("/5.2"))).standing is Standing.ABSENT
        server.put("/5.2/dists/ubuntu/InRelease", b"", Manner(status=403))
        server.put("/5.2/dists/ubuntu/Release", b"", Manner(status=403))
        assert answer_of(suites_at(server.url("/5.2"))).standing is Standing.REFUSED
        server.put("/5.2/dists/focal/InRelease", SIGNED)
        assert answer_of(suites_at(server.url("/5.2"))).standing is Standing.THERE


def test_a_repository_in_a_folder_is_looked_into(tmp_path: Path) -> None:
    question = suites_at(f"file://{tmp_path}/5.2")
    assert answer_of(question).standing is Standing.ABSENT
    release = tmp_path / "5.2" / "dists" / "ubuntu" / "InRelease"
    release.parent.mkdir(parents=True)
    release.write_bytes(SIGNED)
    assert answer_of(question).standing is Standing.THERE


def test_what_is_no_release_is_something_else() -> None:
    with WheelServer() as server:
        server.put("/5.2/dists/ubuntu/InRelease", b"<html>welcome</html>")
        found = answer_of(suites_at(server.url("/5.2")))
    assert found.standing is Standing.OTHER
