"""Writes the lock of what pip chose: exact versions, each with its hash. REPORT LOCK KNOWN."""

import json
import sys

report, lock, known = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
lines = []
with open(report, encoding="utf-8") as opened:
    chosen = json.load(opened)["install"]
for item in chosen:
    name, version = item["metadata"]["name"], item["metadata"]["version"]
    file = item["download_info"]["url"].rpartition("/")[2].replace("%2B", "+")
    archive = item["download_info"].get("archive_info", {})
    sha256 = known.get(file) or archive.get("hashes", {}).get("sha256")
    if not file.endswith(".whl") or not sha256:
        sys.exit(file + " is no wheel, or nobody published its hash; rdna1-setup apply may take it")
    lines.append("%s==%s --hash=sha256:%s\n" % (name, version, sha256))
with open(lock, "w", encoding="utf-8") as written:
    written.writelines(sorted(lines))
