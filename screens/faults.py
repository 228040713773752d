"""What failed on the outside, told on a screen: what happened, what it means, what to do next."""

from __future__ import annotations

import errno
from collections.abc import Callable

from textual.widget import Widget

from screens.dialogs import Notice
from screens.widgets.status_line import StatusLine
from wizard.core.lines import shown
from wizard.core.trouble import Trouble
from wizard.core.wording import by_keys

AGAIN = "Fix the problem, then try again."
SAVE_AGAIN = (
    "Nothing on this screen is lost. Free up some space or fix the permissions, then press s again."
)
FULL = "The disk is full, so nothing was written."
FOREIGN = (
    "You do not have permission. The file or folder belongs to another user, or a system policy "
    "forbids access."
)
GONE = "The file or folder does not exist. It may have been moved or deleted."
SLOW = "The operation took too long. A disk, a network share or a program may be unresponsive."
FROZEN = "Nothing can be written, because the file system is mounted read-only."
MEANINGS = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EACCES: FOREIGN,
    errno.EPERM: FOREIGN,
    errno.ENOENT: GONE,
    errno.ETIMEDOUT: SLOW,
    errno.EROFS: FROZEN,
}
ANY = "The system did not allow this action."


def fault(what: str, error: Trouble | OSError | ValueError, next_step: str = AGAIN) -> Trouble:
    """A failure as three texts; what was told well already, as it is.

    ``what`` is what could not be done, such as "The plan was not saved".
    """
    if isinstance(error, Trouble):
        return error
    if isinstance(error, OSError):
        slow = isinstance(error, TimeoutError)  # it may have no number
        meaning = SLOW if slow else MEANINGS.get(error.errno or 0, ANY)
        return Trouble(f"{what}: {reason(error)}.", meaning, next_step)
    return Trouble(f"{what}: {shown(str(error)).rstrip('.')}.", "Nothing was changed.", next_step)


def reason(error: OSError) -> str:
    """What the system says, and of which file."""
    why = shown(error.strerror or str(error)) or type(error).__name__
    return f"{why}: {shown(str(error.filename))}" if error.filename else why


def in_one_run(trouble: Trouble) -> str:
    """All three texts, where there is no window for them."""
    return f"{trouble.happened} {by_keys(trouble.meaning)} {by_keys(trouble.next_step)}"


def save(screen: Widget, write: Callable[[str, str], str], name: str, text: str) -> None:
    """Has a text written, and names its file, or tells why there is none."""
    try:
        path = write(name, text)
    except OSError as error:
        tell(screen, "Not saved", fault("The text was not saved", error, SAVE_AGAIN))
        return
    for line in screen.query(StatusLine):
        line.say(f"Saved as {path}")
        if line.is_cut:
            screen.app.push_screen(Notice("Saved", path))


def tell(screen: Widget, title: str, trouble: Trouble) -> None:
    """All of it in a window; what happened also in the status line below."""
    for line in screen.query(StatusLine):  # none while the screen is taken down
        line.say(trouble.happened, "fault")
    screen.app.push_screen(Notice(title, told(trouble)))


def told(trouble: Trouble) -> str:
    """What happened, what it means, what to do next."""
    return f"{trouble.happened}\n\n{by_keys(trouble.meaning)}\n\n{by_keys(trouble.next_step)}"
