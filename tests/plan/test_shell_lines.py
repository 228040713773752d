"""Lines leave a shell file only where the rest stays what it was, and still works."""

from __future__ import annotations

import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard.operations.edit_lines import with_lines, without_lines
from wizard.plan.shell_lines import rocm_lines

RC = "/home/ada/.bashrc"
UBUNTU = """\
case $- in
    *i*) ;;
      *) return;;
esac
if [ -z "${debian_chroot:-}" ] && [ -r /etc/debian_chroot ]; then
    debian_chroot=$(cat /etc/debian_chroot)
fi
alias alert='notify-send "$([ $? = 0 ] && echo terminal || echo error)" "$(history|tail -n1)"'
# don't put duplicate lines in the history
HISTCONTROL=ignoreboth
"""
"""Like the start of what Ubuntu gives a new user."""
NOTES = """\

# ROCm 5.2.0 for RDNA1
export HSA_OVERRIDE_GFX_VERSION=10.3.0
export MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1
export ROCM_PATH=/opt/rocm-5.2.0
"""


def out(text: str, path: str = RC) -> list[str]:
    return [line for _, line in rocm_lines(path, text).out]


def left(text: str, path: str = RC) -> list[str]:
    return [line for _, line in rocm_lines(path, text).left]


def test_the_lines_of_the_notes_go_with_their_title_and_all_else_stays() -> None:
    found = rocm_lines(RC, UBUNTU + NOTES + NOTES)
    assert [line for _, line in found.out] == NOTES.splitlines()[1:] * 2
    assert without_lines(UBUNTU + NOTES + NOTES, found.out) == f"{UBUNTU}\n\n"
    assert not found.only


@pytest.mark.parametrize(
    "line",
    [
        "export HSA_OVERRIDE_GFX_VERSION=10.3.0",
        "export HSA_ENABLE_SDMA=0 HSA_XNACK=0  # quiet",
        "HIP_VISIBLE_DEVICES=0",
        'export MIOPEN_USER_DB_PATH="$HOME/a b"',
        "export LD_LIBRARY_PATH=/opt/rocm/lib:$LD_LIBRARY_PATH",
        "export LD_LIBRARY_PATH=/opt/rocm-5.2.0/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
        "export PATH=$PATH:/opt/rocm/bin",
        'export PATH="$ROCM_PATH/bin:$PATH"',
    ],
)
def test_a_line_that_only_sets_what_rocm_reads_goes(line: str) -> None:
    assert out(f"echo a\n{line}\necho b\n") == [line]


@pytest.mark.parametrize(
    "line",
    [
        "export HSA_OVERRIDE_GFX_VERSION=10.3.0; echo hello",
        "export HSA_OVERRIDE_GFX_VERSION=10.3.0 EDITOR=vi",
        "export LD_LIBRARY_PATH=/opt/rocm/lib:/opt/mine/lib:$LD_LIBRARY_PATH",
        "export HSA_OVERRIDE_GFX_VERSION=$(cat ~/.gfx) && echo ok",
        "  export ROCM_PATH=/opt/rocm",
    ],
)
def test_a_line_that_does_more_stays_and_is_named(line: str) -> None:
    text = f"if true; then\n{line}\nfi\n" if line.startswith(" ") else f"{line}\n"
    assert out(text) == []
    assert left(text) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "HSA_OVERRIDE_GFX_VERSION=10.3.0 python train.py",
        "# export HSA_OVERRIDE_GFX_VERSION=10.3.0",
        "export CUDA_VISIBLE_DEVICES=0",
        "export PATH=/home/ada/bin:/opt/rocm/bin:$PATH",
        "export LD_LIBRARY_PATH=/opt/mine/lib",
        "alias hsa='HSA_OVERRIDE_GFX_VERSION=10.3.0 python'",
    ],
)
def test_a_line_that_sets_nothing_of_rocms_is_none_of_our_business(line: str) -> None:
    found = rocm_lines(RC, f"{line}\n")
    assert (found.out, found.left) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "if [ -d /opt/rocm ]; then\nexport ROCM_PATH=/opt/rocm\nfi\n",
        "for x in 1; do\nexport ROCM_PATH=/opt/rocm\ndone\n",
        "f() {\nexport ROCM_PATH=/opt/rocm\n}\n",
        "(\nexport ROCM_PATH=/opt/rocm\n)\n",
        "cat <<EOF\nexport ROCM_PATH=/opt/rocm\nEOF\n",
        "echo 'a\nexport ROCM_PATH=/opt/rocm\n'\n",
        "echo a \\\nexport ROCM_PATH=/opt/rocm\n",
        "case $x in\n a)\nexport ROCM_PATH=/opt/rocm\n;;\nesac\n",
        "if true\nthen if false\nthen\nexport ROCM_PATH=/opt/rocm\nfi\nfi\n",
        "test -e /dev/kfd &&\nexport ROCM_PATH=/opt/rocm\necho b\n",
        "test -e /dev/kfd || # no card\n\n# none\nexport ROCM_PATH=/opt/rocm\necho b\n",
        "[ $# -gt 0 ] &&\nexport ROCM_PATH=/opt/rocm\necho b\n",
        "[[ -n $A &&\nexport ROCM_PATH=/opt/rocm\n]]\n",
        "x=`\nexport ROCM_PATH=/opt/rocm\n`\n",
        "cat <<\\EOF\nexport ROCM_PATH=/opt/rocm\nEOF\n",
        "cat <<'E-F'\nexport ROCM_PATH=/opt/rocm\nE-F\n",
        "cat <<!\nexport ROCM_PATH=/opt/rocm\n!\n",
        "cat <<A <<B\nA\nexport ROCM_PATH=/opt/rocm\nB\n",
        "cat <<A; cat <<<x\nexport ROCM_PATH=/opt/rocm\nA\n",
        "cat <<A\n A\nexport ROCM_PATH=/opt/rocm\nA\n",
    ],
)
def test_a_line_inside_of_something_stays(text: str) -> None:
    assert out(text) == []
    assert left(text) == ["export ROCM_PATH=/opt/rocm"]


@pytest.mark.parametrize(
    "before",
    ["# see `man bash'\n", "cat <<-A\n\tA\n", "cat <<<x\n", "echo $# a#b\n", "# <<< conda <<<\n"],
)
def test_a_line_after_the_end_of_something_goes(before: str) -> None:
    assert out(f"{before}export ROCM_PATH=/opt/rocm\n") == ["export ROCM_PATH=/opt/rocm"]


def test_where_the_shell_itself_would_not_find_the_end_nothing_goes() -> None:
    assert out("export ROCM_PATH=/opt/rocm\nif true; then\n") == []
    assert out("export ROCM_PATH=/opt/rocm\necho 'open\n") == []


def test_a_quote_that_nothing_closes_does_not_hold_the_reader_up() -> None:
    text = "export ROCM_PATH=/opt/rocm\necho $'it\\'s'\n" + "export A=1\n" * 2_000
    began = time.process_time()
    assert out(text) == []
    assert time.process_time() - began < PATIENCE_S


def test_fish_is_read_as_fish() -> None:
    text = "if status is-interactive\nset -gx ROCM_PATH /opt/rocm\nend\nset -gx HSA_XNACK 0\n"
    assert out(text, "/home/ada/.config/fish/config.fish") == ["set -gx HSA_XNACK 0"]
    assert left(text, "/home/ada/.config/fish/config.fish") == ["set -gx ROCM_PATH /opt/rocm"]


def test_a_file_that_sets_nothing_else_is_told_as_such() -> None:
    assert rocm_lines("/etc/profile.d/x.sh", "# ours\n\nexport ROCM_PATH=/opt/rocm\n").only
    assert not rocm_lines("/etc/profile.d/x.sh", "umask 022\nexport ROCM_PATH=/opt/rocm\n").only
    assert not rocm_lines("/etc/profile.d/x.sh", "# nothing\n").only


def test_windows_line_ends_and_a_missing_last_one_come_through_unchanged() -> None:
    text = "echo a\r\nexport ROCM_PATH=/opt/rocm\necho b"
    assert without_lines(text, rocm_lines(RC, text).out) == "echo a\r\necho b"


def test_a_line_that_is_another_by_now_is_not_taken_out() -> None:
    lines = rocm_lines(RC, NOTES).out
    with pytest.raises(ValueError, match="has changed"):
        without_lines(f"echo new\n{NOTES}", lines)


PIECES = st.sampled_from(
    [
        "export HSA_OVERRIDE_GFX_VERSION=10.3.0",
        "export ROCM_PATH=/opt/rocm-5.2.0",
        "# ROCm for RDNA1",
        "echo plain",
        "if true; then\n  export HSA_XNACK=0\nfi",
        "if true\nthen\nexport HSA_XNACK=0\nelse\necho no\nfi",
        "for x in a b; do export HIP_X=$x; done",
        "f() {\nexport MIOPEN_LOG_LEVEL=7\n}",
        "cat <<'END'\nexport ROCM_PATH=/opt/rocm\nEND",
        "x='it''s\nexport ROCM_PATH=1\nopen'",
        "case $- in\n  *i*) export HSA_A=1;;\n  *) ;;\nesac",
        "while false; do\nexport HSA_B=1\ndone",
        "echo a \\\n  b",
        "(\nexport HSA_C=1\n)",
        "",
    ]
)


PATIENCE_S = 5
BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="needs bash to judge its own language")
@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=8))
def test_bash_can_read_what_is_left_and_the_lines_go_back_where_they_stood(
    pieces: list[str],
) -> None:
    text = "\n".join((*pieces, ""))
    lines = rocm_lines(RC, text).out
    rest = without_lines(text, lines)
    assert with_lines(rest, lines) == text
    argv = (str(BASH), "-n")
    done = subprocess.run(argv, input=rest, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    free = [piece for piece in pieces if piece.startswith("export ")]
    assert [line for _, line in lines if line.startswith("export")] == free
