"""Which package names are parts of ROCm or of AMD's driver packages, and which only look so."""

from __future__ import annotations

import re

LIBRARIES = (
    "amd-?comgr amd-?smi amdhip comgr hipblas hipblaslt hipcub hipfft hiprand hiprtc hipsolver"
    " hipsparse hipsparselt hiptensor hsakmt hsa-runtime miopen migraphx mivisionx rccl rocal"
    " rocalution rocblas rocdecode rocfft rocjpeg rocm-core rocm-?smi rocprim rocprofiler rocrand"
    " rocshmem rocsolver rocsparse rocthrust roctracer roctx rocwmma"
)
"""Names that a distribution may write with ``lib`` before them."""
TOOLS = (
    "amdgpu amdrocm composablekernel hip-base hip-bin hip-dev hip-doc hip-runtime hip-samples"
    " hipcc hipconfig hipfort hipify hsa-amd hsa-ext hsa-rocr miopengemm miopenkernels"
    " openmp-extras rocgdb rock-dkms rocm rocminfo rocr-debug-agent rocr-runtime"
)
SHORT = "half rdc rdc-dev rpp rpp-dev"
"""Words so short that others begin with them too: nothing but a release may follow."""
TORCH = "(?:lib|python3-)torch-rocm"
"""A distribution's own torch for ROCm."""
RELEASE = r"[0-9][0-9a-z.+_-]*"
"""As in ``rocm-core5.2.0`` and ``libamdhip64-5``."""


def _any_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


NAME = re.compile(
    rf"(?:(?:lib)?{_any_of(LIBRARIES)}|{_any_of(TOOLS)}|{TORCH})(?:-.+|{RELEASE})?"
    rf"|{_any_of(SHORT)}(?:{RELEASE})?"
)
"""No prefix match: ``rccl*`` would also take ``rcclient``, ``hip*`` takes ``hipercontracer``."""


GRAPHICS = re.compile(r"[a-z0-9][a-z0-9.+]*(?:-[a-z0-9.+]+)*-amdgpu(?:-.+)?")
"""As in ``libdrm2-amdgpu`` and ``mesa-amdgpu-va-drivers``, not ``libdrm-amdgpu1`` (Debian's)."""


def is_rocm(name: str) -> bool:
    """True for the name of a package that is a part of ROCm, AMD's or a distribution's."""
    return NAME.fullmatch(without_architecture(name)) is not None


def may_be_amds_graphics(name: str) -> bool:
    """True for a name such as AMD gives its builds of graphics packages; others do so too."""
    return GRAPHICS.fullmatch(without_architecture(name)) is not None


def without_architecture(name: str) -> str:
    """``rocm-ocl-icd`` of ``rocm-ocl-icd:i386``, as indexes have it."""
    return name.partition(":")[0]
