"""Switches of backends."""


class cudnn:
    """MIOpen or cuDNN."""

    enabled = True
    allow_tf32 = True
