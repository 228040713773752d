"""Choosing versions: what uv is asked, and what is made of its answer and of its failures."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.operations.resolving import HERE, STACK, TARGET, Asked, asked, resolved, tagged
from tests.run.server import Manner, WheelIndex, make_stand_ins
from tests.run.wheels import make_wheel, sha256_of
from wizard.core.trouble import Trouble
from wizard.host.environment import Target
from wizard.host.pip_settings import PipSettings
from wizard.operations.uv_project import project_text, settings_text

__all__ = ["asked"]


@pytest.fixture
def torches(tmp_path: Path) -> Iterator[WheelIndex]:
    with WheelIndex(make_stand_ins(tmp_path / "torches"), hashes=False, metadata=True) as index:
        yield index


@pytest.fixture
def house(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    make_wheel(folder, "pip", "25.0", {})
    make_wheel(folder, "numpy", "1.26.0", {})
    make_wheel(folder, "numpy", "2.1.0", {})
    make_wheel(folder, "typing-extensions", "4.9.0", {})
    return folder


@pytest.fixture
def packages(house: Path) -> Iterator[WheelIndex]:
    with WheelIndex(house.glob("*.whl"), metadata=True) as index:
        yield index


def test_torch_comes_from_its_own_index_and_the_rest_from_pip_s(
    asked: Asked, torches: WheelIndex, packages: WheelIndex, house: Path
) -> None:
    wish = asked.but(index=torches.simple)

    wheels, _ = resolved(wish, PipSettings(index=packages.simple))

    numbers = {name: wheel.version for name, wheel in wheels.items()}
    assert numbers == {
        "torch": "1.13.1+rocm5.2",
        "torchvision": "0.14.1+rocm5.2",
        "numpy": "1.26.0",
        "pip": "25.0",
        "typing-extensions": "4.9.0",
    }
    file = "torch-1.13.1+rocm5.2-py3-none-any.whl"
    assert wheels["torch"].address == torches.url(f"/files/{file}").replace("+", "%2B")
    assert (wheels["torch"].file, wheels["torch"].sha256) == (file, "")
    assert wheels["numpy"].sha256 == sha256_of(house / wheels["numpy"].file)
    assert torches.sent() + packages.sent() == 0, "a wheel was downloaded"


def test_an_index_that_has_everything_stands_for_the_package_index(
    asked: Asked, torches: WheelIndex, packages: WheelIndex
) -> None:
    wish = asked.but(index=torches.simple, index_replaces_pypi=True)

    wheels, _ = resolved(wish, PipSettings(index=packages.simple))

    assert wheels["numpy"].version == "1.26.4"
    assert wheels["pip"].address.startswith(packages.url("/files/"))
    others = [each.address for each in wheels.values() if each.name != "pip"]
    assert all(address.startswith(torches.url("/files/")) for address in others)


def test_without_an_index_of_ours_pip_s_extra_indexes_and_links_serve(
    asked: Asked, torches: WheelIndex, house: Path, tmp_path: Path
) -> None:
    links = tmp_path / "links"
    make_wheel(links, "numpy", "1.26.3", {})
    with WheelIndex([], metadata=True) as empty, WheelIndex(house.glob("pip*")) as extra:
        settings = PipSettings(empty.simple, (extra.simple, torches.simple), (str(links),))
        wheels, _ = resolved(asked.but(*STACK, "numpy<1.26.4"), settings)

    assert wheels["torch"].version == "1.13.1+rocm5.2"
    assert wheels["numpy"].address == (links / wheels["numpy"].file).as_uri()
    assert wheels["pip"].address.startswith(extra.url("/files/"))


def test_the_highest_version_is_taken_whichever_index_has_it(
    asked: Asked, torches: WheelIndex, packages: WheelIndex
) -> None:
    wish = asked.but("numpy<2", "typing-extensions")

    wheels, _ = resolved(wish, PipSettings(packages.simple, (torches.simple,)))

    assert {name: wheel.version for name, wheel in wheels.items()} == {
        "numpy": "1.26.4",
        "typing-extensions": "4.12.2",
    }


def test_a_folder_of_wheels_needs_no_network_and_none_of_pip_s_settings(
    asked: Asked, tmp_path: Path, house: Path
) -> None:
    make_stand_ins(house)
    away = PipSettings("http://127.0.0.1:9/simple", constraints=("numpy==7",), proxy="127.0.0.1:9")
    wish = asked.but(wheelhouse=str(house), index="http://127.0.0.1:9/torch")

    wheels, _ = resolved(wish, away)

    torch = house / "torch-1.13.1+rocm5.2-py3-none-any.whl"
    assert wheels["torch"].address == torch.as_uri()
    assert wheels["numpy"].version == "1.26.4"


def test_pip_s_no_index_leaves_its_links_alone(asked: Asked, house: Path) -> None:
    make_stand_ins(house)
    settings = PipSettings("http://127.0.0.1:9", find_links=(str(house),), no_index=True)

    wheels, _ = resolved(asked.but(index="http://127.0.0.1:9/torch"), settings)

    assert len(wheels) == 5


def test_pip_s_constraints_limit_the_versions(asked: Asked, packages: WheelIndex) -> None:
    wish = asked.but("numpy")

    wheels, _ = resolved(wish, PipSettings(packages.simple, constraints=("numpy<2",)))

    assert wheels["numpy"].version == "1.26.0"


@pytest.mark.parametrize(("prereleases", "version"), [(False, "2.1.0"), (True, "3.0rc1")])
def test_versions_before_a_release_come_where_pip_takes_them(
    asked: Asked, house: Path, prereleases: bool, version: str
) -> None:
    make_wheel(house, "numpy", "3.0rc1", {})
    with WheelIndex(house.glob("*.whl"), metadata=True) as index:
        settings = PipSettings(index.simple, prereleases=prereleases)
        wheels, _ = resolved(asked.but("numpy"), settings)

    assert wheels["numpy"].version == version


def test_logins_reach_every_server_and_no_file(
    asked: Asked, torches: WheelIndex, house: Path
) -> None:
    login = "Basic " + base64.b64encode(b"me:p@ss/word").decode()

    def closed(index: WheelIndex) -> str:
        for path, (body, manner) in index.served.files.items():
            index.served.files[path] = (body, replace(manner, login=login))
        return index.simple.replace("//", "//me:p%40ss%2Fword@")

    with (
        WheelIndex(house.glob("pip*"), metadata=True) as extra,
        WheelIndex(house.glob("typ*"), metadata=True) as packages,
        WheelIndex(()) as linked,
    ):
        numpy = house / "numpy-1.26.0-py3-none-any.whl"
        linked.put("/files/" + numpy.name, numpy.read_bytes())
        page = f'<a href="/files/{numpy.name}">{numpy.name}</a>'.encode()
        linked.put("/links.html", page, Manner(content_type="text/html"))
        closed(linked)
        links = linked.url("/links.html").replace("//", "//me:p%40ss%2Fword@")
        settings = PipSettings(closed(packages), (closed(extra),), (links,))
        wheels, told = resolved(asked.but(index=closed(torches)), settings)
        assert wheels["numpy"].address == linked.url(f"/files/{numpy.name}")

    assert len(wheels) == 5
    written = [path.read_text() for path in Path(asked.work).iterdir() if path.is_file()]
    assert not [text for text in (told, *written) if "p%40ss" in text or "p@ss" in text]


def test_a_login_of_the_netrc_file_is_used(asked: Asked, packages: WheelIndex) -> None:
    login = "Basic " + base64.b64encode(b"me:secret").decode()
    for path, (body, manner) in packages.served.files.items():
        packages.served.files[path] = (body, replace(manner, login=login))
    netrc = Path(asked.work) / ".netrc"
    netrc.parent.mkdir(parents=True)
    netrc.write_text("machine 127.0.0.1 login me password secret\n")

    wheels, _ = resolved(asked.but("pip"), PipSettings(packages.simple))

    assert wheels["pip"].version == "25.0"


def test_nothing_of_the_user_s_own_uv_settings_counts(
    asked: Asked, packages: WheelIndex, tmp_path: Path
) -> None:
    for folder in (tmp_path / "work/.config/uv", tmp_path / "config/uv"):
        folder.mkdir(parents=True)
        (folder / "uv.toml").write_text('no-index = true\nindex-url = "http://127.0.0.1:9"\n')
    environ = {
        "UV_INDEX_URL": "http://127.0.0.1:9",
        "UV_NO_INDEX": "1",
        "UV_RESOLUTION": "lowest",
        "UV_PYTHON": "/nowhere",
        "UV_CONSTRAINT": "/nowhere",
        "PIP_INDEX_URL": "http://127.0.0.1:9",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "VIRTUAL_ENV": "/nowhere",
    }
    wish = asked.but("numpy")

    wheels, _ = resolved(wish, PipSettings(packages.simple), environ)

    assert wheels["numpy"].version == "2.1.0"


def test_a_second_choice_is_made_anew(asked: Asked, house: Path) -> None:
    wish = asked.but("numpy")
    with WheelIndex(house.glob("*.whl"), metadata=True) as index:
        resolved(wish, PipSettings(index.simple, constraints=("numpy<2",)))
        wheels, _ = resolved(wish, PipSettings(index.simple))

    assert wheels["numpy"].version == "2.1.0"


@pytest.mark.parametrize(
    ("glibc", "tag"),
    [
        ("2.36", f"{HERE}-{HERE}-manylinux_2_28_x86_64"),
        ("2.17", f"{HERE}-{HERE}-manylinux_2_5_x86_64"),
        ("", f"{HERE}-{HERE}-manylinux_2_99_x86_64"),
    ],
)
def test_the_best_wheel_for_this_python_and_c_library_is_taken(
    asked: Asked, house: Path, glibc: str, tag: str
) -> None:
    own = ("2_99_x86_64", "2_28_x86_64", "2_5_x86_64", "2_5_aarch64")
    for each in (*(f"{HERE}-{HERE}-manylinux_{name}" for name in own), f"{HERE}-{HERE}-win_amd64"):
        tagged(make_wheel(house, "many", "1.0", {}), each)
    for each in ("py3-none-any", f"{HERE}-abi3-manylinux_2_17_x86_64", "cp39-cp39-linux_x86_64"):
        tagged(make_wheel(house, "many", "1.0", {}), each)
    wish = asked.but("many", wheelhouse=str(house))

    wheels, _ = resolved(wish, PipSettings(), target=replace(TARGET, glibc=glibc))

    assert wheels["many"].file == f"many-1.0-{tag}.whl"


def test_a_version_whose_wheels_are_too_new_gives_way_to_an_older_one(
    asked: Asked, house: Path
) -> None:
    tagged(make_wheel(house, "modern", "3.0", {}), "py3-none-manylinux_2_98_x86_64")
    tagged(make_wheel(house, "modern", "2.0", {}), "py3-none-manylinux_2_97_x86_64")
    tagged(make_wheel(house, "modern", "1.0", {}), "py3-none-manylinux_2_5_x86_64")
    wish = asked.but("modern", wheelhouse=str(house))

    wheels, told = resolved(wish, PipSettings())

    assert wheels["modern"].version == "1.0"
    assert "modern 3.0 has no wheel for this Python and computer. Looking for another" in told


@pytest.mark.parametrize("wanted", ["modern", "modern==3.0"])
def test_where_no_version_has_a_wheel_that_fits_the_first_is_named(
    asked: Asked, house: Path, wanted: str
) -> None:
    tagged(make_wheel(house, "modern", "3.0", {}), "py3-none-manylinux_2_98_x86_64")
    wish = asked.but(wanted, wheelhouse=str(house))

    with pytest.raises(Trouble) as trouble:
        resolved(wish, PipSettings())

    assert trouble.value.happened.startswith("modern 3.0 has no wheel for this Python and computer")
    assert "modern-3.0-py3-none-manylinux_2_98_x86_64.whl" in trouble.value.meaning


@pytest.mark.parametrize("wanted", ["absent", "numpy==7"])
def test_what_a_folder_of_wheels_lacks_is_named(asked: Asked, house: Path, wanted: str) -> None:
    wish = asked.but(wanted, wheelhouse=str(house))

    with pytest.raises(Trouble) as trouble:
        resolved(wish, PipSettings())

    assert trouble.value.happened == f"{house} has no suitable wheel for {wanted}."


def test_what_pip_s_links_lack_is_named_where_it_uses_no_index(asked: Asked, house: Path) -> None:
    settings = PipSettings(find_links=(str(house),), no_index=True)

    with pytest.raises(Trouble) as trouble:
        resolved(asked.but("absent"), settings)

    assert trouble.value.happened == f"{house} has no suitable wheel for absent."
    assert "no-index" in trouble.value.meaning


def test_the_files_for_uv_are_as_review_shows_them(asked: Asked) -> None:
    settings = PipSettings(
        "https://me:secret@pypi.example/simple",
        ("https://extra.example/simple",),
        ("/srv/wheels",),
        trusted_hosts=("extra.example:8443",),
        keyring=True,
        prereleases=True,
        constraints=("scipy<2",),
    )
    index = "https://stable.repo.amd.com/rocm/whl-next/"
    wanted = (STACK[0], "pip")
    wish = asked.but(*wanted, index=index, index_replaces_pypi=True)

    assert project_text(wish.manifest, Target("3.10.13", "2.36"), settings) == (
        "[project]\n"
        'name = "rdna1-setup-environment"\n'
        'version = "0"\n'
        'requires-python = "==3.10.13"\n'
        'dependencies = ["torch==1.13.1+rocm5.2", "pip"]\n'
        "\n"
        "[tool.uv]\n"
        "package = false\n"
        "environments = [\"sys_platform == 'linux' and platform_machine == 'x86_64' and "
        "implementation_name == 'cpython'\"]\n"
        'constraint-dependencies = ["scipy<2"]\n'
        "\n"
        "[tool.uv.sources]\n"
        'pip = { index = "packages" }\n'
        "\n"
        "[[tool.uv.index]]\n"
        'name = "packages"\n'
        'url = "https://pypi.example/simple"\n'
        "explicit = true\n"
    )
    assert settings_text(wish.manifest, settings) == (
        "no-build = true\n"
        'index-strategy = "unsafe-best-match"\n'
        'find-links = ["/srv/wheels"]\n'
        'prerelease = "allow"\n'
        'keyring-provider = "subprocess"\n'
        'allow-insecure-host = ["extra.example:8443"]\n'
        "\n"
        "[[index]]\n"
        'name = "torch"\n'
        'url = "https://stable.repo.amd.com/rocm/whl-next/"\n'
        "ignore-error-codes = [403]\n"
        "default = true\n"
        "\n"
        "[[index]]\n"
        'name = "extra-1"\n'
        'url = "https://extra.example/simple"\n'
    )


def test_the_files_that_uv_reads_are_told_whole_and_once(asked: Asked, house: Path) -> None:
    wanted = asked.but("pip", wheelhouse=str(house))
    for told in (True, False):  # the same files need no second word
        said = resolved(wanted, PipSettings())[1].splitlines()
        for name in ("pyproject.toml", "uv.toml"):
            text = (asked.work / "resolve" / name).read_text()
            lines = [f"| {line}" for line in text.splitlines()]
            assert (f"{asked.work}/resolve/{name}:" in said) == told
            assert all(line in said for line in lines) == told
