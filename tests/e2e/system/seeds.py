"""What the scripts and notes of hkevin01/rocm-patch leave on a machine, told in our own words.

The profile file and the lines in ``.bashrc`` are those of a recorded machine that follows the same
notes; the remover's way is that of a trial with packages of these names.
"""

from __future__ import annotations

from pathlib import Path

from tests.e2e.system.roots import OWNER, Root

RECORDED = Path(__file__).parents[2] / "machines/rx5600xt-noble-rocm57/files"
PROFILE = "/etc/profile.d/rocm-rdna1-57.sh"
PROFILE_52 = "/etc/profile.d/rocm-rdna1.sh"
"""The 5.2 notes' file; with an empty element in its loader path, which means the current folder."""
BASHRC = f"/home/{OWNER}/.bashrc"
KERNELS = f"/home/{OWNER}/.cache/miopen/2.20.0/gfx1030_18.ukdb"
CHOICES = f"/home/{OWNER}/.config/miopen/gfx1030_18.HIP.2_20_0.ufdb.txt"
PROFILE_52_TEXT = """\
export ROCM_PATH=/opt/rocm-5.2.0
export HSA_OVERRIDE_GFX_VERSION=10.3.0
export MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1
export LD_LIBRARY_PATH=/opt/rocm-5.2.0/lib:$LD_LIBRARY_PATH
export PATH=/opt/rocm-5.2.0/bin:$PATH
"""
BUILT = "/opt/rocm-4.5.2"
LINK = "/opt/rocm-old"
SHARED = "/etc/profile.d/workstation.sh"
REMOVED = (
    *("rocm*", "hip*", "miopen*", "rocblas*", "rocfft*", "rocrand*", "rocsolver*", "rocsparse*"),
    *("hipblas*", "hipfft*", "hipsparse*", "rccl*", "roctx*"),
)
"""One of these names no package, so that apt refuses all of them; the script hides it."""


def write_settings(root: Root) -> None:
    """Profile files of two attempts, lines in ``.bashrc`` that a script added twice, caches."""
    root.write(PROFILE, (RECORDED / PROFILE.lstrip("/")).read_text())
    root.write(PROFILE_52, PROFILE_52_TEXT)
    lines = (RECORDED / BASHRC.lstrip("/")).read_text().partition("\n\n")[2]
    before = root.path(BASHRC).read_text()
    root.write(BASHRC, f"{before}\n{lines}", user=OWNER)
    root.write(KERNELS, "stand-in of compiled kernels\n" * 50, user=OWNER)
    root.write(CHOICES, "stand-in of choices\n", user=OWNER)


def scatter(root: Root) -> None:
    """A ROCm built by hand, a link to one that is gone, a line in a profile file of others."""
    root.write(f"{BUILT}/bin/rocminfo", "built by hand\n", 0o755)
    root.run("ln", "--symbolic", "/opt/rocm-4.3.1", LINK)
    root.write(SHARED, "umask 022\nexport HSA_OVERRIDE_GFX_VERSION=10.3.0\n")


def remove_by_globs(root: Root) -> str:
    """Removes as that script does: apt's words, returned here, are thrown away; then /opt goes."""
    done = root.run("apt", "remove", "--purge", "-y", *REMOVED, check=False)
    root.run("sh", "-c", "rm -rf /opt/rocm*")
    return f"{done.stdout}{done.stderr}"
