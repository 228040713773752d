"""Roots as hosts of Ansible's: what it needs to reach them, and what lies in them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import pytest

from tests.e2e.homes import SOURCE
from tests.e2e.system.roots import OWNER, PATH, Root

ROLES = SOURCE / "assets/ansible/roles"
PLUGINS = Path(__file__).parent / "connection_plugins"
HOME = f"/home/{OWNER}"
RECAP = re.compile(r"^(\w+)\s+: (.+)$", re.MULTILINE)
LOOKED_AT = ("home", "etc", "var", "tmp", "opt", "root", "usr/local")
PLAYBOOK = """
- name: The role on three roots
  hosts: all
  gather_facts: false
  roles:
    - role: rdna1_setup
  tasks:
    - name: Tell the facts
      ansible.builtin.debug:
        msg: >-
          FACTS {{ inventory_hostname }} changed={{ rdna1_setup_changed }}
          relogin={{ rdna1_setup_relogin_needed }}
"""


def ansible(program: str) -> str:
    """A program of Ansible's, from RDNA1_SETUP_ANSIBLE or the PATH; skips without it."""
    folders = f"{os.environ.get('RDNA1_SETUP_ANSIBLE', '')}:{os.environ['PATH']}"
    found = which(program, path=folders)
    if found is None:
        pytest.skip(f"there is no {program} (RDNA1_SETUP_ANSIBLE names a folder)")
    return found


def as_owner(root: Root, *argv: str) -> tuple[str, ...]:
    """How the owner starts a program inside, with no network at all."""
    known = {"PATH": PATH, "HOME": HOME, "USER": OWNER, "LOGNAME": OWNER, "LANG": "C.UTF-8"}
    words = (f"{name}={value}" for name, value in known.items())
    become = ("setpriv", "--reuid", OWNER, "--regid", OWNER, "--init-groups", "--")
    return root.space.enter("unshare", "--net", *become, "env", "-i", "-C", HOME, *words, *argv)


@dataclass(frozen=True, slots=True)
class Hosts:
    """Some roots, and what goes out to them."""

    roots: Mapping[str, Root]
    wizard: Path
    """Its wheel, among those that it depends on."""
    folder: Path
    """What was fetched."""
    work: Path

    def play(self, *options: str) -> subprocess.CompletedProcess[str]:
        """The role on every host, whatever comes of it."""
        inventory, playbook = self.work / "hosts.json", self.work / "site.yml"
        inventory.write_text(json.dumps({"all": {"hosts": self._hosts()}}))
        playbook.write_text(PLAYBOOK)
        given = {
            "rdna1_setup_stack": "cpu",
            "rdna1_setup_wizard": str(self.wizard),
            "rdna1_setup_wizard_wheels": str(self.wizard.parent),
            "rdna1_setup_folder": str(self.folder),
            "rdna1_setup_options": ["--without-card"],
        }
        return subprocess.run(
            (ansible("ansible-playbook"), "-i", inventory, "-e", json.dumps(given), *options,
             playbook),
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=1200,
        )  # fmt: skip

    def _hosts(self) -> dict[str, object]:
        return {
            name: {
                "ansible_connection": "rooted",
                "ansible_python_interpreter": "/usr/bin/python3",
                "rooted_enter": list(as_owner(root)),
                "rooted_folder": str(root.folder),
                "rooted_owner": list(root.numbers()),
            }
            for name, root in self.roots.items()
        }

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "ANSIBLE_ROLES_PATH": str(ROLES),
            "ANSIBLE_CONNECTION_PLUGINS": str(PLUGINS),
            "ANSIBLE_HOME": str(self.work / "ansible"),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_FORKS": "3",
            "ANSIBLE_DEPRECATION_WARNINGS": "0",
            "LC_ALL": "C.UTF-8",
        }


def recap(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, int]]:
    """What Ansible counted for each host."""
    text = done.stdout.rpartition("PLAY RECAP")[2]
    return {
        host: {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", counts)}
        for host, counts in RECAP.findall(text)
    }


def tree(root: Root) -> dict[str, str]:
    """Everything that a run could have written, but for Ansible's own scratch folder."""
    found: dict[str, str] = {}
    for top in LOOKED_AT:
        for above, folders, names in os.walk(root.folder / top):
            folders[:] = [name for name in folders if name != ".ansible"]
            for name in (*folders, *names):
                path = Path(above, name)
                found[str(path.relative_to(root.folder))] = _seen(path)
    return found


def _seen(path: Path) -> str:
    status = path.lstat()
    kept = f"{status.st_mode:o} {status.st_uid}"
    if path.is_symlink():
        return f"{kept} {os.readlink(path)}"  # noqa: PTH115 - the raw target
    if path.is_file():
        return f"{kept} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return kept
