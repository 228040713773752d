"""Asks servers, or folders, for single small files."""

from __future__ import annotations

import asyncio
import http.client
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit

from wizard.core.trouble import Trouble
from wizard.system.web import Web, name_failure

ABSENT = frozenset({403, 404, 410})
"""Answers for what is not there: storage services say 403."""


async def content_at(web: Web, address: str, limit: int) -> bytes | None:
    """The beginning of a file, None where there is none; raises Trouble when nobody answers."""
    return await asyncio.to_thread(_content, web, address, limit)


def _content(web: Web, address: str, limit: int) -> bytes | None:
    parts = urlsplit(address)
    if parts.scheme == "file":
        return _in_folder(unquote(parts.path), limit)
    try:
        with web.get(address, {}) as answer:
            return answer.read(limit)
    except HTTPError as error:
        error.close()
        if error.code in ABSENT:
            return None
        raise _refused(error, address) from None
    except (OSError, http.client.HTTPException) as error:
        raise _refused(error, address) from None


def _in_folder(path: str, limit: int) -> bytes | None:
    try:
        with Path(path).open("rb") as file:
            return file.read(limit)
    except OSError:
        return None


def _refused(error: Exception, address: str) -> Trouble:
    trouble = name_failure(error, address)
    return Trouble(trouble.happened, f"{trouble.meaning} Nothing was changed.", trouble.next_step)
