"""The one resolver run: pip decides on every version and address, and fetches next to nothing.

Measured with a server that counts the bytes it sends: ``pip install --dry-run --report`` of pip
25.3 and later leaves wheels where they are when the index publishes their metadata (PEP 658), and
with ``fast-deps`` reads about 10 KB at the end of each wheel when it does not. Older pips download
every wheel whole and throw it away, so the pip in the venv is upgraded first. The floor is pip
23.0, the first that writes the report in format 1; before 22.2 there is no ``--dry-run``. Python
3.8 ends at pip 25.0.1: there, and on a server that offers neither metadata nor ranges, the wheels
cross the line twice. ``uv pip compile`` is no way out: it downloads whatever has no published hash.
"""

from __future__ import annotations

AS_CONFIGURED = "pip"
"""The word for "take torch from wherever pip is configured to look"."""

BY_RANGE = "--use-feature=fast-deps"
"""Lets pip read a wheel's metadata by range requests."""


def resolve_argv(
    python: str,
    requirements: tuple[str, ...],
    *,
    index: str,
    index_replaces_pypi: bool,
    torch_index: str,
    wheelhouse: str,
    report: str,
) -> tuple[str, ...]:
    """The pip call that writes an installation report and installs nothing.

    A pin with a local version, such as ``1.13.1+rocm5.2``, cannot be met by PyPI, which accepts
    none. A bare ``torchaudio==0.13.1`` is met by both; pip ranks ``0.13.1+rocm5.2`` higher, and
    ``wizard.system.lock.remarks`` names what came without a label all the same.
    """
    sources = _sources(index, index_replaces_pypi, torch_index, wheelhouse)
    return (
        python,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--ignore-installed",
        "--no-input",
        "--disable-pip-version-check",
        "--progress-bar=off",
        "--only-binary=:all:",
        *sources,
        "--report",
        report,
        *requirements,
    )


def _sources(
    index: str, index_replaces_pypi: bool, torch_index: str, wheelhouse: str
) -> tuple[str, ...]:
    if wheelhouse:
        # Isolated: links configured elsewhere could bring the network back in.
        return ("--isolated", "--no-index", "--find-links", wheelhouse)
    if torch_index == AS_CONFIGURED or not (torch_index or index):
        return (BY_RANGE,)
    # The first index stays pip's own, so that a configured mirror of PyPI goes on serving.
    option = "--index-url" if index_replaces_pypi else "--extra-index-url"
    return (BY_RANGE, option, torch_index or index)


def second_try(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The same call without range requests, for a server that refuses HEAD or breaks off; or ()."""
    return tuple(word for word in argv if word != BY_RANGE) if BY_RANGE in argv else ()
