# ruff: noqa: E501, RUF001 - lines as programs print them
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
        "pip install --index-url https://stable.repo.amd.com/rocm/whl-next/ torch\n"
        "HSA_OVERRIDE_GFX_VERSION=10.3.0\nRuntimeError: HIP error: invalid device function\n",
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

REPORTS: tuple[tuple[str, str], ...] = (
    (
        "override-isa-mismatch",
        "### env\n"
        "HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
        "### dmesg\n"
        "[ 1201.331] amdgpu 0000:0b:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32769, for process python3 pid 8812 thread python3 pid 8812)\n"
        "[ 1201.331] amdgpu 0000:0b:00.0: amdgpu:   in page starting at address 0x00007f3c40000000 from client 0x1b (UTCL2)\n"
        "[ 1201.331] amdgpu 0000:0b:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031\n"
        "### lspci\n"
        "0b:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 [Radeon RX 5600 OEM/5600 XT / 5700/5700 XT] (rev c4)\n",
    ),
    (
        "override-isa-mismatch",
        "docker run -it -e HSA_OVERRIDE_GFX_VERSION=10.3.0 --device=/dev/kfd --device=/dev/dri rocm/pytorch:latest\n"
        "python train.py\n"
        "Segmentation fault (core dumped)\n"
        "GPU: AMD Radeon RX 5500 XT\n",
    ),
    (
        "override-isa-mismatch",
        "set -gx HSA_OVERRIDE_GFX_VERSION 10.3.0\n"
        "RX 5700 XT, torch 2.3.1+rocm6.0\n"
        "first Conv2d hangs forever, GPU at 100 %\n",
    ),
    (
        "gpu-memory-fault",
        "HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
        "AMD Radeon RX 6600 XT\n"
        "Memory access fault by GPU node-1 (Agent handle: 0x5) on address 0x7f. Reason: Page not present or supervisor privilege.\n",
    ),
    ("none", "HSA_OVERRIDE_GFX_VERSION=10.3.0\nRX 6700 XT\nall good 22 it/s"),
    (
        "stale-override",
        "$ env | grep HSA\n"
        "HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
        "$ pip list\n"
        "rocm-sdk-core             7.14.0\n"
        "torch                     2.9.1+rocm7.14.0\n"
        "$ python t.py\n"
        "Memory access fault by GPU node-1 (Agent handle: 0x5) on address 0x7f. Reason: Page not present or supervisor privilege.\n",
    ),
    (
        "kfd-missing",
        "0b:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 [Radeon RX 5700] [1002:731f] (rev c4)\n"
        "\tSubsystem: XFX [1682:5701]\n"
        "\tKernel modules: amdgpu\n"
        "0b:00.1 Audio device [0403]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 HDMI Audio [1002:ab38]\n"
        "\tKernel driver in use: snd_hda_intel\n",
    ),
    (
        "none",
        "0b:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 [Radeon RX 5700] [1002:731f] (rev c4)\n"
        "\tSubsystem: XFX [1682:5701]\n"
        "\tKernel driver in use: amdgpu\n"
        "\tKernel modules: amdgpu\n",
    ),
    (
        "none",
        "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation TU106 [10de:1f08] (rev a1)\n"
        "\tKernel driver in use: vfio-pci\n"
        "\tKernel modules: nouveau\n"
        "0b:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 14 [1002:7340] (rev c5)\n"
        "\tKernel driver in use: amdgpu\n"
        "\tKernel modules: amdgpu\n",
    ),
    (
        "vfio-bound",
        "0000:2f:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 12 [Radeon Pro V520/V540] (rev c3)\n"
        "        Kernel driver in use: vfio-pci\n"
        "        Kernel modules: amdgpu\n",
    ),
    (
        "vfio-bound",
        "BOOT_IMAGE=/vmlinuz root=UUID=1 iommu=pt vfio-pci.ids=1002:7340,1002:ab38 quiet\n",
    ),
    ("none", "options vfio-pci ids=10de:1b81,10de:10f0\n"),
    (
        "apt-distro-shadows-amd",
        "rocminfo:\n"
        "  Installed: (none)\n"
        "  Candidate: 5.7.1-3build1\n"
        "  Version table:\n"
        "     5.7.1-3build1 500\n"
        "        500 http://archive.ubuntu.com/ubuntu noble/universe amd64 Packages\n"
        "     1.0.0.60204-139~24.04 500\n"
        "        500 https://repo.radeon.com/rocm/apt/6.2.4 noble/main amd64 Packages\n",
    ),
    (
        "none",
        "rocminfo:\n"
        "  Installed: 1.0.0.60204-139~24.04\n"
        "  Candidate: 1.0.0.60204-139~24.04\n"
        "  Version table:\n"
        "     5.7.1-3build1 500\n"
        "        500 http://archive.ubuntu.com/ubuntu noble/universe amd64 Packages\n"
        " *** 1.0.0.60204-139~24.04 600\n"
        "        600 https://repo.radeon.com/rocm/apt/6.2.4 noble/main amd64 Packages\n",
    ),
    (
        "apt-release-mismatch",
        "Les paquets suivants contiennent des dépendances non satisfaites :\n"
        " rocm-gdb : Dépend: libpython3.10 (>= 3.10.0) mais il n'est pas installable\n"
        "E: Impossible de corriger les problèmes, des paquets défectueux sont en mode « garder en l'état ».\n",
    ),
    (
        "apt-release-mismatch",
        "The following packages have unmet dependencies:\n"
        " rocm-llvm : Depends: libc6 (>= 2.38) but 2.35-0ubuntu3.8 is to be installed\n",
    ),
    (
        "none",
        "The following packages have unmet dependencies:\n"
        " steam-installer : Depends: steam-libs-i386 (= 1:1.0) but it is not installable\n",
    ),
    (
        "apt-key",
        "Err:6 https://repo.radeon.com/rocm/apt/6.2 noble InRelease\n"
        "  The following signatures were invalid: EXPKEYSIG 9386B48A1A693C5C James Adrian Edwards (ROCm Release Manager) <JamesAdrian.Edwards@amd.com>\n",
    ),
    (
        "none",
        "W: https://repo.radeon.com/rocm/apt/5.7/dists/jammy/InRelease: Key is stored in legacy trusted.gpg keyring (/etc/apt/trusted.gpg), see the DEPRECATION section in apt-key(8) for details.\n",
    ),
    (
        "apt-key",
        "Warning: OpenPGP signature verification failed: https://repo.radeon.com/rocm/apt/6.4 noble InRelease: Sub-process /usr/bin/sqv returned an error code (1), error message is: Missing key CA8BB4727A47B4D09B4EE8969386B48A1A693C5C, which is needed to verify signature.\n",
    ),
    (
        "repo-not-found",
        "Err:5 https://repo.radeon.com/amdgpu/23.99/ubuntu jammy Release\n"
        "  404  Not Found [IP: 13.82.220.49 443]\n",
    ),
    (
        "repo-not-found",
        "E: Das Depot »https://repo.radeon.com/rocm/apt/5.2 jammy Release« enthält keine Release-Datei.\n",
    ),
    (
        "none",
        "E: Failed to fetch http://archive.ubuntu.com/ubuntu/pool/main/c/curl/curl_7.deb  404  Not Found [IP: 1.2.3.4 80]\n",
    ),
    (
        "dpkg-lock",
        "Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 2211 (apt-get)... 42s\n",
    ),
    (
        "dpkg-lock",
        "Error: Unable to lock directory /var/lib/apt/lists/\n"
        "Error: Could not get lock /var/lib/apt/lists/lock. It is held by process 991 (packagekitd)\n",
    ),
    (
        "dpkg-interrupted",
        "E: Der dpkg-Prozess wurde unterbrochen; Sie müssen »sudo dpkg --configure -a« manuell ausführen, um das Problem zu beheben.\n",
    ),
    (
        "dkms-build-failed",
        "Setting up amdgpu-dkms (1:6.3.6.60002-1718217.22.04) ...\n"
        "Building initial module for 6.8.0-31-generic\n"
        "ERROR: Cannot create report: [Errno 17] File exists\n"
        "Error! Bad return status for module build on kernel: 6.8.0-31-generic (x86_64)\n"
        "Consult /var/lib/dkms/amdgpu/6.3.6-1718217.22.04/build/make.log for more information.\n"
        "dpkg: error processing package amdgpu-dkms (--configure):\n"
        " installed amdgpu-dkms package post-installation script subprocess returned error exit status 10\n",
    ),
    (
        "none",
        "Error! Bad return status for module build on kernel: 6.8.0-31-generic (x86_64)\n"
        "Consult /var/lib/dkms/v4l2loopback/0.12.7/build/make.log for more information.\n",
    ),
    (
        "secure-boot-key-rejected",
        "modprobe: ERROR: could not insert 'amdgpu': Key was rejected by service\n"
        "ls: cannot access '/dev/kfd': No such file or directory\n",
    ),
    (
        "secure-boot-key-rejected",
        "kernel: Loading of module with unavailable key is rejected\nkernel: amdkcl: probably\n",
    ),
    (
        "pip-wrong-index",
        "$ pip install torch==1.13.1+rocm5.2\n"
        "Looking in indexes: https://pypi.org/simple\n"
        "ERROR: Could not find a version that satisfies the requirement torch==1.13.1+rocm5.2 (from versions: 1.7.1, 1.8.0, 1.13.1, 2.0.0)\n"
        "ERROR: No matching distribution found for torch==1.13.1+rocm5.2\n",
    ),
    (
        "python-too-new",
        "$ pip install torch==1.13.1+rocm5.2 --extra-index-url https://download.pytorch.org/whl/rocm5.2\n"
        "Looking in indexes: https://pypi.org/simple, https://download.pytorch.org/whl/rocm5.2\n"
        "ERROR: Could not find a version that satisfies the requirement torch==1.13.1+rocm5.2 (from versions: 2.2.0, 2.2.1, 2.2.2, 2.3.0)\n"
        "ERROR: No matching distribution found for torch==1.13.1+rocm5.2\n",
    ),
    (
        "python-too-new",
        "ERROR: torch-1.13.1+rocm5.2-cp310-cp310-linux_x86_64.whl is not a supported wheel on this platform.\n",
    ),
    (
        "python-too-new",
        "  × No solution found when resolving dependencies:\n"
        "  ╰─▶ Because torch==1.13.1+rocm5.2 has no wheels with a matching Python ABI tag (e.g., `cp312`) and you require torch==1.13.1+rocm5.2, we can conclude that your requirements are unsatisfiable.\n",
    ),
    (
        "none",
        "ERROR: Could not find a version that satisfies the requirement tensorflow-rocm==2.99 (from versions: 2.1, 2.2)\n",
    ),
    (
        "cuda-wheel",
        ">>> import torch\n"
        ">>> torch.__version__\n"
        "'2.4.0+cu121'\n"
        ">>> torch.cuda.is_available()\n"
        "False\n"
        "AMD Radeon RX 5700\n",
    ),
    ("cuda-wheel", "torch              2.6.0+cu126\ntorchvision        0.21.0+cu126\n"),
    ("none", "torch 2.6.0+cu126\n01:00.0 VGA compatible controller: NVIDIA Corporation GA106\n"),
    ("none", "AssertionError: Torch not compiled with CUDA enabled\ntorch 2.5.1+cpu\n"),
    (
        "cuda-wheel",
        "Collecting torch\n"
        "  Downloading torch-2.5.1-cp310-cp310-manylinux1_x86_64.whl\n"
        "Collecting nvidia-cublas-cu12==12.4.5.8\n"
        "my card is an AMD RX 5600 XT\n",
    ),
    (
        "numpy2-abi",
        "UserWarning: Failed to initialize NumPy: _ARRAY_API not found (Triggered internally at ../torch/csrc/utils/tensor_numpy.cpp:84.)\n",
    ),
    ("numpy2-abi", "Name: numpy\n[pip3] numpy==2.1.2\n[pip3] torch==2.2.2+rocm5.7\n"),
    (
        "numpy2-abi",
        "Package            Version\n"
        "numpy              2.2.1\n"
        "torch              2.0.1+rocm5.4.2\n",
    ),
    (
        "mixed-rocm-libraries",
        "ImportError: /usr/lib/x86_64-linux-gnu/libamdhip64.so.5: version `hip_5.7' not found (required by /opt/x/librocsolver.so)\n",
    ),
    (
        "mixed-rocm-libraries",
        "libhipblas.so.0: cannot open shared object file\n"
        "$ ldconfig -p | grep hipblas\n"
        "\tlibhipblas.so.2 (libc6,x86-64) => /opt/rocm-6.2.4/lib/libhipblas.so.2\n",
    ),
    (
        "library-path-shadow",
        "$ echo $LD_LIBRARY_PATH\n"
        "/opt/rocm/lib\n"
        "LD_LIBRARY_PATH=/opt/rocm-6.0.0/lib\n"
        "ImportError: /venv/lib/python3.10/site-packages/torch/lib/libtorch_hip.so: undefined symbol: hipGetStreamDeviceId\n"
        "torch 2.0.1+rocm5.4.2\n",
    ),
    (
        "wheel-library-replaced",
        "-rwxr-xr-x 1 u u 468713472 Nov  8 libMIOpen.so\n"
        "-rwxr-xr-x 1 u u 1503238553 Nov  1 libMIOpen.so.bak\n"
        "in /v/lib/python3.10/site-packages/torch/lib\n",
    ),
    ("none", "-rw-r--r-- 1 root root 4 libfoo.so.bak torch\n"),
    (
        "miopen-cache",
        "MIOpen Error: /MIOpen/src/sqlite_db.cpp:212: Internal error while accessing SQLite database: attempt to write a readonly database\n",
    ),
    (
        "miopen-cache",
        "MIOpen(HIP): Error [operator()] Internal error while accessing SQLite database: locking protocol\n",
    ),
    (
        "miopen-solver-restricted",
        "MIOPEN_DEBUG_FIND_ONLY_SOLVER=ConvDirectNaiveConvFwd\n"
        "RuntimeError: miopenStatusUnknownError\n"
        "MIOpen Error: No suitable algorithm was found to execute the required convolution\n",
    ),
    ("none", "RuntimeError: miopenStatusUnknownError\n"),
    (
        "igpu-selected",
        "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\n"
        "  Devices:\n"
        "    amdgcn-amd-amdhsa--gfx90c:xnack- - [Not Found]\n"
        "  Bundled Code Objects:\n"
        "    hipv4-amdgcn-amd-amdhsa--gfx1030 - [code object v4]\n",
    ),
    (
        "igpu-selected",
        "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 20.00 MiB (GPU 0; 512.00 MiB total capacity; 400 MiB already allocated)\n",
    ),
    (
        "out-of-vram",
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 7.98 GiB of which 120.00 MiB is free.\n",
    ),
    (
        "none",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 12 bytes\n",
    ),
    ("disk-full", "cp: error writing '/opt/x': No space left on device\n"),
    (
        "disk-full",
        "dpkg-deb: error: failed to write (No space left on device)\n"
        "E: Sub-process /usr/bin/dpkg returned an error code (1)\n",
    ),
    (
        "download-damaged",
        "pip._vendor.urllib3.exceptions.IncompleteRead: IncompleteRead(10485760 bytes read, 1500000000 more expected)\n",
    ),
    (
        "graphics-ring-timeout",
        "[  100.1] amdgpu 0000:03:00.0: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32773, for process vkcube pid 1 thread)\n"
        "[  110.1] amdgpu 0000:03:00.0: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2\n",
    ),
    (
        "compute-queue-preemption-hang",
        "[  300.9] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=5\n"
        "[  290.1] amdgpu: qcm fence wait loop timeout expired\n"
        "[  290.0] amdgpu: started\n",
    ),
    (
        "benign-kdb-warning",
        "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx1030_20.kdb Performance may degrade. Please follow instructions to install: https://github.com/ROCm/MIOpen#installing-miopen-kernels-package\n",
    ),
    (
        "kfd-permission",
        "$ ls -l /dev/kfd\n"
        "crw-rw---- 1 root render 235, 0 Nov  2 10:00 /dev/kfd\n"
        "$ id\n"
        "uid=1000(bo) gid=1000(bo) groups=1000(bo),4(adm),27(sudo)\n",
    ),
    (
        "none",
        "$ ls -l /dev/kfd\n"
        "crw-rw---- 1 root render 235, 0 Nov  2 10:00 /dev/kfd\n"
        "$ id\n"
        "uid=1000(bo) gid=1000(bo) groups=1000(bo),44(video),992(render)\n",
    ),
    (
        "wsl-unsupported",
        "$ uname -a\n"
        "Linux PC 5.15.90.1-microsoft-standard-WSL2 x86_64\n"
        "$ rocminfo\n"
        "ROCk module is NOT loaded, possibly no GPU devices\n",
    ),
    ("none", "[    0.0] Hypervisor detected: Microsoft Hyper-V\nLinux 6.8.0-1015-azure\n"),
    (
        "none",
        "kfd kfd: amdgpu: added device 1002:731f\n"
        "amdgpu 0000:03:00.0: amdgpu: PCIE atomic ops is not supported\n",
    ),
    ("pcie-atomics", "kfd kfd: skipped device 1002:731f, PCI rejects atomics 421<0\n"),
    (
        "gpu-memory-fault",
        "> Memory access fault by GPU node-1 (Agent handle: 0x55d1c0a3f2b0) on address\n"
        "> 0x7f21a4e00000. Reason: Page not present or supervisor privilege.\n",
    ),
    (
        "apt-key",
        "> W: GPG error: https://repo.radeon.com/rocm/apt/5.7.1 jammy InRelease: The\n"
        "> following signatures couldn't be verified because the public key is not\n"
        "> available: NO_PUBKEY 9386B48A1A693C5C\n",
    ),
    (
        "glibc-execstack",
        '  File "/v/torch/__init__.py", line 191, in <module>\n'
        "ImportError: libamdhip64.so: cannot enable executable stack as shared object\n"
        "requires: Invalid argument\n",
    ),
    (
        "python-too-new",
        "> ERROR: Could not find a version that satisfies the requirement\n"
        "> torch==1.13.1 (from versions: 2.6.0, 2.7.0)\n",
    ),
    (
        "visible-devices-mask",
        "rocminfo: Agent 2\n"
        "  Name:                    gfx1010\n"
        "  Marketing Name:          AMD Radeon RX 5700 XT\n"
        "  Device Type:             GPU\n"
        "$ ROCR_VISIBLE_DEVICES=1 python -c 'import torch; print(torch.cuda.is_available())'\n"
        "False\n",
    ),
    (
        "none",
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\n"
        "ERROR: Could not find a version that satisfies the requirement torch==1.13.1+rocm5.2 (from versions: none)\n",
    ),
    (
        "none",
        "A module that was compiled using NumPy 1.x cannot be run in\n"
        "NumPy 2.0.2 as it may crash.\n"
        '  File "x.py" import matplotlib\n',
    ),
    (
        "none",
        " rocm-hip-sdk : Depends: rocm-core (= 5.7.1.50701-98~22.04) but it is not going to be installed\n"
        "E: Unable to correct problems, you have held broken packages.\n",
    ),
    (
        "none",
        " rocm-hip-runtime : Depends: rocminfo (= 1.0.0.50701-98~22.04) but 1.0.0.60204-139~22.04 is to be installed\n",
    ),
    (
        "none",
        "building 'x'\n/tmp/pip-install-1/x/src/a.cpp:3:10: fatal error: 'cmath' file not found\n",
    ),
    (
        "compute-queue-preemption-hang",
        "[ 99.12] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n"
        "[ 99.9] amdgpu 0000:03:00.0: amdgpu: MODE1 reset\n"
        "[ 100.9] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n",
    ),
    (
        "compute-queue-preemption-hang",
        "INFO: task python3:812 blocked for more than 122 seconds.\n"
        "      Not tainted 6.8\n"
        "Call Trace:\n"
        " kfd_process_evict_queues+0x40/0x90 [amdgpu]\n",
    ),
    (
        "kfd-missing",
        "kernel: Command line: BOOT_IMAGE=/vmlinuz-6.8 root=/dev/sda2 ro quiet nomodeset\n",
    ),
    (
        "kfd-missing",
        "[ 3.1] amdgpu 0000:0b:00.0: Direct firmware load for amdgpu/navi14_sos.bin failed with error -2\n"
        "[ 3.2] amdgpu 0000:0b:00.0: amdgpu: Fatal error during GPU init\n"
        "[ 3.3] amdgpu: probe of 0000:0b:00.0 failed with error -2\n",
    ),
    (
        "library-path-shadow",
        "$ ldd venv/lib/python3.10/site-packages/torch/lib/libtorch_hip.so | grep MIOpen\n"
        "\tlibMIOpen.so => /opt/rocm-5.2.0/lib/libMIOpen.so (0x00007f)\n",
    ),
    ("none", "LD_LIBRARY_PATH=/opt/rocm/lib\ntorch==2.2.2+rocm5.7\n"),
    ("none", "LD_LIBRARY_PATH=/usr/local/cuda/lib64\ntorch==1.13.1+rocm5.2\n"),
    (
        "stale-override",
        "HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
        "  Name:                    gfx1030\n"
        "  Marketing Name:          AMD Radeon RX 5600 XT\n"
        "  Device Type:             GPU\n"
        "  Name:                    gfx1030\n"
        "  Marketing Name:          AMD Radeon Graphics\n"
        "  Device Type:             GPU\n",
    ),
    (
        "igpu-selected",
        "  Name:                    gfx1010\n"
        "  Marketing Name:          AMD Radeon RX 5700 XT\n"
        "  Device Type:             GPU\n"
        "  Name:                    gfx1036\n"
        "  Marketing Name:          AMD Radeon Graphics\n"
        "  Device Type:             GPU\n"
        "RuntimeError: HIP error: invalid device function\n",
    ),
    (
        "none",
        "  Name:                    gfx1010\n"
        "  Marketing Name:          AMD Radeon RX 5700 XT\n"
        "  Device Type:             GPU\n"
        "  Name:                    gfx1036\n"
        "  Marketing Name:          AMD Radeon Graphics\n"
        "  Device Type:             GPU\n",
    ),
    (
        "rocblas-lacks-gfx-target",
        "rocBLAS error: Cannot read /opt/rocm-5.5.0/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx1011\n"
        "Aborted (core dumped)\n",
    ),
    (
        "rocblas-lacks-gfx-target",
        "rocblaslt error: Cannot read /opt/rocm/lib/hipblaslt/library/TensileLibrary_lazy_gfx1012.dat: No such file or directory\n",
    ),
    (
        "none",
        "rocBLAS warning: hipBlasLT failed, falling back to tensile.\n"
        "UserWarning: Attempting to use hipBLASLt on an unsupported architecture! Overriding blas backend to hipblas\n",
    ),
    (
        "override-isa-mismatch",
        "HSA_OVERRIDE_GFX_VERSION=10.3.0 python3 gen.py\n"
        "HW Exception by GPU node-1 (Agent handle: 0x56) reason :GPU Hang\n"
        "Aborted\n"
        "PyTorch version: 2.4.1+rocm6.1\n",
    ),
    (
        "override-isa-mismatch",
        "HSA_OVERRIDE_GFX_VERSION=11.0.0\n"
        "AMD Radeon RX 5700\n"
        "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: The agent attempted to execute an illegal shader instruction.\n",
    ),
    (
        "gpu-memory-fault",
        "HSA_OVERRIDE_GFX_VERSION=10.1.0\n"
        "Radeon RX 5500 XT\n"
        "Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x2. Reason: Write access to a read-only page.\n",
    ),
    (
        "none",
        "unset HSA_OVERRIDE_GFX_VERSION\n# export HSA_OVERRIDE_GFX_VERSION=10.3.0\nGPU works\n",
    ),
    ("noop-setting", "MIOPEN_DEBUG_CONV_GEMM=1 MIOPEN_DEBUG_CONV_DIRECT=0 python a.py\n"),
    ("none", "MIOPEN_FIND_MODE=2\nHSA_ENABLE_SDMA=0\n"),
    ("noop-setting", "HSA_OVERRIDE_GFX_VERSION_0=10.3.0\ntorch==2.2.2+rocm5.7\n"),
    (
        "visible-devices-mask",
        "os.environ['HIP_VISIBLE_DEVICES'] = '2'\n"
        "RuntimeError: HIP error: invalid device ordinal\n",
    ),
    ("none", "RuntimeError: HIP error: invalid device ordinal\ntorch.cuda.set_device(3)\n"),
    ("disk-full", "OSError: [Errno 28] No space left on device: '/tmp/pip-unpack-x/torch.whl'\n"),
    ("none", "/dev/loop3  64M  64M  0 100% /snap/core20/2318\n"),
    (
        "download-damaged",
        "ERROR: Wheel 'torch' located at /tmp/x/torch-2.2.2+rocm5.7-cp310-cp310-linux_x86_64.whl is invalid.\n",
    ),
    (
        "secure-boot-key-rejected",
        "insmod: ERROR: could not insert module amdgpu.ko: Key was rejected by service\n",
    ),
    (
        "miopen-cache",
        "MIOpen(HIP): Warning [Open] LockFile: cannot open /home/a/.config/miopen/x.lock: Permission denied\n",
    ),
    ("none", "ls: cannot access '/home/u/.cache/miopen': No such file or directory\n"),
    ("none", "RuntimeError: CUDA error: invalid device function\nNVIDIA GeForce GTX 1060\n"),
    ("none", "sqlite3.OperationalError: database is locked\n"),
    (
        "miopen-cache",
        "MIOpen Error: filesystem error: cannot create directories: Permission denied [/srv/kernels/3.5.2.]\n",
    ),
    (
        "miopen-cache",
        "MIOpen(HIP): Error [FlushUnsafe] File is unreadable: /nfs/bo/.config/miopen//gfx1030_11.HIP.2_20_0.ufdb.txt\n",
    ),
    (
        "none",
        "MIOpen(HIP): Warning [SQLiteBase] Unable to read system database file:/opt/x/gfx1030_11.kdb Performance may degrade\n",
    ),
    (
        "none",
        "/opt/new: torch 2.9.1+rocm6.4, numpy 2.3.4\n"
        "/opt/old: torch 1.13.1+rocm5.2, numpy 1.26.4\n",
    ),
)
"""Longer texts: the one cause that each proves, or ``none``."""
