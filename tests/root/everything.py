"""A run of installations and removals, on a machine with something of everything to lose."""

from __future__ import annotations

from hashlib import sha256

from tests.e2e.system.roots import OWNER, Root
from tests.root.archive import SOURCE_LINE
from tests.root.conversation import Event, apt_change, keep_debs, set_aside, write_file
from tests.root.listing import Listing, dpkg_state, listing

SOURCES = "/etc/apt/sources.list"
PROFILE = "/etc/profile.d/old-rocm.sh"
OTHER = "/etc/apt/sources.list.d/other.list"
PIN = "Package: *\nPin: release o=stand-in\nPin-Priority: 600\n"
COMPARED = ("/etc", "/opt", "/home", "/srv")
TOLERATED = (
    "/etc/group-",  # what usermod and gpasswd keep of the list before the last change
    "/etc/gshadow-",
    "/etc/ld.so.cache",  # ldconfig writes it anew, with the time in it
    "/etc/apt/keyrings/rdna1-setup-rocm.asc~",
)


def furnish(root: Root) -> None:
    """Packages, settings, sources, leftovers and a membership that a run will change."""
    root.apt("install", "stand-tool=1.0", "stand-core=1.0")
    root.run("apt-mark", "auto", "stand-core")
    root.write("/etc/stand-tool.conf", "changed by the user\n", 0o640)
    root.write(PROFILE, "export ROCM_PATH=/opt/rocm\necho mine\n", 0o755)
    root.write(OTHER, "# deb http://example.org/ x main\n")
    root.write("/opt/rocm-left/lib/libMIOpen.so.original", "left\n")
    root.run("usermod", "-aG", "video", OWNER)


def steps(root: Root, key: str) -> tuple[Event, ...]:
    """The run, planned from what is there now."""
    sources = root.path(SOURCES).read_text()
    commented = "".join(f"# {line}\n" for line in sources.splitlines())
    one, tool = ("stand-core", "1.0"), ("stand-tool", "1.0")
    two, spare = ("stand-core", "2.0"), ("stand-spare", "1.0")
    return (
        keep_debs(one, tool),
        apt_change((), ("stand-tool",), purge=True),
        set_aside(OTHER),
        set_aside("/opt/rocm-left"),
        write_file(PROFILE, "echo mine\n", before=_sha(root, PROFILE), mode=0o755),
        write_file(SOURCES, f"{commented}{SOURCE_LINE}", before=_sha(root, SOURCES)),
        write_file("/etc/apt/keyrings/rocm-second.asc", key),
        write_file("/etc/apt/preferences.d/rdna1-setup-rocm", PIN),
        write_file("/etc/udev/rules.d/70-kfd.rules", 'KERNEL=="kfd", GROUP="render"\n'),
        write_file("/etc/ld.so.conf.d/rdna1-setup-rocm.conf", "/opt/rocm-2.0/lib\n"),
        {"verb": "apt_update"},
        apt_change((two, spare)),
        {"verb": "mark", "auto": ["stand-spare"], "manual": ["stand-core"]},
        {"verb": "join_groups", "user": OWNER, "groups": ["render", "video"]},
        {"verb": "configure"},
    )


def _sha(root: Root, path: str) -> str:
    return sha256(root.path(path).read_bytes()).hexdigest()


def state(root: Root) -> tuple[Listing, str]:
    """All that a run could change and that the way back must restore."""
    return listing(root, *COMPARED), dpkg_state(root)
