"""Checks one torch: import, device, one tiny matmul, and which libraries were really loaded.

Runs under the venv's own Python (3.8 to 3.13); needs nothing but the standard library and torch.
Writes one JSON object into the file given by --result, so that stray prints cannot spoil it.
"""

import argparse
import json
import os
import sys

LIBRARIES = ("libamdhip64", "libMIOpen", "librocblas", "libhsa-runtime64")


def loaded_libraries():
    """Paths of the ROCm libraries in this process, by name, from /proc/self/maps."""
    found = {}
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            fields = line.rstrip("\n").split(None, 5)
            path = fields[5] if len(fields) == 6 else ""
            for name in LIBRARIES:
                if os.path.basename(path).startswith(name):
                    found[name] = path
    return found


def check(device):
    """What this torch is and whether it can multiply two small matrices on the device."""
    import torch

    answer = {
        "torch": torch.__version__,
        "hip": getattr(getattr(torch, "version", None), "hip", None),
        "torch_folder": os.path.dirname(os.path.abspath(torch.__file__)),
        "device": None,
        "matmul": None,
    }
    try:
        import numpy

        answer["numpy"] = numpy.__version__
    except ImportError:
        answer["numpy"] = None
    if device == "none":
        return answer
    if device == "cuda":
        if not torch.cuda.is_available():
            answer["matmul"] = "no device: torch.cuda.is_available() is False"
            return answer
        properties = torch.cuda.get_device_properties(0)
        answer["device"] = torch.cuda.get_device_name(0)
        answer["gfx"] = getattr(properties, "gcnArchName", None)
    left = torch.arange(16.0).reshape(4, 4)
    wanted = (left.double() @ left.double()).tolist()
    given = (left.to(device) @ left.to(device)).cpu().double().tolist()
    answer["device"] = answer["device"] or device
    answer["matmul"] = "right" if given == wanted else "wrong numbers"
    return answer


def main():
    """Check and report; any failure is part of the answer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=("cuda", "cpu", "none"), required=True)
    parser.add_argument("--result", required=True)
    arguments = parser.parse_args()
    try:
        answer = check(arguments.device)
    except Exception as error:  # whatever torch raises is the finding itself
        answer = {"error": "{}: {}".format(type(error).__name__, error)}
    answer["libraries"] = loaded_libraries()
    answer["python"] = sys.version.split()[0]
    with open(arguments.result, "w", encoding="utf-8") as result:
        json.dump(answer, result)


if __name__ == "__main__":
    main()
