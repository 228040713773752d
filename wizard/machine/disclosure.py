"""The facts of a machine as they may leave it: by the form of each field; no other text leaves.

A field that is not listed here is not told: whoever adds one decides what it may hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from wizard.machine.facts import Machine, Setting
from wizard.redaction.rules import HIDDEN, told_value

WORD = re.compile(r"[\w.+:~-]{0,80}")
"""An id, a version, a word of the programs' own."""
NAME = re.compile(r"[\w.,+:()/@&\[\]'~ -]{0,160}")
"""What a maker calls a thing, and a package with its state."""
PLACE = re.compile(r"(?:[/~$.][^\n]{0,4000})?")
ADDRESS = re.compile(r"(?:[a-z][a-z0-9+]{1,20}:)?/{0,2}[\w.:/\[\]~%+-]{0,400}")
"""Of a server, without login and query."""
TEXT = re.compile(r"[\s\S]{0,4000}")
"""Words of this program, and a line of a file of the system's own."""
_FORMS = {
    WORD: """
        AptSource.components AptSource.suites AptSource.types DeviceNode.group Access.user
        Access.groups_in_file Access.groups_in_force Driver.dkms Driver.origin Driver.version
        Environment.kind Environment.python FoundApplication.id Gpu.driver Gpu.gfx Gpu.gfx_source
        Gpu.pci_address Gpu.pci_class Gpu.pci_id Gpu.revision Interpreter.version Machine.recorded
        MiopenStore.kind MiopenStore.targets OwnRun.id OwnRun.stack OwnRun.state Package.name
        Package.origin Package.state Package.version Process.state RocmTree.owner RocmTree.version
        Setting.name SilentFileSystem.kind Surroundings.confined Surroundings.container
        System.architecture System.distribution System.glibc System.kernel System.release
        TorchInstall.build TorchInstall.native_gfx TorchInstall.numpy TorchInstall.rocm
        TorchInstall.version
    """,
    NAME: """
        ChangedLibrary.saved FoundApplication.start Gpu.name Link.fastest Link.speed Machine.uv
        MiopenStore.version OwnRun.name Package.grounds PackageWork.lock_holder
        PackageWork.unfinished Process.name Surroundings.snapshots Surroundings.virtual_machine
        System.cpu System.pretty_name SystemFile.kind
    """,
    PLACE: """
        Access.home AptSource.file ChangedLibrary.path DeviceNode.path Disk.filesystem Disk.path
        Environment.path FoundApplication.environment FoundApplication.path Gpu.render_node
        Interpreter.path MiopenStore.path OwnRun.folder Process.devices RocmTree.link_to
        RocmTree.path Setting.file SilentFileSystem.path SystemFile.path
    """,
    ADDRESS: "AptSource.uris",
    TEXT: """
        AptSource.signed_by Gpu.note Setting.effect Setting.within SystemFile.detail
        TorchInstall.executable_stack Unknown.because
    """,
}
FORMS = {field: form for form, names in _FORMS.items() for field in names.split()}


def told_machine(machine: Machine) -> Machine:
    """The machine without any text that has another form than its field."""
    return cast("Machine", _told(machine, ""))


def _told(value: Any, field: str) -> Any:
    if isinstance(value, str):
        form = FORMS.get(field)
        return value if form and form.fullmatch(value) else HIDDEN
    if is_dataclass(value):
        return replace(cast("Any", value), **_fields(value, (one.name for one in fields(value))))
    if isinstance(value, Setting):
        told = told_value(value.name, value.value)
        return value._replace(**{**_fields(value, value._fields), "value": told})
    if hasattr(value, "_replace"):  # a named tuple
        return value._replace(**_fields(value, value._fields))
    if isinstance(value, tuple):
        return tuple(_told(each, field) for each in value)
    return value


def _fields(value: Any, names: Iterable[str]) -> dict[str, Any]:
    kind = type(value).__name__
    return {name: _told(getattr(value, name), f"{kind}.{name}") for name in names}
