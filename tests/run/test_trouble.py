"""What uv and torch really print when they fail, and what we make of it.

The texts come from uv 0.13, made to fail; shortened.
"""

from __future__ import annotations

import re

import pytest

from wizard.core.trouble import KNOWN, explained

UV_CONFLICT = """\
error: No solution found when resolving dependencies
  cause: Because all versions of torchvision depend on torch==1.13.1 and you require torch==2.0.0, \
we can conclude that your requirements and all versions of torchvision are incompatible.
"""

UV_WRONG_HASH = f"""\
Using Python 3.11.7 environment at: v
Resolved 2 packages in 4ms
error: Failed to download `small==1.0`
  cause: Hash mismatch for `small==1.0`

         Expected:
           sha256:{"0" * 64}

         Computed:
           sha256:495b43a5786b08cefae16f73ddccf7cc0a97ade2cb0db3d1a8052140fbd08a9e
"""

UV_OTHER_PYTHON = """\
error: No solution found when resolving dependencies
  cause: Because small==1.0 has no wheels with a matching Python ABI tag (e.g., `cp311`) and you \
require small==1.0, we can conclude that your requirements are unsatisfiable.

hint: You require CPython 3.11 (`cp311`), but we only found wheels for `small` (v1.0) with the \
following Python ABI tag: `cp38`
"""

UV_LOCK = """\
Using CPython 3.10.13 interpreter at: /v/bin/python3.10
error: No solution found when resolving dependencies for split (markers: implementation_name == \
'cpython' and platform_machine == 'x86_64' and sys_platform == 'linux')
  cause: {}
"""

UV_CHAIN = UV_LOCK.format(
    "Because a==1 requires Python >=3.12 and b depends on c, we can conclude that d.\n"
    "         And because e, we can conclude that f.\n"
    "         And because g, we can conclude that h."
)

UV_FETCH = """\
error: Failed to fetch: https://a.example/simple/numpy/
  cause: error sending request for url (https://a.example/simple/numpy/)
  cause: {}
"""

UV_DNS = """\
error: Request failed after 3 retries in 10.9s
  cause: Failed to fetch: https://no-such-host.invalid/simple/torch/
  cause: client error (Connect)
  cause: dns error
  cause: failed to lookup address information: Name or service not known
"""

UV_REFUSED = """\
error: Failed to install cpython-3.10.22-linux-x86_64-gnu
  cause: Failed to download `http://127.0.0.1:9/cpython-3.10.22.tar.gz`
  cause: tcp connect error
  cause: Connection refused (os error 111)
"""

UNKNOWN = "was not found: DNS returned no address."

MESSAGES: list[tuple[str, str]] = [
    (UV_CONFLICT, "The requested versions conflict."),
    (UV_CHAIN, "The requested versions conflict."),
    (
        UV_FETCH.format(
            "client error (Connect)\n  cause: dns error\n  cause: failed to lookup address "
            "information: Temporary failure in name resolution"
        ),
        "a.example was not found: no name server answered.",
    ),
    (
        UV_WRONG_HASH,
        f"small==1.0 has the wrong SHA-256: expected {'0' * 64}, "
        "got 495b43a5786b08cefae16f73ddccf7cc0a97ade2cb0db3d1a8052140fbd08a9e.",
    ),
    (UV_OTHER_PYTHON, "small==1.0 has no wheel for this Python and machine."),
    (
        UV_LOCK.format(
            "Because onlywin==1.0 has no `implementation_name == 'cpython' and platform_machine == "
            "'x86_64' and sys_platform == 'linux'`-compatible wheels and only onlywin==1.0 is "
            "available, we can conclude that all versions of onlywin cannot be used."
        ),
        "onlywin==1.0 has no wheel for this Python and machine.",
    ),
    (
        UV_LOCK.format(
            "Because big==1.0 has an invalid package format and only big==1.0 is available, we can "
            "conclude that all versions of big cannot be used."
        ),
        "This wheel cannot be read: big==1.0.",
    ),
    (
        "error: Failed to unzip wheel: big-1.0-py3-none-any.whl\n"
        "  cause: unable to locate the end of central directory record\n",
        "This wheel cannot be read: big-1.0-py3-none-any.whl.",
    ),
    (
        UV_LOCK.format(
            "Because src==1.0 has no usable wheels and only src==1.0 is available, we can conclude "
            "that all versions of src cannot be used."
        ),
        "src==1.0 has no wheel for this Python and machine, only its source code.",
    ),
    (
        UV_LOCK.format(
            "Because newpy==1.0 requires Python >=3.12 and only newpy==1.0 is available, we can "
            "conclude that all versions of newpy cannot be used."
        ),
        "newpy==1.0 needs Python >=3.12.",
    ),
    (
        UV_LOCK.format(
            "Because nosuch was not found in the package registry and your project depends on "
            "nosuch, we can conclude that your project's requirements are unsatisfiable."
        ),
        "nosuch was not found on the package index.",
    ),
    (
        UV_LOCK.format(
            "Because there is no version of numpy==3 and your project depends on numpy==3, we can "
            "conclude that your project's requirements are unsatisfiable."
        ),
        "numpy==3 was not found on the package index.",
    ),
    (
        UV_LOCK.format(
            "Because all versions of conf depend on numpy>=2 and your project depends on conf, we "
            "can conclude that your project depends on numpy>=2.\n         And because your "
            "project depends on numpy<2, we can conclude that your project's requirements are "
            "unsatisfiable."
        ),
        "The requested versions conflict.",
    ),
    (
        'error: Unsupported `Content-Type` "application/json" for '
        "`http://127.0.0.1:37709/simple/json/`. Expected JSON or HTML.\n",
        "http://127.0.0.1:37709/simple/json/ is not the page of a package index.",
    ),
    (
        UV_FETCH.format("HTTP status server error (503 Busy) for url (https://a.example/numpy/)"),
        "a.example responded with an HTTP error: 503 Busy.",
    ),
    (
        UV_FETCH.format("client error (Connect)\n  cause: tunnel error: unsuccessful"),
        "The proxy could not be reached, or refused the connection.",
    ),
    (
        UV_FETCH.format(
            "client error (Connect)\n  cause: tunnel error: proxy authorization required"
        ),
        "The proxy needs a login.",
    ),
    (
        UV_FETCH.format(
            "client error (Connect)\n  cause: received corrupt message of type InvalidContentType"
        ),
        "a.example did not answer in TLS.",
    ),
    (
        UV_FETCH.format("client error (Connect)\n  cause: invalid peer certificate: UnknownIssuer"),
        "The certificate of a.example was not accepted.",
    ),
    (
        UV_FETCH.format("operation timed out"),
        "The connection was lost, or the server did not answer in time.",
    ),
    (
        UV_FETCH.format(
            "client error (SendRequest)\n  cause: connection closed before message completed"
        ),
        "The connection was lost, or the server did not answer in time.",
    ),
    (
        "error: Failed to initialize cache at `/full/.tmpkTyAM0`\n  cause: failed to open file "
        "`/full/.tmpkTyAM0/.gitignore`: No space left on device (os error 28)\n",
        "The disk is full.",
    ),
    (
        "error: No solution found when resolving dependencies\n"
        "  cause: Because small was not found in the provided package locations and you require "
        "small==1.0, we can conclude that your requirements are unsatisfiable.\n",
        "small is no longer in the download folder.",
    ),
    (
        "error: Failed to download `big==2.0+cpu`\n"
        "  cause: Failed to extract archive: big-2.0+cpu-py3-none-any.whl\n"
        "  cause: Bad uncompressed size (got 000f41e5, expected 055d4a80) for file: big/data.bin\n",
        "The downloaded file is not a wheel.",
    ),
    (
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n",
        "The disk is full.",
    ),
    (
        "error: Failed to install: numpy-1.26.4-py3-none-any.whl (numpy==1.26.4)\n"
        "  cause: failed to copy file from /a to /b: No space left on device (os error 28)\n",
        "The disk is full.",
    ),
    (
        "error: Failed to download `big==2.0+cpu`\n"
        "  cause: Failed to extract archive: big-2.0+cpu-py3-none-any.whl\n"
        "  cause: I/O operation failed during extraction\n"
        "  cause: failed to write to file `/full/c/.tmpfeKvgG/big/data.bin`: No space left on "
        "device (os error 28)\n",
        "The disk is full.",
    ),
    (UV_REFUSED, "Cannot connect to 127.0.0.1: Connection refused."),
    (UV_DNS, f"no-such-host.invalid {UNKNOWN}"),
    (
        "cause: dns error: failed to lookup address information: Name or service not known\n",
        f"A server {UNKNOWN}",
    ),
    (
        "error: Failed to install cpython-3.10.22-linux-x86_64-gnu\n"
        "  cause: failed to query metadata of file `/media/stick/python/20261009/cpython-3.10.22+"
        "20261009-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz`: No such file or "
        "directory (os error 2)\n",
        "uv looks for a Python that does not exist: "
        "/media/stick/python/20261009/cpython-3.10.22+20261009-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz.",
    ),
    (
        "error: No interpreter found at path `/no/such/python3`\n",
        "There is no Python at /no/such/python3.",
    ),
    (
        "error: Failed to inspect Python interpreter from provided path at `/bin/true`\n  cause: "
        "Querying Python at `/bin/true` returned an invalid response: EOF while parsing a value\n",
        "/bin/true is not a Python that works.",
    ),
    (
        "error: No download found for request: cpython-3.99-linux-x86_64-gnu\n",
        "uv does not know this Python: cpython-3.99-linux-x86_64-gnu.",
    ),
    (
        "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.1.0 as it may crash.",
        "torch was built for NumPy 1, and NumPy 2 is installed.",
    ),
    (
        "ImportError: libamdhip64.so: cannot enable executable stack as shared object requires: "
        "Invalid argument\n",
        "glibc refuses to load a library of this torch: the library asks for an executable stack.",
    ),
    (
        "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: "
        "'/opt/v/lib'\n",
        "A file or folder could not be created or changed.",
    ),
    (
        "error: Failed to install: small-1.0-py3-none-any.whl (small==1.0)\n"
        "  cause: Failed to create directory `/v/lib/python3.11/site-packages/small`\n"
        "  cause: failed to create directory "
        "`/v/lib/python3.11/site-packages/small-1.0.dist-info`: Permission denied (os error 13)\n",
        "A file or folder could not be created or changed.",
    ),
    (
        "error: Failed to initialize cache at `/v/.rdna1-setup-uv`\n"
        "  cause: failed to create directory `/v/.rdna1-setup-uv`: Read-only file system (os error "
        "30)\n",
        "A file or folder could not be created or changed.",
    ),
]


@pytest.mark.parametrize(("output", "happened"), MESSAGES, ids=[text for _, text in MESSAGES])
def test_a_known_failure_is_told_in_plain_words(output: str, happened: str) -> None:
    trouble = explained(output, 1)
    assert trouble.happened == happened
    assert trouble.meaning.endswith(".")
    assert trouble.next_step.endswith(".")


@pytest.mark.parametrize("output", [text for text, told in MESSAGES if "not found: " in told])
def test_a_name_that_was_not_found_claims_nothing_of_the_rest_of_the_internet(output: str) -> None:
    trouble = explained(output, 1)
    assert "no internet" not in trouble.meaning
    hosts = re.split(" w(?:as|ere) not found", trouble.happened)[0]
    named = "" if hosts == "A server" else f"`getent hosts {hosts.replace(',', '')}`"
    assert named in trouble.next_step
    assert ("getent" in trouble.next_step) is bool(named)


def test_the_whole_chain_of_a_long_conflict_is_told() -> None:
    trouble = explained(UV_CHAIN, 1)
    assert trouble.happened == "The requested versions conflict."
    assert trouble.meaning.endswith("And because g, we can conclude that h.")


def test_an_unknown_failure_repeats_the_programs_last_words() -> None:
    trouble = explained("Collecting torch\nERROR: the moon is full\nnote: see below\n", 3)
    assert trouble.happened == "The program ended with exit code 3: ERROR: the moon is full"


def test_without_an_error_line_the_last_lines_count() -> None:
    assert explained("one\ntwo\n\nthree\nfour\n", 1).happened.endswith(": two / three / four")


def test_silence_and_signals_are_told_too() -> None:
    assert explained("", -6).happened == "The program was ended by signal 6 without any output."


def test_a_killed_program_needs_memory_and_its_last_words_say_nothing_of_it() -> None:
    trouble = explained("Using Python 3.11.7 environment at: v\nResolved 29 packages in 2ms", -9)
    assert trouble.happened == "The program was killed (signal 9)."
    assert "memory" in trouble.meaning


def test_a_login_in_the_output_is_not_repeated() -> None:
    output = "ERROR: 404 Client Error: Not Found for url: https://me:geheim@host/a.whl\n"
    assert "geheim" not in explained(output, 1).happened
    assert "geheim" not in explained("ERROR: odd https://me:geheim@host/\n", 1).happened


def test_every_entry_of_the_catalogue_can_be_reached() -> None:
    texts = [output for output, _ in MESSAGES]
    unused = [
        known.happened for known in KNOWN if not any(known.pattern.search(text) for text in texts)
    ]
    assert unused == []
