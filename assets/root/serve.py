"""The plan is read, shown and confirmed; then its steps are carried out by a process of its own."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import resource
import select
import signal
import stat
import time
from typing import Any, Callable

from assets.root.apt import apt_change, apt_update, configure, mark
from assets.root.apt_undo import restore_settings
from assets.root.groups import join_groups, leave_groups
from assets.root.journal import Run, hang_up, open_run, send
from assets.root.package_files import keep_debs
from assets.root.processes import ENVIRONMENT, Lock, begun_at
from assets.root.requests import LONGEST_PLAN, PROTOCOL, Person, Plan, read_command, read_plan
from assets.root.snapshot import snapshot
from assets.root.step import Step
from assets.root.system_files import put_back, set_aside, write_file
from assets.root.terminal import confirm
from assets.root.trouble import Trouble, Wrong, as_trouble, refusal

LONGEST_COMMAND = 4096
PLAN_DEADLINE_S = 60.0
ACTIONS: dict[str, Callable[[dict[str, Any], Step], str | tuple[str, dict[str, Any]]]] = {
    "apt_update": apt_update,
    "apt_change": apt_change,
    "keep_debs": keep_debs,
    "write_file": write_file,
    "set_aside": set_aside,
    "put_back": put_back,
    "join_groups": join_groups,
    "leave_groups": leave_groups,
    "mark": mark,
    "configure": configure,
    "restore_settings": restore_settings,
    "snapshot": snapshot,
}


def who_asks(environ: dict[str, str]) -> Person:
    """The user behind sudo, or root."""
    number = environ.get("SUDO_UID", "0")
    try:
        entry = pwd.getpwuid(int(number if re.fullmatch(r"[0-9]{1,10}", number) else "-1"))
    except (KeyError, OverflowError):
        raise Trouble(
            f"sudo was started by a user that this system does not know ({number[:20]}).",
            "The user who started sudo would not be able to see what is happening. Nothing was "
            "changed.",
            "Log in as an ordinary user, then start rdna1-setup.",
        ) from None
    return Person(entry.pw_name, entry.pw_uid, entry.pw_gid, through_sudo="SUDO_UID" in environ)


ENDLESS = resource.RLIM_INFINITY
LIMITS = (
    (resource.RLIMIT_FSIZE, ENDLESS, ENDLESS),
    (resource.RLIMIT_CPU, ENDLESS, ENDLESS),
    (resource.RLIMIT_AS, ENDLESS, ENDLESS),
    (resource.RLIMIT_DATA, ENDLESS, ENDLESS),
    (resource.RLIMIT_NPROC, ENDLESS, ENDLESS),
    (resource.RLIMIT_STACK, 8 << 20, ENDLESS),
    (resource.RLIMIT_NOFILE, 1024, 65536),
)
"""A user's own could stop dpkg half way."""


def settle_down() -> None:
    """Leave behind whatever the caller's surroundings could do to us."""
    for descriptor in (0, 1, 2):  # else a file of ours would become standard output
        try:
            os.fstat(descriptor)
        except OSError:
            hang_up(descriptor)
    os.closerange(3, 65536)
    _take_own_end(1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would make every exit code a 0
    os.environ.clear()
    os.environ.update(ENVIRONMENT)
    os.chdir("/")
    os.umask(0o022)
    for limit, soft, hard in LIMITS:
        _lift(limit, soft, hard)
    # Else dpkg could be the first that a lack of memory ends.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb") as file:
        file.write(b"0")


def _lift(limit: int, soft: int, hard: int) -> None:
    """Set a limit, or in a container that forbids it what it still allows."""
    try:
        resource.setrlimit(limit, (soft, hard))
    except (OSError, ValueError):
        most = resource.getrlimit(limit)[1]
        within = most if soft == ENDLESS or soft > most != ENDLESS else soft
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (within, most))


def _take_own_end(descriptor: int) -> None:
    """Open a pipe anew: whoever shares the other description could make it one that waits."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISSOCK(mode):  # which cannot be opened anew
        hang_up(descriptor)
    elif stat.S_ISFIFO(mode):
        flags = os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC
        with contextlib.suppress(OSError):  # nobody reads it, or there is no /proc
            own = os.open(f"/proc/self/fd/{descriptor}", flags)
            os.dup2(own, descriptor)
            os.close(own)


class Commands:
    """Lines from standard input; what does not end within the limit is no line of ours."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unread = b""

    def line(self, longest: int, deadline_s: float | None = None) -> bytes | None:
        """The next line, or None at the end of the input; raises Wrong for a line without end."""
        limit = None if deadline_s is None else time.monotonic() + deadline_s
        while b"\n" not in self._unread:
            left = None if limit is None else max(0.0, limit - time.monotonic())
            if not select.select((self._descriptor,), (), (), left)[0]:
                raise Wrong("it did not arrive in time")
            chunk = os.read(self._descriptor, 65_536)
            if not chunk:
                return None
            self._unread += chunk
            if len(self._unread) > longest and b"\n" not in self._unread[: longest + 1]:
                raise Wrong(f"a line is longer than {longest} bytes")
        line, self._unread = self._unread.split(b"\n", 1)
        return line


def carry_out(step: Step) -> None:
    """Carry one step out; its outcome becomes an event, and is never raised."""
    step.run.tell("started", step=step.number)
    try:
        result = ACTIONS[step.request.verb](step.request.arguments, step)
        outcome, more = result if isinstance(result, tuple) else (result, {})
        step.run.note("outcome", step=step.number, request=step.request.digest, outcome=outcome)
        step.run.tell("done", step=step.number, outcome=outcome, **more)
        return
    except Trouble as trouble:
        failure = trouble
    except OSError as error:
        failure = as_trouble(error)
    except Exception as error:  # a fault of ours must not leave the wizard without an answer
        failure = Trouble(
            f"The root helper has a bug: {type(error).__name__}: {error}"[:400],
            "This is a bug in rdna1-setup. The journal lists every change that was started.",
            f"Please report this bug. {step.run.path}/UNDO.sh undoes this run.",
        )
    with contextlib.suppress(OSError):  # a full disk; the intent is there
        step.run.note("failure", step=step.number, happened=failure.happened)
    step.run.tell("failed", step=step.number, **failure.texts())


def serve(plan: Plan, run_: Run, lock: Lock, person: Person, commands: Commands) -> None:
    """Carry out the steps that are asked for, until the input ends."""
    pid = os.getpid()
    lock.hold(pid)
    begun = begun_at(pid)
    run_.tell(
        "ready", digest=plan.digest, folder=run_.path, pid=pid, begun=begun, protocol=PROTOCOL
    )
    while True:
        try:
            line = commands.line(LONGEST_COMMAND)
            number = 0 if line is None else read_command(line, len(plan.steps))
        except Wrong as error:
            run_.tell("failed", step=0, **refusal("A command", error).texts())
            return
        except OSError:
            return
        if number == 0:
            return
        later = plan.steps[number:]
        carry_out(Step(run_, lock, person, number, plan.steps[number - 1], later))


def prepare(commands: Commands, person: Person) -> tuple[Plan, Run, Lock]:
    """Everything up to the typed yes; raises Trouble for whatever is refused."""
    if os.geteuid() != 0:
        raise Trouble(
            "The root helper was not started as root.",
            "The root helper makes changes that only root can make.",
            "Start rdna1-setup as usual. It starts the root helper through sudo.",
        )
    try:
        line = commands.line(LONGEST_PLAN, PLAN_DEADLINE_S)
        if line is None:
            raise Wrong("none was sent")
        plan = read_plan(line, person)
    except Wrong as error:
        raise refusal("The plan", error) from None
    try:
        lock = Lock()
        confirm(plan, person)
        run_ = open_run(plan.run, person)
        requests = [[request.verb, request.digest] for request in plan.steps]
        run_.note("begin", schema=PROTOCOL, digest=plan.digest, user=person.uid, steps=requests)
        run_.write_undo(run_.intents())
    except OSError as error:
        raise as_trouble(error) from None
    except KeyboardInterrupt:
        raise Trouble(
            "The plan was not confirmed.",
            "Nothing was changed.",
            "Start rdna1-setup again when you are ready.",
        ) from None
    return plan, run_, lock


def detach() -> bool:
    """True in the process that goes on by itself; False in the one that sudo waits for.

    While sudo waits it reads the terminal, which the wizard needs back; and it ends what it
    started when it is ended itself.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGTSTP):
        # A handler and not SIG_IGN, which programs that we start would inherit.
        signal.signal(number, lambda *_: None)
    if os.fork():
        return False
    os.setsid()
    hang_up(2)
    return True


def main() -> int:
    """Check, ask, hand over; the other process serves until the input ends."""
    environ = dict(os.environ)
    settle_down()
    commands = Commands(0)
    try:
        person = who_asks(environ)
        plan, run_, lock = prepare(commands, person)
    except Trouble as trouble:
        send(1, dict(trouble.texts(), event="refused"))
        return 2
    if detach():
        serve(plan, run_, lock, person, commands)
    return 0
