"""A card for a root that has none: the files that the kernel shows of a recorded RX 5600 XT.

Detection reads files and opens no device, so that it finds this card as it finds a real one. What
computes on it is a stand-in of torch.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.system.roots import Root
from tests.run.wheels import make_wheel
from wizard.machine.recorded import unstored

RECORD = Path(__file__).parents[2] / "machines/rx5600xt-noble-rocm57"
FAKE_TORCH = Path(__file__).parents[2] / "conv2d/fake_torch"
DEVICES = ("/dev/kfd", "/dev/dri/renderD128", "/dev/dri/card1")
VERSION = "1.13.1+rocm5.2"
MORE_OF_TORCH = """

def arange(end):
    return Tensor(array("f", range(int(end))), (int(end),), float32)


def _rows(self):
    wide = self.shape[1]
    return [list(self.values[at : at + wide]) for at in range(0, len(self.values), wide)]


def _product(self, other):
    columns = list(zip(*_rows(other)))
    numbers = [sum(a * b for a, b in zip(row, c)) for row in _rows(self) for c in columns]
    return Tensor(array(self.kind.code, numbers), self.shape, self.kind)


Tensor.reshape = lambda self, *shape: self.view(shape)
Tensor.cpu = lambda self: self
Tensor.tolist = _rows
Tensor.__matmul__ = _product
"""
AS_ON_THE_CARD = (
    ('os.environ.get("FAKE_TORCH_VERSION", "0.0+fake")', repr(VERSION)),
    ('"FAKE_TORCH_HIP" in os.environ', "True"),
    ('os.environ.get("FAKE_TORCH_HIP")', "'5.2.21151'"),
)


def give_card(root: Root) -> None:
    """From now on the root shows the card, and its devices belong to the group ``render``."""
    for path in (RECORD / "files/sys").rglob("*"):
        if path.is_file():
            root.write(f"/{unstored(str(path.relative_to(RECORD / 'files')))}", path.read_text())
    links = json.loads((RECORD / "record.json").read_text())["links"]
    for name, target in links.items():
        if name.startswith("/sys/"):
            root.path(target).mkdir(parents=True, exist_ok=True)
            root.path(name).symlink_to(target)
    for name in DEVICES:
        root.write(name, "", 0o660)
        root.run("chgrp", "render", name)
    root.run("chmod", "--recursive", "go=u-w", "/sys")


def make_torch(folder: Path) -> None:
    """The wheel of a torch that counts on this card, in place of one that cannot."""
    files = {
        str(path.relative_to(FAKE_TORCH)): _as_on_the_card(path.read_text())
        for path in FAKE_TORCH.rglob("*.py")
    }
    files["torch/__init__.py"] += MORE_OF_TORCH
    make_wheel(folder, "torch", VERSION, files, requires=("typing-extensions",))


def _as_on_the_card(text: str) -> str:
    for asked, given in AS_ON_THE_CARD:
        text = text.replace(asked, given)
    return text
