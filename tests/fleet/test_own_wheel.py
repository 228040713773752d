"""The wizard packs itself."""

import zipfile
from email.parser import Parser
from pathlib import Path

import wizard
from wizard.fleet.own_wheel import pack_wizard

ROOT = Path(__file__).parents[2]


def test_it_holds_every_file_of_ours_and_says_what_it_depends_on(tmp_path: Path) -> None:
    wheel = pack_wizard(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = f"rdna1_setup-{wizard.__version__}.dist-info"
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        record = archive.read(f"{info}/RECORD").decode()
    ours = {
        str(path.relative_to(ROOT))
        for part in ("wizard", "screens", "assets")
        for path in (ROOT / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours <= set(names)
    assert len(names) == len(set(names)) == len(record.splitlines())
    assert metadata["Version"] == wizard.__version__
    assert any("textual" in line for line in metadata.get_all("Requires-Dist", []))


def test_the_same_files_make_the_same_wheel(tmp_path: Path) -> None:
    one, other = pack_wizard(tmp_path / "a"), pack_wizard(tmp_path / "b")
    assert one.read_bytes() == other.read_bytes()
