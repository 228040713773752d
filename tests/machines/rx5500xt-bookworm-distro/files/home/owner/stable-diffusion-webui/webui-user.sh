#!/bin/bash
export COMMANDLINE_ARGS="--precision full --no-half"
export HSA_OVERRIDE_GFX_VERSION=10.3.0
# export MIOPEN_LOG_LEVEL=5
