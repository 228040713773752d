"""Writes the lock of what pip chose: exact versions, each with its hash. REPORT LOCK KNOWN."""

import hashlib
import json
import sys
from urllib.parse import unquote, urlsplit

report, lock, known = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
lines = []
with open(report, encoding="utf-8") as opened:
    chosen = json.load(opened)["install"]
for item in chosen:
    name, version = item["metadata"]["name"], item["metadata"]["version"]
    address = urlsplit(item["download_info"]["url"])
    file = unquote(address.path).rpartition("/")[2]
    archive = item["download_info"].get("archive_info", {})
    sha256 = known.get(file) or archive.get("hashes", {}).get("sha256")
    if not sha256 and address.scheme == "file":  # older versions of pip do not hash local files
        with open(unquote(address.path), "rb") as wheel:
            sha256 = hashlib.sha256(wheel.read()).hexdigest()
    if not file.endswith(".whl") or not sha256:
        sys.exit(file + " is no wheel, or nobody published its hash; rdna1-setup apply may take it")
    lines.append("%s==%s --hash=sha256:%s\n" % (name, version, sha256))
with open(lock, "w", encoding="utf-8") as written:
    written.writelines(sorted(lines))
