"""Explain ROCm, the override, why games work but Conv2d does not, and more."""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``about``."""
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="left out: all topics")


def run(arguments: argparse.Namespace) -> int:
    """Print the topic, or the list; 2 for a topic that there is not."""
    from wizard.knowledge.explanations import find_explanation, load_explanations
    from wizard.report.explanations import list_lines, topic_lines

    if arguments.topic is None:
        print(*list_lines(load_explanations()), sep="\n")
        return 0
    topic = find_explanation(arguments.topic)
    if topic is None:
        known = ", ".join(each.id for each in load_explanations())
        print(
            f"rdna1-setup: there is no topic {arguments.topic!r}. The topics are: {known}.",
            file=sys.stderr,
        )
        return 2
    print(*topic_lines(topic), sep="\n")
    return 0
