"""Secrets of many kinds, made by chance from a seed, each in lines in which people have it."""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Callable, Iterable
from typing import NamedTuple

Make = Callable[[random.Random], str]
LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
LETTERS = string.ascii_letters
ANY, HEX = LETTERS + DIGITS, "0123456789abcdef"
SYLLABLES = re.findall(
    "[a-z]+", "ba-ko-ri-mu-ten-sal-vor-nik-lu-dra-fen-gil-hom-jas-pel-quo-wit-zor"
)
PEOPLE = ("mwanjiku", "jdoubleday", "okonkwo", "svetlana", "hfriedrich", "a.lindqvist", "tnakamura")


class Planted(NamedTuple):
    """One secret, and where it stands."""

    kind: str
    value: str
    """What must not be found."""
    line: str
    """A line, or several, in which programs and people write it."""
    is_setting: bool
    """True for one that somebody may put into a variable as it is."""


class Kind(NamedTuple):
    """How secrets of one kind are made."""

    make: Make
    lines: tuple[str, ...]
    """With ``{}`` for the secret."""
    is_setting: bool = True


def of(alphabet: str, count: int, before: str = "", after: str = "") -> Make:
    """So many letters of an alphabet."""
    return lambda chance: before + "".join(chance.choices(alphabet, k=count)) + after


def joined(separator: str, *parts: Make) -> Make:
    """Several things with something between them."""
    return lambda chance: separator.join(part(chance) for part in parts)


def said(chance: random.Random) -> str:
    """A password as people choose it: it can be said."""
    words = "".join(chance.choices(SYLLABLES, k=4)).title()
    return f"{words}{chance.randint(10, 99)}{chance.choice('!-_+')}"


def name(chance: random.Random) -> str:
    """A name that no list of words has."""
    return "".join(chance.choices(SYLLABLES, k=4))


def octets(*first: int) -> Make:
    """An address of four numbers, with these at its beginning."""

    def make(chance: random.Random) -> str:
        rest = [chance.randint(11, 250) for _ in range(4 - len(first))]
        return ".".join(map(str, (*first, *rest)))

    return make


def groups(before: str, count: int) -> Make:
    """An address of eight groups, with these at its beginning."""
    return lambda chance: (
        before + ":".join(f"{chance.randint(4096, 65535):x}" for _ in range(count))
    )


def uuid(chance: random.Random) -> str:
    """An id of 32 digits."""
    return "-".join(of(HEX, count)(chance) for count in (8, 4, 4, 4, 12))


def person(chance: random.Random) -> str:
    """A login name of somebody who has no account here."""
    return chance.choice(PEOPLE) + str(chance.randint(100, 999))


def two_names(chance: random.Random) -> str:
    """A name that somebody gave, with a blank in it."""
    return f"{name(chance)} {name(chance)}".title()


def words(chance: random.Random) -> str:
    """A passphrase of words."""
    return " ".join(name(chance) for _ in range(4))


def accented(chance: random.Random) -> str:
    """A login name with a letter that is not English."""
    return chance.choice(("jürgen", "søren", "éloïse", "łukasz", "ñandú")) + name(chance)


def in_64(make: Make) -> Make:
    """The same in base 64."""
    return lambda chance: base64.b64encode(make(chance).encode()).decode()


LOG = ("> sending {} in the header", "ERROR: server refused {} (401)", "using credentials {}")
URLS = ("Looking in indexes: https://{}/simple", "ERROR: HTTP error 404 for https://{}/rocm/x.whl")
CALLED = (
    "Could not resolve host: {}",
    "ssh: connect to host {} port 22: Connection refused",
    "Err:3 http://{}/ubuntu noble InRelease",
    "E: Failed to fetch http://{}/rocm/apt/5.7/x",
)
REACHED = (
    "inet {} scope global",
    "Failed to connect to {} port 3128: Connection refused",
    "ERROR: no route to {}",
    "Err:1 http://{}/ubuntu noble InRelease",
)
REACHED_LONG = (
    "inet6 {}/64 scope global",
    "ERROR: Failed to connect to {}: No route to host",
    "Err:1 http://[{}]/ubuntu noble InRelease",
)
KINDS: dict[str, Kind] = {
    # Tokens that say themselves what they are, or that only chance can have made.
    "hugging face": Kind(of(LETTERS, 34, "hf_"), LOG),
    "github": Kind(of(ANY, 36, "ghp_"), ("remote: https://x:{}@github.com/a/b", *LOG)),
    "github, fine": Kind(of(ANY, 60, "github_pat_11"), LOG),
    "gitlab": Kind(of(ANY, 20, "glpat-"), LOG),
    "openai": Kind(of(ANY, 48, "sk-"), LOG),
    "openai, project": Kind(of(ANY + "_-", 60, "sk-proj-"), LOG),
    "anthropic": Kind(of(ANY, 80, "sk-ant-api03-"), LOG),
    "xai": Kind(of(ANY, 80, "xai-"), LOG),
    "groq": Kind(of(ANY, 52, "gsk_"), LOG),
    "digitalocean": Kind(of(HEX, 64, "dop_v1_"), LOG),
    "grafana": Kind(joined("_", of(ANY, 32, "glsa_"), of(HEX, 8)), LOG),
    "age": Kind(of("023456789ACDEFGHJKLMNPQRSTUVWXYZ", 58, "AGE-SECRET-KEY-1"), LOG),
    "discord": Kind(joined(".", of(ANY, 24), of(ANY, 6), of(ANY, 27)), LOG),
    "kaggle": Kind(of(HEX, 32), ('{{"username":"me","key":"{}"}}', "KAGGLE_KEY={}"), False),
    "amazon, id": Kind(of(UPPER + "234567", 16, "AKIA"), LOG),
    "amazon, key": Kind(of(ANY + "/+", 40), ("aws_secret_access_key = {}", *LOG)),
    "google": Kind(of(ANY, 35, "AIza"), LOG),
    "slack": Kind(joined("-", of(DIGITS, 11, "xoxb-"), of(DIGITS, 11), of(ANY, 24)), LOG),
    "telegram": Kind(joined(":", of("123456789", 9), of(ANY, 33, "AA")), LOG),
    "npm": Kind(of(ANY, 36, "npm_"), ("//registry.npmjs.org/:_authToken={}", *LOG)),
    "pypi": Kind(of(ANY, 80, "pypi-AgEIcHlwaS5vcmc"), LOG),
    "docker": Kind(of(ANY, 27, "dckr_pat_"), ("docker login -u me -p {}", *LOG)),
    "stripe": Kind(of(ANY, 24, "sk_live_"), LOG),
    "replicate": Kind(of(ANY, 37, "r8_"), LOG),
    "tailscale": Kind(joined("-", of(ANY, 12, "tskey-auth-"), of(ANY, 24)), LOG),
    "vault": Kind(of(ANY, 24, "hvs."), LOG),
    "wandb": Kind(of(HEX, 40), ("wandb login {}", "WANDB_API_KEY={}", "ERROR: api_key={} fails")),
    "web token": Kind(joined(".", of(ANY, 20, "eyJ"), of(ANY, 30, "eyJ"), of(ANY, 30)), LOG),
    "sendgrid": Kind(joined(".", of(ANY, 22, "SG."), of(ANY, 43)), LOG),
    # Passwords that can be said: only what stands before them tells.
    "variable": Kind(said, ("export DB_PASSWORD={}", "ERROR: MY_SECRET={} is set twice")),
    "name and value": Kind(said, ('{{"name": "HIP_PASSWORD", "value": "{}"}}',
                                  'error: {{"value": "{}", "name": "DB_PASSWORD"}}')),
    "json": Kind(said, ('{{"client_secret": "{}", "n": 1}}', "Error: {{'passwd': '{}'}}")),
    "json that was cut off": Kind(said, ('{{"a": 1, "password": "{}', "error: {{'token': '{}")),
    "xml": Kind(said, ("<password>{}</password>", '<add key="ApiKey" value="{}"/>')),
    "dockerfile": Kind(said, ("ENV API_TOKEN {}", "ARG DB_PASSWORD={}")),
    "password with signs": Kind(joined("", said, lambda _: "|x;y<z>", said),
                                ("DB_PASSWORD={}", "ERROR: password={} is wrong")),
    "yaml": Kind(said, ("password: {}", "- name: API_TOKEN\n  value: {}")),
    "ini": Kind(said, ("[login]\npassword = {}", "Error in line 3: password = {}")),
    "netrc": Kind(said, ("machine pypi.example login me password {}", "machine x\n  password {}")),
    "login in an address": Kind(said, ("https://me:{}@mirror.example/simple",
                                       "ERROR: HTTP error 401 for https://me:{}@mirror.example/x")),
    "login without a scheme": Kind(said, ("error: http_proxy=me:{}@proxy01:3128",
                                          "error: cannot log in as me:{}@mirror")),
    "login with a slash": Kind(joined("/", said, said), (
        "https://me:{}@mirror.example/simple", "ERROR: HTTP error 401 for https://me:{}@github.com/x")),
    "query": Kind(said, ("GET https://github.com/x?u={}", "ERROR: 404 for https://pypi.org/x?a={}")),
    "query of an address": Kind(said, ("GET https://mirror.example/x?token={}&a=1",
                                       "ERROR: failed to fetch http://mirror.example/x?key={}")),
    "curl": Kind(said, ("curl -s -u me:{} https://mirror.example", "error: curl --user me:{}")),
    "sshpass": Kind(said, ("sshpass -p {} ssh me@mirror", "error: sshpass -p {} failed")),
    "mysql": Kind(said, ("mysql -u me -p{} base", "ERROR: mysql -u me -p{} failed")),
    "option": Kind(said, ("tool --api-token {}", "error: tool --password={} failed")),
    "fish": Kind(said, ("set -gx HF_TOKEN {}", "set -Ux MY_PASSWORD {}")),
    "basic": Kind(in_64(joined(":", name, said)), ("Authorization: Basic {}",
                                                   "ERROR: header 'Authorization: Basic {}'")),
    "bearer": Kind(of(ANY, 30), ("Authorization: Bearer {}", "error: Bearer {} was refused")),
    "cookie": Kind(of(ANY, 26), ("Set-Cookie: session={}; Path=/", "error: Cookie: sid={}")),
    "storage key": Kind(of(ANY + "+/", 86, after="=="), (
        "ERROR: DefaultEndpointsProtocol=https;AccountName=me;AccountKey={};EndpointSuffix=x",
        *LOG)),
    "login of a collector": Kind(of(HEX, 32), ("error: https://{}@o12.ingest.sentry.io/4 failed",)),
    "download": Kind(of(HEX, 32), (
        "ERROR: HTTP error 401 for https://civitai.com/api/download/models/1?type=Model&token={}",)),
    "powershell": Kind(said, ('error: $env:API_KEY = "{}"', "Error: setx API_KEY {} failed")),
    "python": Kind(said, ('Error: login(token="{}")', "error: Namespace(api_key='{}', x=1)",
                          "Error: os.environ.setdefault('HF_TOKEN', '{}')",
                          """error: os.environ["HF_TOKEN"] = "{}\"""")),
    "pair": Kind(said, ("Error: ('password', '{}')", "error: define('DB_PASSWORD', '{}');",
                        'error: :password => "{}"', 'error: apiToken := "{}"')),
    "html": Kind(said, ("error: &quot;password&quot;:&quot;{}&quot;",)),
    "xml with attributes": Kind(said, (
        'error: <password type="plain">{}</password>', "error: <user password='{}'/>",
        'error: <property name="password" value="{}"/>')),
    "headers": Kind(said, ("error: X-Api-Key: {}", 'error: curl -H "X-Token: {}" x',
                           "error: Proxy-Authorization: Basic {}")),
    "prose": Kind(said, ("error: wrong password {} for me", "error: the token {} has expired",
                         "Error: password is {}", "error: Invalid API key provided: {}",
                         "Error: login with password '{}' failed")),
    "other languages": Kind(said, ("error: Kennwort: {}", "error: contraseña={}",
                                   "error: mot de passe : {}", "error: senha: {}")),
    "passphrase of words": Kind(words, ("error: passphrase: {}", 'error: passphrase="{}"')),
    "short names": Kind(said, ("error: pw={}", "error: DB_PASS={}", "error: MYSQL_PWD={}",
                               "mount error: //nas/x pass={}", "error: passwd:{}")),
    "options of programs": Kind(said, (
        "error: curl -sSfu me:{} x", "error: curl --proxy-user me:{} x", "error: curl -b 's={}' x",
        "error: openssl rsa -passin pass:{}", "error: 7z x -p{} a.7z failed",
        "error: podman login -p {} x", "error: wget --http-password {} x")),
    "strings of a connection": Kind(said, (
        "error: redis://:{}@cache:6379/0", "error: Server=h;User Id=u;Password={};",
        "error: jdbc:mysql://h/db?user=a&password={}")),
    "encoded": Kind(said, ("error: body password%3D{} refused", "Error: https://x/y?a=1%26token%3D{}")),
    "private key": Kind(of(ANY + "+/", 64), (
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----",)),
    "public key": Kind(of(ANY + "+/", 68, "AAAAC3NzaC1lZDI1NTE5AAAA"), ("ssh-ed25519 {} me@pc",)),
    # Networks.
    "wireless key": Kind(said, ("[wifi-security]\nkey-mgmt=wpa-psk\npsk={}", 'psk="{}"')),
    "network manager": Kind(name, ("[wifi]\nmode=infrastructure\nssid={}",
                                   "NetworkManager[812]: Activation failed for connection '{}'",
                                   "device (wlp3s0): Activation: connection '{}' needs secrets"),
                            False),
    "wpa_supplicant": Kind(name, ('network={{\n  ssid="{}"\n}}',
                                  "wpa_supplicant[700]: wlan0: Trying to associate with SSID '{}'"),
                           False),
    "wireless key of a program": Kind(said, (
        "error: nmcli dev wifi connect x password {}", "error: wpa_passphrase={}",
        "error: 802-11-wireless-security.psk: {}")),
    "network with a blank": Kind(two_names, (
        "error: SSID: {}", 'error: ESSID:"{}"', "error: nmcli dev wifi connect '{}'",
        "error: /etc/NetworkManager/system-connections/{}.nmconnection: Permission denied",
        "error: connection.id: {}"), False),
    "label of a disk": Kind(name, ("error: LABEL={} missing", 'error: PARTLABEL="{}" missing',
                                   "error: /dev/disk/by-label/{} missing"), False),
    "private address": Kind(octets(10), REACHED),
    "address at home": Kind(octets(192, 168), REACHED),
    "public address": Kind(octets(93), REACHED),
    "address of a test network": Kind(octets(203, 0, 113), REACHED),
    "long address": Kind(groups("2a01:", 7), REACHED_LONG),
    "own long address": Kind(groups("fd12:", 7), REACHED_LONG),
    "hardware address": Kind(
        lambda chance: ":".join(of("2468ace", 2)(chance) for _ in range(6)),
        ("link/ether {} brd ff:ff:ff:ff:ff:ff", "ERROR: r8169 0000:05:00.0 eth0: {} failed")),
    "internal host": Kind(joined("", name, lambda _: ".corp.acme.lan"), (*URLS, *CALLED)),
    "host of a domain": Kind(joined("", name, lambda _: ".build.acme-robotics.com"),
                             (*URLS, *CALLED)),
    "server by its words": Kind(joined("", name, lambda _: ".acme-robotics.de"), (
        "HTTPSConnectionPool(host='{}', port=443): Max retries exceeded with url: /simple/torch/",
        "W: Temporary failure resolving '{}'", "E: Could not connect to {}:443 (timed out)",
        "error: certificate is not valid for '{}'", "Pin: origin {}")),
    "registry": Kind(joined("", name, lambda _: ".acme-robotics.de"), (
        "Unable to find image '{}/team/rocm:5.7' locally", "ERROR: failed to pull {}:5000/x")),
    "git server": Kind(joined("", name, lambda _: ".acme-robotics.de"), (
        "fatal: could not read from git@gitlab.{}:team/x.git", "Cloning git@{}:x/y.git failed")),
    "host of a country": Kind(joined("", name, lambda _: ".firma.pl"), (
        "ERROR: cannot reach {}:8443", "error: getaddrinfo {} failed", "error: {} timed out")),
    "server by one word": Kind(name, (
        "ping: {}: Name or service not known: error", "nfs: server {} not responding, timed out",
        "mount.nfs: access denied by server while mounting {}:/export",
        "curl: (6) Could not resolve host: {}", "error: ssh://git@{}:2222/x",
        "error: Connection closed by {} port 22", "mount error: CIFS: //{}/share failed"), False),
    "prompt": Kind(name, ("bash: me@{}:~$: error", "[me@{} ~]$ error", "error: bob@{}:/srv failed"),
                   False),
    "journal of another language": Kind(name, (
        "févr. 09 18:40:12 {} kernel: amdgpu: GPU fault detected",
        "Mär 02 18:31:40 {} ollama[902]: error: no GPU"), False),
    "mdns": Kind(joined("", name, lambda _: ".local"), CALLED),
    "host": Kind(name, ("10.1.2.3 {}", "Nov 22 10:00:00 {} kernel: amdgpu: GPU fault detected",
                        "ssh: connect to host {} port 22: Connection refused",
                        "ERROR: Failed to fetch https://{}/simple/torch"), False),
    "proxy": Kind(joined("", name, lambda _: ":3128"), (
        "https_proxy=http://{}", 'Acquire::http::Proxy "http://{}/";',
        "ERROR: Cannot connect to proxy http://{}")),
    # Numbers of one machine.
    "partition": Kind(uuid, (
        "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz root=UUID={} nomodeset",
        "UUID={} / ext4 defaults 0 1")),
    "part of a disk": Kind(joined("-", of(HEX, 8), of("123456789", 2)), (
        "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz root=PARTUUID={} nomodeset",
        "error: PARTUUID={} was not found"), False),
    "machine's id": Kind(of(HEX, 32), ("machine-id: {}", "ERROR: /var/log/journal/{}: no space")),
    "disk": Kind(of(UPPER + DIGITS, 14, "S3"), (
        "/dev/disk/by-id/nvme-Samsung_SSD_970_{}", "Serial Number: {}",
        "error: ata3: Serial number {} failed"), False),
    "graphics card": Kind(of("123456789abcdef", 16), ("Uuid: GPU-{}", "unique_id: {}",
                                                 "ERROR: GPU-{} was not found")),
    "part by its label": Kind(of(UPPER + DIGITS, 12, "A1"), (
        'error: ATTRS{{serial}}=="{}"', "error: iSerial 3 {}", "error: Service Tag: {}",
        "error: serial number is {}", "error: ID_SERIAL_SHORT={}"), False),
    "file system": Kind(joined("-", of(DIGITS + "ABCDEF", 3, "1"), of("ABCDEF", 4)), (
        "error: /dev/disk/by-uuid/{} missing", "error: UUID={} missing"), False),
    "world wide name": Kind(of("123456789abcdef", 16, "0x5"), ("WWN: {}", "error: wwn-{} failed")),
    # People.
    "user below windows": Kind(person, (
        "/mnt/c/Users/{}/AppData/Local/x", "Error: /mnt/c/Users/{}/x: No such file or directory",
        r"error: C:\Users\{}\AppData failed")),
    "name with a blank below windows": Kind(two_names, (
        r"error: C:\Users\{}\x failed", "error: /mnt/c/Users/{}/x failed"), False),
    "accented home": Kind(accented, (
        "Error: /home/{}/x: Permission denied", "error: /media/{}/disk: full",
        r"error: C:\Users\{}\x failed")),
    "account": Kind(person, (
        "chown: invalid user: '{}'", "error: user {} is not in the group",
        "error: Failed password for {} from 10.0.0.1", "error: authentication failure; ruser={}"),
        False),
    "group": Kind(name, ("error: group '{}' does not exist", "chgrp: invalid group: '{}'",
                         "error: groups=1000(me),1005({})"), False),
    "neighbour's home": Kind(person, ("/home/{}/models/x", "Error: /home/{}/x: Permission denied")),
    "mail": Kind(joined("@", person, lambda _: "acme-robotics.com"), (
        "Author: Me <{}>", "error: no key for {}")),
}  # fmt: skip


def planted(seed: int, count: int) -> tuple[Planted, ...]:
    """So many secrets, of every kind in turn."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    kinds = list(KINDS.items())
    found = []
    for number in range(count):
        kind, how = kinds[number % len(kinds)]
        value = how.make(chance)
        line = how.lines[number // len(kinds) % len(how.lines)].format(value)
        found.append(Planted(kind, value, line, how.is_setting))
    return tuple(found)


def traces(one: Planted) -> tuple[str, ...]:
    """The secret, and each half of a long one: what is cut is no less told."""
    value, middle = one.value.lower(), len(one.value) // 2
    return (value, value[:middle], value[middle:]) if middle >= 12 else (value,)


def told_of(secrets: Iterable[Planted], text: str) -> list[str]:
    """Each of them of which a text holds the whole or a half."""
    lowered = text.lower()
    return [
        f"{one.kind}: {one.line}"
        for one in secrets
        if any(trace in lowered for trace in traces(one))
    ]
