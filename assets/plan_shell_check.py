"""Looks at an installed torch: its version, and one tiny product on the device. EXPECTED DEVICE."""

import sys

import torch

expected, device = sys.argv[1], sys.argv[2]
if not torch.__version__.startswith(expected):
    sys.exit("torch %s was loaded instead of %s" % (torch.__version__, expected))
if device != "none":
    one = torch.arange(6).reshape(2, 3).to(device)
    other = torch.arange(6).reshape(3, 2).to(device)
    product = (one.double() @ other.double()).cpu().tolist()
    if product != [[10.0, 13.0], [28.0, 40.0]]:
        sys.exit("the product is wrong on %s: %r" % (device, product))
print("torch %s, %s: right" % (torch.__version__, device))
