#!/bin/sh
cd "$(dirname "$0")"
export HSA_OVERRIDE_GFX_VERSION=10.3.0 MIOPEN_FIND_MODE=2
exec venv/bin/python main.py --force-fp32
