"""Words that name nobody: who is called so is found by the places of names alone."""

from __future__ import annotations

_OUR_WORDS = """
    access algorithm arch at atomics backward bash batch build calls card certain check claim
    class client cold compute conda conv conv2d crash crashed default detect diagnose discovery
    display done error exit fail failed fault file files findings fine finished fish flaky float
    float16 float32 folder format forward gemm gfx graphics group groups hang host hosts hung id
    index int issue issues job json kernels key known library likely line linear lines lists log
    logs main memory miopen mode module name names native net network nobody not number numpy ok
    one open operation other out pass path plan pool port possible private process processes
    public right rocblas rocminfo rows runs secret set setting settings shape shapes shell size
    slot slow stack stacks state status step steps store system table target text time title
    token torchaudio torchvision train training triton true unfold units unusable uv value
    values verdict version versions video vram warm warning wheels wizard work wrong zsh
"""
_NAMES_OF_THINGS = """
    archlinux bazzite bookworm cachyos endeavouros epyc fedora focal gentoo gfx1010 gfx1011
    gfx1012 jammy llama navi navi10 navi-10 navi12 navi-12 navi14 navi-14
    nixos nobara noble ollama opensuse polaris pop-os pop_os rdna rdna1 ryzen
    steam steamdeck steamos threadripper trixie tumbleweed vega void webui
"""
OUR_WORDS = frozenset((*_OUR_WORDS.split(), *_NAMES_OF_THINGS.split()))
"""Words of our own reports; systems, chips and programs after which machines are called."""
_GROUPS = """
    USER adm audio bluetooth cdrom cpu daemon dialout dip disk docker floppy input kvm libvirt
    lp lpadmin lxd netdev nobody nogroup plugdev power render root sambashare scanner sudo sys
    systemd-journal tape tty users uucp video wheel wireshark
"""
EVERYBODYS_GROUPS = frozenset(_GROUPS.split())
"""Groups of any system."""
NOBODYS_HOMES = frozenset(
    ("USER", "owner", "linuxbrew", "runner", "Shared", "Public", "Default", "All Users")
)
"""Folders beside the homes of people."""
_DOMAINS = """
    amd.com archlinux.org debian.org fedoraproject.org github.com home.arpa kernel.org pypi.org
    pytorch.org radeon.com ubuntu.com
    """
EVERYBODYS_DOMAINS = frozenset(_DOMAINS.split())
"""Who is in one of these is not told by it, and links must stay whole."""
