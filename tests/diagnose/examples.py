# ruff: noqa: E501 - lines as programs print them
"""Short texts in the real formats: what each proves, and what looks alike and proves nothing."""

PROVES: tuple[tuple[str, str], ...] = (
    (
        "override-isa-mismatch",
        "$ HSA_OVERRIDE_GFX_VERSION=10.3.0 python train.py\n"
        "Memory access fault by GPU node-1 (Agent handle: 0x55d1c0a3f2b0) on address 0x7f21a4e00000."
        " Reason: Page not present or supervisor privilege.\nAborted (core dumped)\n"
        "torch 2.1.2+rocm5.6, card: Radeon RX 5700\n",
    ),
    (
        "override-isa-mismatch",
        'os.environ["HSA_OVERRIDE_GFX_VERSION"] = "9.0.6"  # RX 5500 XT\nSegmentation fault\n',
    ),
    (
        "wheel-lacks-gfx-target",
        "RuntimeError: HIP error: invalid device function\nHIP kernel errors might be\n",
    ),
    (
        "wheel-lacks-gfx-target",
        '"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"\n'
        "  Devices:\n    amdgcn-amd-amdhsa--gfx1012:xnack- - [Not Found]\n  Bundled Code Objects:\n"
        "    hipv4-amdgcn-amd-amdhsa--gfx900:xnack- - [code object v4 is amdgcn-amd-amdhsa--gfx900:xnack-]\n",
    ),
    (
        "wheel-lacks-gfx-target",
        "ggml_cuda_init: found 1 ROCm devices:\n  Device 0: AMD Radeon RX 5700 XT, gfx1010:xnack-\n"
        "CUDA error: invalid device function\n",
    ),
    (
        "rocblas-lacks-gfx-target",
        "rocBLAS error: Cannot read /usr/lib/rocblas/library/TensileLibrary.dat: Illegal seek"
        " for GPU arch : gfx1012\n List of available TensileLibrary Files : \n",
    ),
    (
        "compute-queue-preemption-hang",
        "[  812.404551] amdgpu: qcm fence wait loop timeout expired\n[  812.404558] amdgpu: The cp"
        " might be in an unrecoverable state due to an unsuccessful queues preemption\n"
        "[  812.404560] amdgpu: Failed to evict process queues\n"
        "[  812.404612] amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!\n",
    ),
    (
        "compute-queue-preemption-hang",
        "HW Exception by GPU node-1 (Agent handle: 0x5581f0) reason :GPU Hang\n",
    ),
    (
        "graphics-ring-timeout",
        "[ 4011.1] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled"
        " seq=88121, emitted seq=88123\n[ 4011.1] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process"
        " information: process Witcher3.exe pid 4110 thread vkd3d pid 4190\n"
        "[ 4011.2] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n",
    ),
    (
        "graphics-ring-timeout",
        "amdgpu 0000:03:00.0: [drm] *ERROR* ring sdma0 timeout, but soft recovered\n",
    ),
    (
        "gpu-memory-fault",
        "Memory access fault by GPU node-2 (Agent handle: 0x7fe0) on address (nil). Reason: Unknown.\n",
    ),
    (
        "gpu-memory-fault",
        ":0:rocdevice.cpp            :2660: 1234567 us: Callback: Queue 0x7f0000000000 aborting with"
        " error : HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: The agent attempted to access memory\n",
    ),
    (
        "kfd-permission",
        "ROCk module is loaded\nUnable to open /dev/kfd read-write: Permission denied\n"
        'alice is not member of "render" group, the default DRM access group.\n',
    ),
    (
        "kfd-permission",
        'openat(AT_FDCWD, "/dev/kfd", O_RDWR|O_CLOEXEC) = -1 EACCES (Permission denied)\n',
    ),
    ("kfd-missing", "ROCk module is NOT loaded, possibly no GPU devices\n"),
    ("kfd-missing", "Unable to open /dev/kfd read-write: No such file or directory\n"),
    (
        "kfd-missing",
        "docker: Error response from daemon: error gathering device information while adding custom"
        ' device "/dev/kfd": no such file or directory.\n',
    ),
    ("kfd-missing", "kfd kfd: DID 7340 is missing in supported_devices\n"),
    (
        "vfio-bound",
        "2d:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 14"
        " [Radeon RX 5500/5500M / Pro 5500M] [1002:7340] (rev c5)\n\tSubsystem: Sapphire [1da2:e423]\n"
        "\tKernel driver in use: vfio-pci\n\tKernel modules: amdgpu\n",
    ),
    (
        "vfio-bound",
        "[    2.1] vfio_pci: add [1002:731f[ffffffff:ffffffff]] class 0x000000/00000000\n",
    ),
    (
        "wsl-unsupported",
        "Linux DESKTOP 5.15.167.4-microsoft-standard-WSL2 #1 SMP x86_64 GNU/Linux\n",
    ),
    ("pcie-atomics", "kfd kfd: skipped device 1002:731f, PCI rejects atomics\n"),
    (
        "mec-firmware-old",
        "kfd kfd: amdgpu: skipped device 1002:7340, PCI rejects atomics 131<145\n",
    ),
    (
        "igpu-selected",
        "rocBLAS error: Cannot read /x/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1036\n",
    ),
    ("visible-devices-mask", "HIP_VISIBLE_DEVICES=1\nRuntimeError: No HIP GPUs are available\n"),
    ("visible-devices-mask", "export ROCR_VISIBLE_DEVICES=\ntorch.cuda.is_available(): False\n"),
    (
        "apt-release-mismatch",
        "The following packages have unmet dependencies:\n"
        " rocm-llvm : Depends: python but it is not installable\n"
        "             Depends: libstdc++-5-dev but it is not installable or\n"
        "E: Unable to correct problems, you have held broken packages.\n",
    ),
    (
        "apt-release-mismatch",
        "Die folgenden Pakete haben unerfüllte Abhängigkeiten:\n"
        " rocm-gdb : Hängt ab von: libpython3.8 (>= 3.8.2) ist aber nicht installierbar\n",
    ),
    (
        "apt-release-mismatch",
        " Problem: nothing provides libtinfo.so.5()(64bit) needed by rocm-gdb-11.2\n",
    ),
    (
        "apt-distro-shadows-amd",
        " rocm-hip-runtime : Depends: rocminfo (= 1.0.0.50701-98~22.04) but 5.0.0-1 is to be installed\n",
    ),
    (
        "apt-key",
        "W: GPG error: https://repo.radeon.com/rocm/apt/5.7.1 jammy InRelease: The following signatures"
        " couldn't be verified because the public key is not available: NO_PUBKEY 9386B48A1A693C5C\n",
    ),
    (
        "repo-not-found",
        "E: The repository 'https://repo.radeon.com/rocm/apt/5.2 focal Release' does not have a Release file.\n",
    ),
    (
        "repo-not-found",
        "Errors during downloading metadata for repository 'ROCm-6.2':\n  - Status code: 404 for"
        " https://repo.radeon.com/rocm/rhel9/6.99/main/repodata/repomd.xml (IP: 1.2.3.4)\n",
    ),
    (
        "dpkg-lock",
        "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 2211 (unattended-upgr)\n",
    ),
    (
        "dpkg-lock",
        "E: Konnte Sperre /var/lib/dpkg/lock-frontend nicht bekommen. Diese wird durch Prozess 88 gehalten.\n",
    ),
    (
        "dpkg-interrupted",
        "E: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a' to correct the problem.\n",
    ),
    (
        "dkms-build-failed",
        "Building module:\ncleaning build area...\nERROR (dkms apport): binary package for amdgpu:"
        " 5.18.2 not found\nError! Bad return status for module build on kernel: 6.8.0-45-generic\n",
    ),
    (
        "secure-boot-key-rejected",
        "modprobe: ERROR: could not insert 'amdgpu': Key was rejected by service\n",
    ),
    (
        "missing-hip-library",
        "ImportError: libamdhip64.so.5: cannot open shared object file: No such file or directory\n",
    ),
    ("missing-hip-library", "\tlibrocblas.so.4 => not found\n"),
    (
        "mixed-rocm-libraries",
        "./bench: symbol lookup error: /opt/rocm/lib/libhipblas.so.2: undefined symbol: rocblas_get_version\n",
    ),
    (
        "numpy2-abi",
        "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.1.3 as it may crash.\n"
        '  File "/x/site-packages/torch/__init__.py", line 1477\n',
    ),
    ("numpy2-abi", "numpy==2.0.1\npillow==10.4.0\ntorch==1.13.1+rocm5.2\n"),
    (
        "python-too-new",
        "Looking in indexes: https://download.pytorch.org/whl/rocm5.2\nERROR: Could not find a version"
        " that satisfies the requirement torch==1.13.1+rocm5.2 (from versions: none)\n"
        "ERROR: No matching distribution found for torch==1.13.1+rocm5.2\n",
    ),
    (
        "python-too-new",
        "ERROR: Could not find a version that satisfies the requirement torch==1.13.1"
        " (from versions: 2.2.0, 2.2.1, 2.2.2, 2.3.0)\n",
    ),
    (
        "pip-wrong-index",
        "ERROR: Could not find a version that satisfies the requirement torch==2.2.2+rocm5.7"
        " (from versions: 1.11.0, 1.12.0, 2.2.2, 2.5.1)\n",
    ),
    ("cuda-wheel", "PyTorch version: 2.5.1+cu124\nROCM used to build PyTorch: N/A\n"),
    ("cuda-wheel", "RuntimeError: Found no NVIDIA driver on your system. Please check\n"),
    (
        "glibc-execstack",
        "ImportError: libhiprtc.so: cannot enable executable stack as shared object requires: Invalid argument\n",
    ),
    (
        "miopen-cache",
        "MIOpen(HIP): Error [SQLiteBase] /home/bo/.config/miopen/gfx1030_18.udb: unable to open database file\n",
    ),
    (
        "miopen-cache",
        "terminate called after throwing an instance of 'boost::filesystem::filesystem_error'\n  what():"
        '  boost::filesystem::create_directories: Permission denied [system:13]: "/root/.cache/miopen/2.17.0"\n',
    ),
    (
        "miopen-batchnorm-dpp",
        "<inline asm>:14:20: error: not a valid operand.\nv_add_f32 v4 v4 v4 row_bcast:15 row_mask:0xa\n"
        "                   ^\nMIOpen Error: code object build failed\n",
    ),
    (
        "miopen-compile-headers",
        "MIOpen(HIP): Error [BuildHip] HIPRTC status = HIPRTC_ERROR_COMPILATION (6), source file: a.cpp\n"
        "/tmp/comgr-a1b2/input/a.cpp:39:10: fatal error: 'limits' file not found\n",
    ),
    (
        "miopen-solver-restricted",
        "MIOPEN_DEBUG_CONV_GEMM=0\nMIOPEN_DEBUG_CONV_DIRECT=0\nRuntimeError: No suitable algorithm was found"
        " to execute the required convolution\n",
    ),
    (
        "out-of-vram",
        "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 1.50 GiB (GPU 0; 5.98 GiB total)\n",
    ),
    (
        "stale-override",
        "HSA_OVERRIDE_GFX_VERSION=10.3.0\namd-torch-device-gfx1010==2.9.1\ntorch==2.9.1+rocm7.14.0\n"
        "RuntimeError: HIP error: invalid device function\n",
    ),
    (
        "stale-override",
        "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\n"
        "    amdgcn-amd-amdhsa--gfx1030 - [Not Found]\n    hipv4-amdgcn-amd-amdhsa--gfx1010 - [code object v5]\n"
        "env: HSA_OVERRIDE_GFX_VERSION=10.3.0\n",
    ),
    ("noop-setting", "export MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1\n"),
    ("noop-setting", "HIP_FORCE_COARSE_GRAIN=1\n"),
    (
        "library-path-shadow",
        "LD_LIBRARY_PATH=/opt/rocm-5.2.0/lib:/opt/rocm-5.2.0/lib64:\ntorch==1.13.1+rocm5.2\n",
    ),
    (
        "wheel-library-replaced",
        "$ ls venv/lib/python3.12/site-packages/torch/lib\nlibMIOpen.so\nlibMIOpen.so.original\n",
    ),
    (
        "disk-full",
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n",
    ),
    ("disk-full", "E: You don't have enough free space in /var/cache/apt/archives/.\n"),
    ("download-damaged", "E: Failed to fetch https://x/rocm-llvm_15.deb  Hash Sum mismatch\n"),
    (
        "download-damaged",
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n",
    ),
    (
        "benign-kdb-warning",
        "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx1030_18.kdb Performance may degrade\n",
    ),
)
"""Cause and text; its first finding must be that cause."""

PROVES_NOTHING: tuple[tuple[str, str], ...] = (
    (
        "rings that are set up",
        "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 uses VM inv eng 0 on hub 0\n",
    ),
    (
        "a queue at process exit",
        "amdgpu: Freeing queue vital buffer 0x7f00ab000000, queue evicted\n",
    ),
    (
        "more queues than places",
        "amdgpu: Runlist is getting oversubscribed. Expect reduced ROCm performance.\n",
    ),
    (
        "another source's key",
        "W: GPG error: https://dl.google.com/linux stable InRelease: NO_PUBKEY E88979FB9B30ACF2\n",
    ),
    (
        "another source's 404",
        "E: The repository 'http://ppa.launchpad.net/x noble Release' does not have a Release file.\n",
    ),
    (
        "a lock without the right",
        "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\n"
        "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?\n",
    ),
    (
        "another module's key",
        "modprobe: ERROR: could not insert 'vboxdrv': Key was rejected by service\n",
    ),
    (
        "another module's build",
        "Error! Bad return status for module build on kernel: 6.8.0 (nvidia/550.1)\n",
    ),
    (
        "NVIDIA's card in a virtual machine",
        "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA104"
        " [10de:2484] (rev a1)\n\tKernel driver in use: vfio-pci\n",
    ),
    (
        "memory of the computer",
        "Out of memory: Killed process 4021 (python3) total-vm:30123456kB\n",
    ),
    (
        "memory of another maker's card",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. NVIDIA GeForce RTX 3060\n",
    ),
    ("watches and not space", "inotify_add_watch: No space left on device\n"),
    (
        "another library",
        "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory\n",
    ),
    (
        "a symbol of torch itself",
        "ImportError: /x/torchvision/_C.so: undefined symbol: _ZN3c1017RegisterOperatorsD1Ev\n",
    ),
    (
        "the family of the wheel's own value",
        "HSA_OVERRIDE_GFX_VERSION=10.1.0\nRX 5500 XT works: 12 it/s\n",
    ),
    ("an override and no fault", "HSA_OVERRIDE_GFX_VERSION=10.3.0\n>>> torch.ones(2).cuda()\n"),
    (
        "only hardware",
        "03:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 (rev c1)\n",
    ),
    (
        "a trace of the program's own",
        'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 3\n',
    ),
    ("no reason told", "RuntimeError: No HIP GPUs are available\n"),
    ("the first card named", "HIP_VISIBLE_DEVICES=0\nrocminfo ok\n"),
    ("headers of another program", "a.cpp:1:10: fatal error: 'type_traits' file not found\n"),
    ("a setting that acts", "MIOPEN_DEBUG_CONV_GEMM=0\n"),
    (
        "a system file that is not there",
        "MIOpen(HIP): Info [x] unable to read system database file gfx1030_18.HIP.fdb.txt\n",
    ),
    ("versions that go together", "numpy==2.1.0\ntorch==2.5.1+rocm6.2\n"),
    (
        "a network that is away",
        "W: Failed to fetch https://repo.radeon.com/rocm/apt/5.7/dists/jammy/InRelease"
        "  Could not resolve 'repo.radeon.com'\n",
    ),
    ("advice somebody gave", "If apt complains, run dpkg --configure -a and try again.\n"),
    (
        "SELinux and not glibc",
        "libx.so: cannot enable executable stack as shared object requires: Permission denied\n",
    ),
)
"""What it is, and a text in which nothing may be called a fault."""
