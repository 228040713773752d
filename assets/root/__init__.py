"""Does as root what a reviewed plan asks for, and can do nothing else.

Standard library alone, Python 3.8 and later, started once a run as a folder,
``sudo -- /usr/bin/python3 -I -B assets/root``, with pipes as standard input and output. It imports
nothing of the wizard, and all its own modules and files before it reads the first line.

Protocol, version 1: JSON lines. First the whole plan; every request in it is one of the verbs of
``requests.VERBS`` with checked arguments, or all of it is refused. What it asks for is shown on the
real terminal, where ``yes`` must be typed. Then ``{"do": N}`` carries out a step and
``{"end": true}`` ends; so does the end of the input, once the running step is finished.

What is shown on the terminal belongs to this process; all the rest is done by another one in a
session of its own, so that it outlives the terminal, sudo and the wizard. It writes what happens to
standard output, which may be gone, and to ``events.jsonl`` in the folder of the run.

Before anything is changed the journal of the run says so, and ``UNDO.sh`` can take it back.
"""
