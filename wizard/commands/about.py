"""Explain ROCm, the override, why games work but Conv2d does not, and more."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``about``."""
    parser.add_argument(
        "topic", nargs="?", metavar="TOPIC", help="the topic to explain (default: list all topics)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the topic, or the list; 2 for a topic that there is not."""
    from wizard.knowledge.explanations import load_explanations
    from wizard.report.stacks import (
        approaches,
        list_form,
        list_lines,
        topic_form,
        topic_lines,
    )

    topics = (*load_explanations(), approaches())
    if arguments.topic is None:
        _print(arguments, list_form(topics), list_lines(topics))
        return 0
    topic = next((each for each in topics if each.id == arguments.topic.lower()), None)
    if topic is None:
        known = ", ".join(each.id for each in topics)
        print(
            f"rdna1-setup: there is no topic {arguments.topic!r}. The topics are: {known}.",
            file=sys.stderr,
        )
        return 2
    _print(arguments, topic_form(topic), topic_lines(topic))
    return 0


def _print(arguments: argparse.Namespace, form: dict[str, Any], lines: Iterable[str]) -> None:
    if not arguments.json:
        print(*lines, sep="\n")
        return
    import json

    from wizard.core.json_form import SCHEMA

    print(json.dumps({"schema": SCHEMA, **form}, indent=1))
