"""A secret at any place of any text does not survive; a text without any stays as it is."""

from __future__ import annotations

import json
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.report.owners import FULL_NAME, HOST, NEIGHBOUR, USER, ZAPHOD, redacted
from wizard.report.private import Redaction

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def letters(count: int, alphabet: str = LETTERS) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=count, max_size=count)


def _hardware(pairs: list[int]) -> str:
    return ":".join(f"{pair:02x}" for pair in pairs)


OCTET = st.integers(0, 255)
ADDRESSES = st.one_of(
    st.builds("192.168.{}.{}".format, OCTET, st.integers(10, 255)),
    st.builds("10.{}.{}.{}".format, OCTET, OCTET, OCTET),
    st.builds("{}.{}.{}.{}".format, st.integers(20, 126), OCTET, OCTET, OCTET),
    st.builds("2001:db8:{:x}::{:x}".format, st.integers(1, 0xFFFF), st.integers(1, 0xFFFF)),
)
HARDWARE = (
    st.lists(OCTET, min_size=6, max_size=6)
    .map(_hardware)
    .filter(lambda mac: len(set(mac.replace(":", ""))) > 1)
)
TOKENS = st.one_of(
    letters(34).map("hf_{}".format),
    letters(36).map("ghp_{}".format),
    letters(40).map("github_pat_11{}".format),
    letters(40).map("sk-7{}".format),
    st.builds("eyJ{}.eyJ{}.{}".format, letters(20), letters(20), letters(20)),
)
NAMES = st.sampled_from(
    (USER, USER.upper(), FULL_NAME, HOST, NEIGHBOUR, f"/home/{USER}", f"{USER}.b@example.org")
)
VALUES = st.text(LETTERS + "!$%&*+-_.:@/?#~", min_size=8, max_size=40).map("pl4{}".format)
VARIABLES = st.sampled_from(
    [
        "HF_TOKEN={}",
        "export AWS_SECRET_ACCESS_KEY={}",
        "PASSWORD='{}'",
        'MY_API_KEY="{}"',
        "password = {}",
        "{{'token': '{}'}}",
        '{{"client_secret": "{}"}}',
        '"{{\\"token\\": \\"{}\\"}}"',
        "set -gx GH_TOKEN {}",
        "curl -H 'Authorization: Bearer {}'",
        "machine x login y password {}",
        "--password {}",
        "http_proxy=http://u:{}@proxy",
        "$env:API_KEY = '{}'",
        'os.environ["HF_TOKEN"] = "{}"',
        "&quot;password&quot;:&quot;{}&quot;",
        '<password type="plain">{}</password>',
        ":password => '{}'",
    ]
)
AROUND = st.text(st.characters(codec="utf-8", exclude_characters="\\"), max_size=60)
EDGES = st.sampled_from((" ", "\n", "\t", '"', "(", "|", ", ", "=", ": "))
_WORDS = """
amdgpu 0000:03:00.0: ring gfx_0.0.0 timeout / torch 2.2.2+rocm5.7 gfx1030 HSA_XNACK=1
/opt/rocm/lib libMIOpen.so.1.0.50701 1002:731f [drm] kfd kfd: pass hung 16->32 @44x44 %d \\
"""
FILL = st.sampled_from(_WORDS.split())


@given(AROUND, EDGES, st.one_of(TOKENS, HARDWARE, NAMES), EDGES, AROUND)
@settings(max_examples=400)
def test_a_secret_by_its_form_does_not_survive(
    before: str, edge: str, secret: str, other_edge: str, after: str
) -> None:
    left = redacted(f"{before}{edge}{secret}{other_edge}{after}")
    assert secret.lower() not in left.lower()


@given(st.lists(FILL, max_size=12), ADDRESSES, st.lists(FILL, max_size=12))
@settings(max_examples=300)
def test_a_network_address_between_words_of_a_log_does_not_survive(
    before: list[str], address: str, after: list[str]
) -> None:
    text = " ".join((*before, "from", address, *after))
    assert address not in redacted(text).split()


@given(AROUND.filter(lambda text: "\n" not in text), VARIABLES, VALUES, AROUND)
@settings(max_examples=400)
def test_a_value_with_a_name_that_says_so_does_not_survive(
    before: str, form: str, value: str, after: str
) -> None:
    left = redacted(f"{before}\n{form.format(value)}\n{after}")
    assert value not in left


@given(st.lists(FILL, max_size=60), st.integers(0, 60))
@settings(max_examples=200)
def test_a_text_without_a_secret_stays(words: list[str], broken_at: int) -> None:
    text = " ".join(words[:broken_at]) + "\n" + " ".join(words[broken_at:])
    assert redacted(text) == text


@given(AROUND, st.one_of(TOKENS, NAMES), AROUND)
@settings(max_examples=200)
def test_a_secret_in_json_does_not_survive(before: str, secret: str, after: str) -> None:
    form = {"lines": [f"{before} {secret} {after}", {"where": secret}]}
    told = json.dumps(Redaction(ZAPHOD).form(form)["lines"][1])
    assert secret.lower() not in told.lower()


@given(st.text(max_size=300))
@settings(max_examples=300)
def test_any_text_is_redacted_without_an_error_and_once_is_enough(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once
