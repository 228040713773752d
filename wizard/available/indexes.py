"""Whether an index, or a folder of wheels, has what a stack needs."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from packaging.requirements import Requirement

from wizard.available.answers import Standing
from wizard.available.listing import Listed, fitting, read_page, wheels_in
from wizard.available.questions import Wheels
from wizard.available.requests import PORTAL, Deadline, Found, Text, file_fault, page_at
from wizard.run.downloads.web import Web


def in_folder(question: Wheels) -> Found:
    """Looks at the names in the folder."""
    try:
        names = os.listdir(question.place)  # noqa: PTH208 - names, no paths
    except OSError as error:
        return Standing.ABSENT, f"The folder cannot be read: {error.strerror or error}."
    found: list[Listed] = []
    for text in question.requirements:
        wanted = Requirement(text)
        wheels = wheels_in(names, wanted.name)
        fits = _own(fitting(wheels, wanted, question.python, question.glibc), question)
        if not fits:
            return Standing.ABSENT, _missing(text, question, bool(wheels))
        found.append(fits[0])
    return Standing.THERE, _listed(found, question)


def on_index(question: Wheels, web: Web, deadline: Deadline) -> Found:
    """Reads the page of each project, then asks for the first file itself."""
    found: list[Listed] = []
    for text in question.requirements:
        wanted = Requirement(text)
        address = f"{question.place.rstrip('/')}/{wanted.name}/"
        answer = page_at(web, address, deadline)
        if isinstance(answer, tuple):
            return answer
        page = read_page(answer.text, answer.address, wanted.name)
        if not page.is_index:
            return Standing.OTHER, _no_index(answer, address)
        fits = _own(fitting(page.wheels, wanted, question.python, question.glibc), question)
        if not fits:
            return Standing.ABSENT, _missing(text, question, bool(page.wheels))
        found.append(fits[0])
    return _first_file_fault(found, web, deadline) or (Standing.THERE, _listed(found, question))


def _own(fits: tuple[Listed, ...], question: Wheels) -> tuple[Listed, ...]:
    """Those that are the stack's: PyPI has wheels of the same name, for other hardware."""
    return tuple(each for each in fits if each.version.local or not question.labelled)


def _first_file_fault(found: list[Listed], web: Web, deadline: Deadline) -> Found | None:
    first = found[0]
    if not first.address.startswith(("http://", "https://")):
        return None
    fault = file_fault(web, first.address, deadline)
    return fault and (fault[0], f"{first.file} is listed, but: {fault[1]}")


def _no_index(answer: Text, asked: str) -> str:
    host, asked_host = urlsplit(answer.address).hostname, urlsplit(asked).hostname
    led = f"{asked_host} led to {host}, whose" if host != asked_host else f"{asked_host} sent a"
    return f"{led} page that is none of an index. {PORTAL}"


def _missing(requirement: str, question: Wheels, some: bool) -> str:
    others = "Other wheels of it are there." if some else "No wheel of it is there."
    own = " with ROCm in its version" if question.labelled and "+" not in requirement else ""
    here = f"for Python {question.python} on a 64-bit PC with Linux"
    return f"No {requirement}{own} {here}. {others}"


def _listed(found: list[Listed], question: Wheels) -> str:
    extras = {extra for text in question.requirements for extra in Requirement(text).extras}
    untold = f" Whether they have {', '.join(sorted(extras))} inside, pip will tell."
    return f"{', '.join(each.file for each in found)}.{untold if extras else ''}"
