"""What tells whose a machine is comes from its files and variables, and from nothing else."""

from __future__ import annotations

from pathlib import Path

from tests.machine.records import make
from wizard.report.private import Redaction, identity_of

PASSWD = """\
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
zaphod:x:1000:1000:Zaphod Beeblebrox,room 42,,:/data/people/zb:/bin/bash
trillian:x:1001:1001:Tricia McMillan,,,:/home/trillian:/bin/bash
"""
FILES = {
    "/etc/passwd": PASSWD,
    "/etc/hostname": "betelgeuse.corp.example\n",
    "/etc/machine-id": "0f1e2d3c4b5a69788796a5b4c3d2e1f0\n",
    "/sys/class/net/eth0/address": "52:54:00:ab:cd:ef\n",
    "/sys/class/net/lo/address": "00:00:00:00:00:00\n",
    "/sys/class/dmi/id/board_serial": "Default string\n",
    "/sys/class/dmi/id/product_serial": "PF-4711-0815\n",
    "/sys/block/nvme0n1/device/serial": "S3Z9NB0K123456      \n",
    "/sys/bus/usb/devices/usb1/serial": "0000:00:14.0\n",
}
ENVIRON = {
    "HF_TOKEN": "value-of-a-variable",
    "SSH_AUTH_SOCK": "/run/user/1000/keyring/ssh",
    "MY_KEY": "/home/zaphod/key.pem",
    "AWS_SECRET_ACCESS_KEY": "no",
    "PATH": "/usr/bin",
    "HOSTNAME": "other-name",
}


def test_names_numbers_and_values_are_found(tmp_path: Path) -> None:
    host = make(tmp_path, FILES, user="zaphod", home="/home/zaphod/", uid=1000, environ=ENVIRON)
    who = identity_of(host)
    assert (who.user, who.home, who.own_home) == ("zaphod", "/home/zaphod", "/data/people/zb")
    assert "Zaphod Beeblebrox" in who.full_names
    assert who.others == (("trillian", "Tricia McMillan", "Tricia", "McMillan"),)
    assert who.hosts == ("betelgeuse.corp.example", "betelgeuse", "other-name")
    assert who.secrets == ("value-of-a-variable",)
    assert set(who.numbers) == {
        "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "52:54:00:ab:cd:ef",
        "PF-4711-0815",
        "S3Z9NB0K123456",
    }


def test_what_was_found_leaves_no_text(tmp_path: Path) -> None:
    host = make(tmp_path, FILES, user="zaphod", home="/home/zaphod", uid=1000, environ=ENVIRON)
    text = (
        "/data/people/zb/x 0f1e2d3c4b5a69788796a5b4c3d2e1f0 pf-4711-0815 "
        "52:54:00:AB:CD:EF S3Z9NB0K123456 0000:00:14.0 Default string value-of-a-variable"
    )
    left = Redaction(identity_of(host)).text(text)
    assert left == ("~/x SERIAL-1 SERIAL-2 MAC-1 SERIAL-3 0000:00:14.0 Default string SECRET")


def test_a_machine_that_tells_nothing_is_nobodys(tmp_path: Path) -> None:
    who = identity_of(make(tmp_path, {}, user="", home="/", uid=0))
    assert (who.user, who.home, who.others, who.hosts, who.numbers) == ("", "", (), (), ())
    assert Redaction(who).text("a / b") == "a / b"
