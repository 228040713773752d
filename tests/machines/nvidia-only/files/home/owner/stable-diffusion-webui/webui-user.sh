#!/bin/bash
#export COMMANDLINE_ARGS=""
export CUDA_VISIBLE_DEVICES=0
