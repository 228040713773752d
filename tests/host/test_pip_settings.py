"""What pip is configured to use: each setting that decides what is installed, and from where."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.trouble import Trouble
from wizard.host.live import LiveHost
from wizard.host.pip_settings import PYPI, PipSettings, pip_settings
from wizard.machine.recorded import RecordedHost

USER = "/home/owner/.config/pip/pip.conf"
MIRROR = "https://mirror.example/simple"
CERTIFICATES = {
    "/etc/ssl/company.pem": "",
    "/home/owner/me.pem": "",
    "/etc/ssl/c.pem": "",
    "/etc/ssl/r.pem": "",
    "/me.pem": "",
    "/pip.pem": "",
    "/requests.pem": "",
}


def host(folder: Path, files: dict[str, str] | None = None, **environ: str) -> RecordedHost:
    return make(folder, files or {}, environ=environ)


def test_without_any_setting_pip_looks_at_pypi(tmp_path: Path) -> None:
    assert pip_settings(host(tmp_path)) == PipSettings(index=PYPI)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"index-url = {MIRROR}", PipSettings(index=MIRROR)),
        (f"pypi-url = {MIRROR}", PipSettings(index=MIRROR)),
        (f"index_url: {MIRROR}", PipSettings(index=MIRROR)),
        (
            "extra-index-url =\n  https://a.example/simple\n  https://b.example/simple",
            PipSettings(extra_indexes=("https://a.example/simple", "https://b.example/simple")),
        ),
        (
            "find-links = /srv/wheels ~/wheels https://a.example/links.html",
            PipSettings(
                find_links=("/srv/wheels", "/home/owner/wheels", "https://a.example/links.html")
            ),
        ),
        ("no-index = true", PipSettings(no_index=True)),
        ("no-index = off", PipSettings()),
        (
            "proxy = http://u:p@proxy.example:3128",
            PipSettings(proxy="http://u:p@proxy.example:3128"),
        ),
        ("cert = /etc/ssl/company.pem", PipSettings(certificates="/etc/ssl/company.pem")),
        ("client-cert = ~/me.pem", PipSettings(client_certificate="/home/owner/me.pem")),
        (
            "trusted-host = mirror.example other.example:8080",
            PipSettings(trusted_hosts=("mirror.example", "other.example:8080")),
        ),
        ("timeout = 2.6", PipSettings(timeout_s=3)),
        ("default-timeout = 60", PipSettings(timeout_s=60)),
        ("retries = 0", PipSettings(retries=0)),
        ("keyring-provider = subprocess", PipSettings(keyring=True)),
        ("keyring-provider = auto", PipSettings()),
        ("keyring-provider = disabled", PipSettings()),
        ("pre = yes", PipSettings(prereleases=True)),
    ],
)
def test_each_setting_of_a_file_is_followed(
    tmp_path: Path, line: str, expected: PipSettings
) -> None:
    files = {USER: f"[install]\n{line}\n", **CERTIFICATES}

    assert pip_settings(host(tmp_path, files)) == expected


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("PIP_INDEX_URL", MIRROR, PipSettings(index=MIRROR)),
        ("PIP_EXTRA_INDEX_URL", f"{MIRROR} {PYPI}", PipSettings(extra_indexes=(MIRROR, PYPI))),
        ("PIP_FIND_LINKS", "/srv/wheels", PipSettings(find_links=("/srv/wheels",))),
        ("PIP_NO_INDEX", "1", PipSettings(no_index=True)),
        ("PIP_PROXY", "proxy.example:3128", PipSettings(proxy="proxy.example:3128")),
        ("PIP_CERT", "/etc/ssl/c.pem", PipSettings(certificates="/etc/ssl/c.pem")),
        ("REQUESTS_CA_BUNDLE", "/etc/ssl/r.pem", PipSettings(certificates="/etc/ssl/r.pem")),
        ("CURL_CA_BUNDLE", "/etc/ssl/r.pem", PipSettings(certificates="/etc/ssl/r.pem")),
        ("PIP_CLIENT_CERT", "/me.pem", PipSettings(client_certificate="/me.pem")),
        ("PIP_TRUSTED_HOST", "a.example", PipSettings(trusted_hosts=("a.example",))),
        ("PIP_DEFAULT_TIMEOUT", "100", PipSettings(timeout_s=100)),
        ("PIP_RETRIES", "9", PipSettings(retries=9)),
        ("PIP_KEYRING_PROVIDER", "subprocess", PipSettings(keyring=True)),
        ("PIP_PRE", "1", PipSettings(prereleases=True)),
    ],
)
def test_each_variable_is_followed(
    tmp_path: Path, variable: str, value: str, expected: PipSettings
) -> None:
    assert pip_settings(host(tmp_path, CERTIFICATES, **{variable: value})) == expected


def test_pip_s_own_certificates_outrank_those_of_its_library(tmp_path: Path) -> None:
    variables = {"PIP_CERT": "/pip.pem", "REQUESTS_CA_BUNDLE": "/requests.pem"}

    assert pip_settings(host(tmp_path, CERTIFICATES, **variables)).certificates == "/pip.pem"


@pytest.mark.parametrize(
    "variable", ["PIP_CERT", "PIP_CLIENT_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]
)
def test_certificates_that_are_missing_stop_and_are_named(tmp_path: Path, variable: str) -> None:
    with pytest.raises(Trouble) as trouble:
        pip_settings(host(tmp_path, {}, **{variable: "/gone.pem"}))

    assert f"{variable}=/gone.pem. There is no such file." in trouble.value.happened


def test_constraints_are_read_with_the_files_that_they_name(tmp_path: Path) -> None:
    files = {
        USER: "[global]\nconstraint = /etc/limits.txt file:///srv/more.txt\n",
        "/etc/limits.txt": (
            "# ours\nnumpy<2   # old torch\nPillow==9.5 \\\n  --hash=sha256:aa --hash=sha256:bb\n"
            "-c sub/deeper.txt\nrich<${MOST}\n"
        ),
        "/etc/sub/deeper.txt": "scipy<1.12; python_version < '3.11'\n-c ../limits.txt\n",
        "/srv/more.txt": "numpy<2\nrequests[socks]>2\n",
    }

    assert pip_settings(host(tmp_path, files, MOST="15")).constraints == (
        "numpy<2",
        "Pillow==9.5",
        'scipy<1.12; python_version < "3.11"',
        "rich<15",
        "requests[socks]>2",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no /limits.txt"),
        ("torch @ https://a.example/torch.whl\n", "gives an address for torch"),
        ("--index-url https://me:secret@a.example\n", "https://***@a.example"),
        ("-c https://a.example/more.txt\n", "https://a.example/more.txt is not a file"),
        ("!!\n", "a line that cannot be read: !!"),
    ],
)
def test_constraints_that_cannot_be_followed_stop_and_name_the_file(
    tmp_path: Path, text: str | None, words: str
) -> None:
    files = {} if text is None else {"/limits.txt": text}

    with pytest.raises(Trouble) as trouble:
        pip_settings(host(tmp_path, files, PIP_CONSTRAINT="/limits.txt"))

    assert "PIP_CONSTRAINT=/limits.txt" in trouble.value.happened
    assert words in trouble.value.happened
    assert "secret" not in trouble.value.happened


STOPPING = (
    "abi",
    "all-releases",
    "dry-run",
    "editable",
    "group",
    "ignore-requires-python",
    "implementation",
    "no-binary",
    "no-dependencies",
    "no-deps",
    "no-proxy-env",
    "only-dependencies",
    "only-deps",
    "only-final",
    "platform",
    "prefix",
    "python",
    "python-version",
    "require-hashes",
    "requirement",
    "requirements-from-script",
    "root",
    "target",
    "uploaded-prior-to",
    "use-deprecated",
)


@pytest.mark.parametrize("name", STOPPING)
def test_what_uv_has_no_word_for_stops_and_is_named_with_its_file(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(Trouble) as trouble:
        pip_settings(host(tmp_path, {USER: f"[global]\n{name} = 1\n"}))

    assert f"= 1 in {USER}. uv has no such setting." in trouble.value.happened
    assert USER in trouble.value.next_step


@pytest.mark.parametrize("name", STOPPING)
def test_what_uv_has_no_word_for_stops_and_is_named_with_its_variable(
    tmp_path: Path, name: str
) -> None:
    variable = f"PIP_{name.replace('-', '_').upper()}"

    with pytest.raises(Trouble) as trouble:
        pip_settings(host(tmp_path, {}, **{variable: "1"}))

    assert f"{variable}=1." in trouble.value.happened
    assert f"`unset {variable}`" in trouble.value.next_step


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("keyring-provider = import", "Only `subprocess` works"),
        ("no-index = perhaps", "It must be true or false"),
        ("timeout = soon", "It must be a number"),
        ("find-links = wheels", "Its path is not absolute"),
        ("cert = company.pem", "Its path is not absolute"),
        ("some-new-option = 1", "does not know it"),
    ],
)
def test_a_value_that_cannot_be_followed_stops(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(Trouble) as trouble:
        pip_settings(host(tmp_path, {USER: f"[install]\n{line}\n"}))

    assert f"{line} in {USER}. " in trouble.value.happened
    assert words in trouble.value.happened


def test_a_login_in_a_setting_is_not_shown(tmp_path: Path) -> None:
    text = "[install]\nfind-links = wheels https://me:secret@a.example/links\n"

    with pytest.raises(Trouble) as trouble:
        pip_settings(host(tmp_path, {USER: text}))

    assert "https://***@a.example/links" in trouble.value.happened
    assert "secret" not in trouble.value.happened


def test_what_does_not_change_the_packages_is_passed_over(tmp_path: Path) -> None:
    text = (
        "[global]\ncache-dir = /cache\nprogress-bar = off\nquiet = 2\nuser = true\n"
        "break-system-packages = true\ndisable-pip-version-check = 1\nno-binary = :none:\n"
        "require-hashes = false\nformat = columns\n"
        "[download]\nindex-url = https://download.example\n[list]\npre = true\n"
    )
    variables = {"PIP_NO_CACHE_DIR": "1", "PIP_ROOT_USER_ACTION": "ignore", "PIP_VERSION": "25.0"}

    assert pip_settings(host(tmp_path, {USER: text}, **variables)) == PipSettings()


@pytest.mark.parametrize("text", ["index-url = x\n", "[global]\n[global]\n", "[global]\nx\n"])
def test_a_damaged_file_stops_and_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(Trouble) as trouble:
        pip_settings(host(tmp_path, {USER: text}))

    assert f"pip's settings in {USER} cannot be read" in trouble.value.happened


def test_a_file_without_permission_stops_and_is_named(tmp_path: Path) -> None:
    machine = make(tmp_path, {"/etc/pip.conf": ""}, unreadable=["/etc/pip.conf"])

    with pytest.raises(Trouble) as trouble:
        pip_settings(machine)

    assert "/etc/pip.conf" in trouble.value.happened
    assert "permission" in trouble.value.happened


ORDER = (
    "/etc/xdg/pip/pip.conf",
    "/etc/pip.conf",
    "/home/owner/.pip/pip.conf",
    USER,
    "/venv/pip.conf",
    "/own.conf",
)


@pytest.mark.parametrize("path", ORDER)
def test_a_stronger_file_outranks_a_weaker_one(tmp_path: Path, path: str) -> None:
    so_far = ORDER[: ORDER.index(path) + 1]
    files = {each: f"[global]\nindex-url = https://host{each}\n" for each in so_far}
    environ = {"PIP_CONFIG_FILE": "/own.conf"} if path == "/own.conf" else {}

    assert pip_settings(host(tmp_path, files, **environ), "/venv").index == f"https://host{path}"


def test_the_file_of_an_environment_counts_there_alone(tmp_path: Path) -> None:
    machine = host(tmp_path, {"/venv/pip.conf": f"[global]\nindex-url = {MIRROR}\n"})

    assert pip_settings(machine).index == PYPI
    assert pip_settings(machine, "/venv").index == MIRROR


def test_the_folders_of_the_desktop_standard_are_followed(tmp_path: Path) -> None:
    files = {
        "/one/pip/pip.conf": "[global]\nretries = 1\ntimeout = 1\n",
        "/two/pip/pip.conf": "[global]\nretries = 2\n",
        "/mine/pip/pip.conf": f"[global]\nindex-url = {MIRROR}\n",
        USER: "[global]\npre = 1\n",
    }
    environ = {"XDG_CONFIG_DIRS": "/one:/two", "XDG_CONFIG_HOME": "/mine"}

    assert pip_settings(host(tmp_path, files, **environ)) == PipSettings(
        index=MIRROR, retries=2, timeout_s=1
    )


VALUES = """
import json, sys
from pip._internal.commands import create_command
options = create_command("install").parser.parse_args(["x"])[0]
print(json.dumps([
    options.index_url, options.extra_index_urls, options.find_links, options.no_index,
    options.proxy, options.trusted_hosts, options.pre, options.retries, options.timeout,
]))
"""


@pytest.mark.parametrize(
    ("files", "environ"),
    [
        (
            {
                "xdg/pip/pip.conf": "[install]\nindex-url = https://a\npre = 1\n",
                "home/.config/pip/pip.conf": "[global]\nindex-url = https://b\n",
            },
            {},
        ),
        (
            {
                "home/.pip/pip.conf": "[global]\nretries = 7\nfind-links = /a /b\n",
                "home/.config/pip/pip.conf": "[install]\nretries =\n[global]\nfind-links = /c\n",
            },
            {"PIP_TIMEOUT": "", "PIP_NO_INDEX": "true"},
        ),
        (
            {
                "home/.config/pip/pip.conf": "[install]\nindex-url = https://hidden\n",
                "own.conf": "[global]\nextra-index-url = https://e https://f\nproxy = p:1\n",
            },
            {"PIP_CONFIG_FILE": "own.conf", "PIP_TRUSTED_HOST": "h:1 i"},
        ),
        (
            {"home/.config/pip/pip.conf": "[install]\nindex-url = https://hidden\n"},
            {"PIP_CONFIG_FILE": "missing.conf", "PIP_DEFAULT_TIMEOUT": "3"},
        ),
        (
            {"home/.config/pip/pip.conf": "[install]\nindex-url = https://hidden\n"},
            {"PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": "", "PIP_RETRIES": "2"},
        ),
        ({"home/.config/pip/pip.conf": "[install]\nindex-url =\n"}, {"PIP_PRE": "0"}),
    ],
)
def test_the_answers_are_those_of_pip_itself(
    tmp_path: Path, files: dict[str, str], environ: dict[str, str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    variables = {**environ, "HOME": str(home), "XDG_CONFIG_DIRS": str(tmp_path / "xdg")}
    if own := environ.get("PIP_CONFIG_FILE"):
        variables["PIP_CONFIG_FILE"] = str(tmp_path / own)
    here = LiveHost()
    here.environ, here.home = variables, str(home)

    ours = pip_settings(here)

    argv = (sys.executable, "-I", "-c", VALUES)
    said = subprocess.run(argv, env=variables, capture_output=True, text=True, check=True).stdout
    index, extra, links, none, proxy, trusted, pre, retries, timeout = json.loads(said)
    assert (ours.index.rstrip("/"), list(ours.extra_indexes)) == (index.rstrip("/"), extra)
    assert (list(ours.find_links), ours.no_index) == (links, bool(none))
    assert (ours.proxy, list(ours.trusted_hosts)) == (proxy, trusted)
    assert ours.prereleases == bool(pre)
    assert (5 if ours.retries is None else ours.retries) == retries
    assert (15 if ours.timeout_s is None else ours.timeout_s) == timeout
