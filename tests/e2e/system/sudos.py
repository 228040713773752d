"""The two programs that are called sudo: that of every Debian, and sudo-rs of Debian 13."""

from __future__ import annotations

from dataclasses import dataclass

from tests.e2e.system.bases import BOOKWORM, OWNER, TRIXIE, Suite
from tests.e2e.system.roots import Root


@dataclass(frozen=True, slots=True)
class Sudo:
    """One of them, and what it asks with."""

    name: str
    suite: Suite
    prompt: str

    def __str__(self) -> str:
        return self.name

    def take_over(self, root: Root) -> None:
        """Be what ``sudo`` starts in a root."""
        if self is SUDO_RS:
            root.run("cp", "-a", "/usr/bin/sudo-rs", "/usr/bin/sudo")


SUDO = Sudo("sudo", BOOKWORM, f"[sudo] password for {OWNER}: ")
SUDO_RS = Sudo("sudo-rs", TRIXIE, "[sudo: authenticate] Password: ")
SUDOS = (SUDO, SUDO_RS)


def forget_passwords(root: Root) -> None:
    """Let them ask again."""
    root.run("rm", "-rf", "/run/sudo/ts", "/run/sudo-rs/ts")
