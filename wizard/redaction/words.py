"""Words that name nobody: who is called so is found by the places of names alone."""

from __future__ import annotations

SHORTEST = 3
"""A shorter name is part of too many words, and tells nothing."""
COMMON_WORDS = """
    access adm admin algorithm amd amdgpu and arch archlinux at atomics backward bash batch
    bazzite bin bookworm boot build cache cachyos calls card certain check claim class client
    code cold comfyui compute conda config conv conv2d cpu crash crashed data debian default
    desktop detect dev device diagnose diffusion discovery display docker done dri driver
    endeavouros env epyc error etc exit fail failed fault fedora file files findings fine
    finished fish flaky float float16 float32 focal folder for format forward gemm gentoo gfx
    gfx1010 gfx1011 gfx1012 git gpu graphics group groups hang hip home host hosts hsa hung id
    index input int issue issues jammy job json kernel kernels key kfd known kvm laptop lib
    library likely line linear lines linux lists llama local localdomain localhost log logs
    machine machines main manjaro media memory mint miopen mnt mode model models module name
    names native navi navi-10 navi-12 navi-14 navi10 navi12 navi14 net network nixos nobara
    noble nobody node nodes none not number numpy ok ollama one open opensuse operation opt
    other out output owner packages pass path pci pip plan polaris pool pop-os pop_os port
    possible private proc process processes project projects public python radeon rdna rdna1
    render right rocblas rocm rocminfo root rows run runs ryzen secret server set setting
    settings shape shapes share shell site size slot slow src srv stable stack stacks state
    status steam steamdeck steamos step steps store sudo sys system table target test tests text
    the this-machine threadripper time title tmp token torch torchaudio torchvision train
    training triton trixie true tumbleweed ubuntu unfold units unknown unusable user users usr
    uv value values var vega vendor venv verdict version versions video void vram warm warning
    webui wheel wheels wizard work wrong zsh
"""
COMMON = frozenset(COMMON_WORDS.split())
"""Words of every machine and of our own reports; systems, chips and programs after which machines
are called. Who is called so is not told by them, and paths would break."""
_EVERYBODYS = """
    USER _apt adm audio bluetooth cdrom cpu daemon dialout dip disk docker floppy input kvm libvirt
    lp lpadmin lxd netdev nobody nogroup plugdev power render root sambashare scanner sudo sys
    systemd-journal tape tty users uucp video wheel wireshark www-data
    owner linuxbrew runner Shared Public Default
"""
EVERYBODYS = frozenset((*_EVERYBODYS.split(), "All Users"))
"""Groups and accounts of any system, and folders beside the homes of people."""
_DOMAINS = """
    amd.com anaconda.com anaconda.org apache.org archive.org archlinux.org canonical.com
    cmake.org conda.io debian.org docker.com docker.io docs.rs fedoraproject.org freedesktop.org
    ghcr.io github.com github.io githubusercontent.com gitlab.com gnu.org google.com
    googleapis.com home.arpa huggingface.co kernel.org launchpad.net launchpadcontent.net
    linuxmint.com llvm.org man7.org mesa3d.org microsoft.com mozilla.org numpy.org nvidia.com
    opensuse.org pypi.org pypi.python.org python.org pythonhosted.org pytorch.org radeon.com
    readthedocs.io snapcraft.io ubuntu.com
"""
EVERYBODYS_DOMAINS = frozenset(_DOMAINS.split())
"""Who is in one of these is not told by it, and links must stay whole."""


def is_telling(name: str) -> bool:
    """False for a short name and a common word: those stand in texts without naming anybody."""
    return len(name) >= SHORTEST and name.lower() not in COMMON and not name.isdecimal()
