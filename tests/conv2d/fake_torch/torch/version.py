"""What this torch was built for."""

import os

hip = os.environ.get("FAKE_TORCH_HIP")
cuda = None
