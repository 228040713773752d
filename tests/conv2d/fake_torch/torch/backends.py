"""Switches of backends."""


class cuda:
    """cuBLAS or rocBLAS."""

    class matmul:
        """Products of matrices."""

        allow_tf32 = True


class cudnn:
    """MIOpen or cuDNN."""

    enabled = True
    allow_tf32 = True
