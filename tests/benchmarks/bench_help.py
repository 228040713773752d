"""``rdna1-setup --help`` as a whole process against ``import argparse, json``."""

import subprocess
import sys

from tests.benchmarks.ratio import print_ratio

HELP = (sys.executable, "-m", "wizard", "--help")

if __name__ == "__main__":
    loaded = subprocess.run(
        (sys.executable, "-X", "importtime", *HELP[1:]), capture_output=True, text=True, check=True
    ).stderr
    print(f"--help loads Textual: {'yes' if 'textual' in loaded else 'no'}")
    floor = (sys.executable, "-c", "import argparse, json")
    sys.exit(0 if print_ratio("--help", 6.0, HELP, floor) else 1)
