# ~/.bashrc
export HSA_OVERRIDE_GFX_VERSION_0=10.1.0
