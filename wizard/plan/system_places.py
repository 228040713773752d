"""Where our own files in the system's folders go."""

from __future__ import annotations

KEYRING = "/etc/apt/keyrings/rdna1-setup-rocm.asc"
SOURCE = "/etc/apt/sources.list.d/rdna1-setup-rocm.list"
PIN = "/etc/apt/preferences.d/rdna1-setup-rocm"
PROFILE = "/etc/profile.d/rdna1-setup-rocm.sh"
OURS = (KEYRING, SOURCE, PIN, PROFILE)
