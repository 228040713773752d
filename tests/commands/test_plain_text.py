"""Plain text speaks in words, not in names of ours."""

from pathlib import Path

from tests.commands.running import MACHINE, wizard


def test_plain_torch_is_called_by_words(tmp_path: Path) -> None:
    told = wizard(tmp_path, "--plain", "--machine", MACHINE).stdout
    assert not [line for line in told.splitlines() if line.strip().startswith("own:")]
    assert "   Any torch program (possible): " in told
