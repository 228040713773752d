"""How Ansible reaches a root folder of our tests: words that enter it, and its files from outside.

The words come with the host (``rooted_enter``); they give it no network, so that what is installed
there can come from the folder alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ansible.plugins.connection import ConnectionBase

DOCUMENTATION = """
    name: rooted
    short_description: a root folder of our tests
    description: Runs programs in a root folder, in namespaces that the test made.
    author: rdna1-setup
    options:
      enter:
        description: the words that enter it
        type: list
        elements: str
        vars:
          - name: rooted_enter
      folder:
        description: where it lies
        type: str
        vars:
          - name: rooted_folder
      owner:
        description: user and group that files get
        type: list
        elements: int
        vars:
          - name: rooted_owner
"""


class Connection(ConnectionBase):  # type: ignore[misc]
    """One such root."""

    transport = "rooted"
    has_pipelining = True

    def _connect(self) -> Connection:
        self._connected = True
        return self

    def exec_command(
        self, cmd: str, in_data: bytes | None = None, sudoable: bool = True
    ) -> tuple[int, bytes, bytes]:
        """Run it inside."""
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        words = (*self.get_option("enter"), "/bin/sh", "-c", cmd)
        done = subprocess.run(words, input=in_data or b"", capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def put_file(self, in_path: str, out_path: str) -> None:
        """Put a file inside."""
        super().put_file(in_path, out_path)
        inside = self._inside(out_path)
        shutil.copyfile(in_path, inside)
        os.chown(inside, *self.get_option("owner"))

    def fetch_file(self, in_path: str, out_path: str) -> None:
        """Get a file out."""
        super().fetch_file(in_path, out_path)
        shutil.copyfile(self._inside(in_path), out_path)

    def _inside(self, path: str) -> Path:
        return Path(self.get_option("folder")) / path.strip("'").lstrip("/")

    def close(self) -> None:
        """There is nothing to close."""
        self._connected = False
