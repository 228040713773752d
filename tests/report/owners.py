"""Somebody whose machine is full of what must not leave it."""

from wizard.report.private import Identity, Redaction

USER, FULL_NAME, HOST, NEIGHBOUR = "zaphod", "Zaphod Beeblebrox", "betelgeuse", "trillian"
ZAPHOD = Identity(
    user=USER,
    home=f"/home/{USER}",
    real_home=f"/mnt/data/homes/{USER}",
    full_names=(FULL_NAME, "Zaphod", "Beeblebrox"),
    others=((NEIGHBOUR, "Tricia McMillan", "Tricia", "McMillan"),),
    hosts=(f"{HOST}.corp.example", HOST),
    numbers=("4c4c4544-0035-3210-8051-b4c04f4d3132", "52:54:00:ab:cd:ef", "S3Z9NB0K123456"),
    secrets=("value-of-a-variable",),
)


def redacted(text: str, who: Identity = ZAPHOD) -> str:
    """The text as it would leave that machine."""
    return Redaction(who).text(text)


def called(user: str, host: str = HOST, home: str = "") -> Identity:
    """Somebody of that name."""
    return Identity(user=user, home=home or f"/home/{user}", hosts=(host,))
