"""What a text names beside the fault is not blamed for it."""

import pytest

from wizard.diagnose.explain import explain

REPLACED = """\
  Found existing installation: torch 2.3.0+cu121
    Uninstalling torch-2.3.0+cu121:
      Successfully uninstalled torch-2.3.0+cu121
Successfully installed torch-1.13.1+rocm5.2
RuntimeError: HIP error: invalid device function
"""
OTHER_MODULE = """\
Building module amdgpu done.
Error! Bad return status for module build on kernel: 6.8.0-45-generic (x86_64)
Consult /var/lib/dkms/v4l2loopback/0.12.7/build/make.log for more information.
"""

OLDER_NUMPY = """\
Successfully installed torch-1.13.1+rocm5.2
  Found existing installation: numpy 2.1.0
    Uninstalling numpy-2.1.0:
Successfully installed numpy-1.26.4
"""


@pytest.mark.parametrize(
    ("text", "causes"),
    [(REPLACED, ["wheel-lacks-gfx-target"]), (OTHER_MODULE, ["module-build"]), (OLDER_NUMPY, [])],
)
def test_it_is_not_blamed(text: str, causes: list[str]) -> None:
    assert [found.cause for found in explain(text.encode()).findings] == causes


PROCESSOR_FOR_A_GUEST = """\
10:00.0 VGA compatible controller [0300]: AMD [AMD/ATI] Raphael [1002:164e] (rev c9)
\tKernel driver in use: vfio-pci
03:00.0 VGA compatible controller [0300]: AMD [AMD/ATI] Navi 10 [1002:731f] (rev c1)
\tKernel driver in use: amdgpu
"""


def test_the_processor_s_gpu_may_be_a_guest_s_where_the_card_is_driven() -> None:
    assert explain(PROCESSOR_FOR_A_GUEST.encode()).findings == ()
    alone = PROCESSOR_FOR_A_GUEST.replace("use: amdgpu", "use: vfio-pci")
    assert [found.cause for found in explain(alone.encode()).findings] == ["vfio-bound"]
