"""Measuring in a session that is older than the membership in the group of the GPU."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.conv2d.sweeping import FAKE_TORCH
from tests.e2e.system.bases import OWNER, PREFIX
from tests.e2e.system.roots import Root
from tests.e2e.system.states import NOTHING, Enter

pytestmark = pytest.mark.e2e

TELLS = """\
import json, os, sys
if "--events" in sys.argv:
    path = os.environ.get("LD_LIBRARY_PATH")
    seen = {"role": sys.argv[1], "groups": os.getgroups(), "path": path}
    with open("/tmp/told", "a") as file:
        file.write(json.dumps(seen) + "\\n")
"""
"""Every Python that starts with it says in which groups it runs."""
SHAPES = ("--sizes", "8", "--channels", "2-2", "--no-resume", "--json", "--yes")


def measure(root: Root, device: str) -> tuple[dict[str, object], str]:
    """What came out, measured by the owner in a session without any group of the GPU."""
    variables = {
        "HOME": f"/home/{OWNER}",
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": "/srv/torch",
        "FAKE_TORCH": "{}",
        "FAKE_TORCH_HIP": "5.2",
        "LD_LIBRARY_PATH": "/srv/a b",
    }
    words = (f"{name}={value}" for name, value in variables.items())
    become = ("setpriv", "--reuid", OWNER, "--regid", OWNER, "--clear-groups", "--")
    call = ("conv2d", "--python", "/usr/bin/python3", "--device", device, *SHAPES)
    start = (*become, "env", "-i", *words, f"{PREFIX}/bin/rdna1-setup", *call)
    done = root.run(*start, check=False)
    found: dict[str, object] = json.loads(done.stdout)
    return found, done.stderr


def test_until_the_next_login_the_measuring_worker_starts_through_sg(enter: Enter) -> None:
    root = enter(NOTHING)
    shutil.copytree(FAKE_TORCH, root.path("/srv/torch"))
    root.write("/srv/torch/sitecustomize.py", TELLS)
    root.run("groupadd", "--force", "--system", "render")
    root.run("usermod", "-a", "-G", "render", OWNER)
    render = int(root.run("getent", "group", "render").stdout.split(":")[2])
    found, said = measure(root, "cuda")
    results = found["results"]
    assert isinstance(results, list)
    assert [row["verdict"] for row in results] == ["pass"], said
    assert "started through `sg render -c`" in " ".join(said.split())
    told = [json.loads(line) for line in root.path("/tmp/told").read_text().splitlines()]
    groups = {row["role"]: row["groups"] for row in told}
    assert render in groups["measure"]
    assert render not in groups["reference"]
    assert {row["path"] for row in told} == {"/srv/a b"}
    root.path("/tmp/told").unlink()
    _, said = measure(root, "cpu")
    assert "sg render" not in said
