# ruff: noqa: E501 - lines as programs print them
"""One message in many dresses: other releases, other languages, prefixes, broken lines; and what only speaks of it.

Each is a text and the causes that must be found in it (none: nothing may be called a fault).
"""

WORDINGS: tuple[tuple[tuple[str, ...], str], ...] = (
    # apt and dpkg in other languages, after their catalogues
    (
        ("dpkg-lock",),
        "E: Sperre /var/lib/dpkg/lock-frontend konnte nicht erlangt werden. Sie wird von Prozess 4110 (unattended-upgr) gehalten.\n",
    ),
    (
        ("dpkg-lock",),
        "E: Impossible d'obtenir le verrou /var/lib/dpkg/lock-frontend. Il est occupé par le processus 4110 (apt-get)\nE: Impossible d'obtenir le verrou de dpkg (/var/lib/dpkg/lock-frontend). Il est possible qu'un autre processus l'utilise.\n",
    ),
    (
        ("dpkg-lock",),
        "E: No se pudo bloquear /var/lib/dpkg/lock-frontend. El proceso 4110 (packagekitd) lo está usando\n",
    ),
    (
        ("dpkg-lock",),
        "E: Impossibile impostare il blocco /var/lib/dpkg/lock-frontend. È bloccato dal processo 77 (apt)\n",
    ),
    (
        ("dpkg-lock",),
        "Warten auf Sperre für Zwischenspeicher: Sperre /var/lib/dpkg/lock-frontend konnte nicht erlangt werden. Sie wird von Prozess 9 (apt) gehalten.\n",
    ),
    (
        ("dpkg-lock",),
        "dpkg: error: dpkg frontend lock was locked by another process with pid 3121\nNote: removing the lock file is always wrong, can damage the locked area\n",
    ),
    (("dpkg-lock",), "dpkg: error: dpkg status database is locked by another process\n"),
    (
        ("dpkg-lock",),
        "E: Could not get lock /var/lib/dpkg/lock - open (11: Resource temporarily unavailable)\nE: Unable to lock the administration directory (/var/lib/dpkg/), is another process using it?\n",
    ),
    (
        (),
        "E: Sperre /var/lib/dpkg/lock-frontend konnte nicht geöffnet werden - open (13: Keine Berechtigung)\nE: Erlangen der Sperre für die Dpkg-Oberfläche (/var/lib/dpkg/lock-frontend) nicht möglich; sind Sie root?\n",
    ),
    (
        (),
        "E: Impossible d'ouvrir le fichier verrou /var/lib/dpkg/lock-frontend - open (13: Permission non accordée)\nE: Impossible d'obtenir le verrou de dpkg (/var/lib/dpkg/lock-frontend). Avez-vous les droits du superutilisateur ?\n",
    ),
    (
        ("dpkg-interrupted",),
        "E: Der dpkg-Prozess wurde unterbrochen; Sie müssen manuell »sudo dpkg --configure -a« ausführen, um das Problem zu beheben.\n",
    ),
    (
        ("dpkg-interrupted",),
        "E: dpkg a été interrompu. Il est nécessaire d'utiliser « sudo dpkg --configure -a » pour corriger le problème.\n",
    ),
    (
        ("dpkg-interrupted",),
        "E: se interrumpió la ejecución de dpkg, debe iniciar manualmente «sudo dpkg --configure -a» para corregir el problema.\n",
    ),
    (
        ("dpkg-interrupted",),
        'E: dpkg è stato interrotto. È necessario eseguire "sudo dpkg --configure -a" per correggere il problema.\n',
    ),
    (
        ("dpkg-interrupted",),
        "[apt] E: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a' to correct the problem.\n",
    ),
    (
        ("dpkg-interrupted",),
        "Error: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a' to correct the problem.\n",
    ),
    (
        ("dpkg-interrupted",),
        "The following packages are only half configured, probably due to problems\nconfiguring them the first time.  The configuration should be retried using\ndpkg --configure <package> or the configure menu option in dselect:\n rocm-core            ROCm core\n",
    ),
    (
        ("repo-not-found",),
        "E: Le dépôt https://repo.radeon.com/rocm/apt/5.3 noble Release n'a pas de fichier Release.\n",
    ),
    (
        ("repo-not-found",),
        "E: El repositorio «https://repo.radeon.com/rocm/apt/5.3 noble Release» no tiene un fichero de Publicación.\n",
    ),
    (
        ("repo-not-found",),
        "E: Das Depot »https://repo.radeon.com/amdgpu/5.3/ubuntu noble Release« enthält keine Release-Datei mehr.\n",
    ),
    (
        ("repo-not-found",),
        "Fehl:7 https://repo.radeon.com/rocm/apt/5.3 noble Release\n  404  Not Found [IP: 23.46.188.9 443]\n",
    ),
    (
        ("repo-not-found",),
        "Error: The repository 'https://repo.radeon.com/rocm/apt/6.9 trixie Release' does not have a Release file.\nNotice: Updating from such a repository can't be done securely, and is therefore disabled by default.\n",
    ),
    (
        ("apt-key",),
        "W: GPG-Fehler: https://repo.radeon.com/rocm/apt/6.3 noble InRelease: Die folgenden Signaturen konnten nicht überprüft werden, weil ihr öffentlicher Schlüssel nicht verfügbar ist: NO_PUBKEY 9386B48A1A693C5C\nE: Das Depot »https://repo.radeon.com/rocm/apt/6.3 noble InRelease« ist nicht signiert.\n",
    ),
    (
        ("apt-key",),
        "E: Le dépôt https://repo.radeon.com/rocm/apt/6.3 noble InRelease n'est pas signé.\n",
    ),
    (
        ("apt-key",),
        "E: El repositorio «https://repo.radeon.com/rocm/apt/6.3 noble InRelease» no está firmado.\n",
    ),
    (
        ("apt-release-mismatch",),
        "Los siguientes paquetes tienen dependencias incumplidas:\n rocm-gdb : Depende: libpython3.8 (>= 3.8.2) pero no es instalable\nE: No se pudieron corregir los problemas, usted ha retenido paquetes rotos.\n",
    ),
    (
        ("apt-release-mismatch",),
        "Die folgenden Pakete haben unerfüllte Abhängigkeiten:\n rocm-llvm : Hängt ab von: rocm-core (= 5.2.1.50201-79) soll aber nicht installiert werden\n             Hängt ab von: libstdc++-7-dev ist aber nicht installierbar oder\n                           libstdc++-5-dev ist aber nicht installierbar\n",
    ),
    (
        ("apt-release-mismatch",),
        "webui-1  | The following packages have unmet dependencies:\nwebui-1  |  rocm-llvm : Depends: python but it is not installable\n",
    ),
    (
        ("apt-distro-shadows-amd",),
        "Die folgenden Pakete haben unerfüllte Abhängigkeiten:\n rocm-hip-runtime : Hängt ab von: rocminfo (= 1.0.0.60201-112~24.04) aber 5.7.1-3build1 soll installiert werden\n",
    ),
    (
        ("apt-distro-shadows-amd",),
        "Los siguientes paquetes tienen dependencias incumplidas:\n rocm-dev : Depende: rocm-cmake (= 0.13.0.60201-112~24.04) pero 6.0.0-1 va a ser instalado\n",
    ),
    (
        ("apt-distro-shadows-amd",),
        "rocminfo:\n  Installiert:           (keine)\n  Installationskandidat: 5.7.1-3build1\n  Versionstabelle:\n     5.7.1-3build1 500\n        500 http://de.archive.ubuntu.com/ubuntu noble/universe amd64 Packages\n     1.0.0.60300-39~24.04 500\n        500 https://repo.radeon.com/rocm/apt/6.3 noble/main amd64 Packages\n",
    ),
    (
        ("apt-distro-shadows-amd",),
        "rocminfo:\n  Installé : (aucun)\n  Candidat : 5.7.1-3build1\n Table de version :\n     5.7.1-3build1 500\n        500 http://fr.archive.ubuntu.com/ubuntu noble/universe amd64 Packages\n     1.0.0.60300-39~24.04 500\n        500 https://repo.radeon.com/rocm/apt/6.3 noble/main amd64 Packages\n",
    ),
    (
        ("download-damaged",),
        "E: Fehlschlag beim Holen von https://repo.radeon.com/rocm/apt/6.2/pool/main/r/rocm-llvm_18.deb  Hash-Summe stimmt nicht überein\n",
    ),
    (
        ("download-damaged",),
        "E: Fallo al obtener https://repo.radeon.com/x.deb  La suma de comprobación difiere\n",
    ),
    (
        ("download-damaged",),
        "E: Impossible de récupérer https://repo.radeon.com/x.deb  Le fichier a une taille incohérente (1204 != 88120). Le miroir est peut-être en cours de mise à jour ?\n",
    ),
    (("disk-full",), "E: Sie haben nicht genug Platz in /var/cache/apt/archives/.\n"),
    (("disk-full",), "E: Pas assez d'espace disponible sur /var/cache/apt/archives/\n"),
    (("disk-full",), "E: No tiene suficiente espacio libre en /var/cache/apt/archives/.\n"),
    (
        ("disk-full",),
        "cp: Fehler beim Schreiben von '/opt/x': Auf dem Gerät ist kein Speicherplatz mehr verfügbar\n",
    ),
    (
        ("disk-full",),
        "tar: torch/lib/libtorch_hip.so: écriture impossible: Aucun espace disponible sur le périphérique\n",
    ),
    (
        ("dkms-build-failed",),
        "dpkg: Fehler beim Bearbeiten des Paketes amdgpu-dkms (--configure):\n »installiertes amdgpu-dkms-Skript des Paketes post-installation«-Unterprozess gab den Fehlerwert 10 zurück\n",
    ),
    (
        ("dkms-build-failed",),
        "dpkg: erreur de traitement du paquet amdgpu-dkms (--configure) :\n le sous-processus paquet amdgpu-dkms script post-installation installé a retourné une erreur de sortie d'état 10\n",
    ),
    (("kfd-permission",), "bash: /dev/kfd: Keine Berechtigung\n"),
    (("kfd-permission",), "bash: /dev/kfd: Permiso denegado\n"),
    (
        ("kfd-missing",),
        "ls: Zugriff auf '/dev/kfd' nicht möglich: Datei oder Verzeichnis nicht gefunden\n",
    ),
    (
        ("kfd-missing",),
        "ls: impossible d'accéder à '/dev/kfd': Aucun fichier ou dossier de ce type\n",
    ),
    (
        ("kfd-missing",),
        "ls: no se puede acceder a '/dev/kfd': No existe el archivo o el directorio\n",
    ),
    (
        ("missing-hip-library",),
        "./llama-cli: Fehler beim Laden der Shared Libraries: libhipblas.so.2: Kann die Shared-Object-Datei nicht öffnen: Datei oder Verzeichnis nicht gefunden\n",
    ),
    (
        ("missing-hip-library",),
        "./llama-cli: error al cargar las bibliotecas compartidas: librocblas.so.4: no se puede abrir el archivo del objeto compartido: No existe el archivo o el directorio\n",
    ),
    (
        ("override-isa-mismatch",),
        "HSA_OVERRIDE_GFX_VERSION=10.3.0 python3 a.py\nSpeicherzugriffsfehler (Speicherabzug geschrieben)\nRadeon RX 5500 XT, torch 2.4.1+rocm6.1\n",
    ),
    # broken, prefixed and escaped
    (("wheel-lacks-gfx-target",), "[rank0]: RuntimeError: HIP error: invalid device function\n"),
    (
        ("wheel-lacks-gfx-target",),
        "2026-03-01T09:14:22.1190034Z RuntimeError: HIP error: invalid device function\n",
    ),
    (
        ("python-too-new",),
        "##[error]ERROR: torch-1.13.1+rocm5.2-cp310-cp310-linux_x86_64.whl is not a supported wheel on this platform.\n",
    ),
    (
        ("python-too-new",),
        "[pip] ERROR: Could not find a version that satisfies the requirement torch==1.13.1 (from versions: 2.6.0, 2.7.0)\n[pip] ERROR: No matching distribution found for torch==1.13.1\n",
    ),
    (
        ("compute-queue-preemption-hang",),
        "[Mon Mar  2 20:11:40 2026] amdgpu: qcm fence wait loop timeout expired\n[Mon Mar  2 20:11:40 2026] amdgpu: The cp might be in an unrecoverable state due to an unsuccessful queues preemption\n",
    ),
    (
        ("compute-queue-preemption-hang",),
        "2026-03-02T20:11:40+0100 buche kernel: amdgpu 0000:0a:00.0: amdgpu: Queue preemption failed for queue with doorbell_id: 80004008\n",
    ),
    (
        ("graphics-ring-timeout",),
        "Mar  2 20:11:40 buche kernel: [ 8123.112233] amdgpu 0000:0a:00.0: amdgpu: ring sdma0 timeout, signaled seq=40, emitted seq=42\n",
    ),
    (
        ("gpu-memory-fault",),
        "Memory access fault by GPU node-1 (Agent handle: 0x55d1c0a3f2b0) on address 0x7f21a4e0\n0000. Reason: Page not present or supervisor privilege.\n",
    ),
    (
        ("out-of-vram",),
        '{"log":"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.25 GiB. GPU 0 has a total capacity of 5.98 GiB\\n","stream":"stderr","time":"2026-01-01T00:00:00Z"}\n',
    ),
    # what only speaks of it
    ((), "If you see `Memory access fault by GPU node-1`, look at your variables first.\n"),
    ((), "- `hipErrorNoBinaryForGpu`: the wheel has no code for your card\n"),
    ((), "| `HIP error: invalid device function` | no code for the card |\n"),
    (
        (),
        "$ journalctl -k | grep -iE 'qcm fence wait loop timeout expired|ring gfx_0.0.0 timeout, signaled'\n$\n",
    ),
    ((), "4f1c2ab9d01 drm/amdkfd: print qcm fence wait loop timeout expired only once\n"),
    ((), '            raise RuntimeError("HIP error: invalid device function")\n'),
    ((), "    if 'HIP out of memory' in str(error):\n"),
    ((), "# Memory access fault by GPU node-1 comes from a wrong override\n"),
    ((), "The ring gfx_0.0.0 timeout, signaled seq=1 messages are gone since 6.12.\n"),
    ((), "It used to die with Memory access fault by GPU node-1, now it runs.\n"),
    ((), "With RX 5700 XT try HSA_OVERRIDE_GFX_VERSION=10.3.0; mine did not hang.\n"),
    (
        (),
        "You could set HSA_OVERRIDE_GFX_VERSION=10.3.0 on a RX 5500 XT, though some say it hangs.\n",
    ),
    (
        (),
        "@@ -1,4 +1,3 @@\n source ~/.aliases\n-export HSA_OVERRIDE_GFX_VERSION=10.3.0\n export EDITOR=vim\nRX 5700, segfault at start is gone with this\n",
    ),
    (
        (),
        "grep -rn HIP_FORCE /etc/profile.d\n/etc/profile.d/gpu.sh:4:# export HIP_FORCE_COARSE_GRAIN=1\n",
    ),
    ((), "PYTORCH_ROCM_ARCH=gfx1010 pip wheel --no-build-isolation .\npython train.py\n"),
)
