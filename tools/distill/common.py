"""Lists the English terms that are said most, the most common first. Run by tools/distill/distill; README.md tells what it does."""

import gzip
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS, SUM = "pyspellchecker-0.9.1-py3-none-any.whl", "c79b144b4bad20024bf489ad3ffd96b76f3f53439e9fa59ac607896352852f3d"
TERMS = 8000
SERVICE = 0.25  # how much service talk counts: what callers of businesses say often is common, too
FEWEST = 10  # of service talk: what is said less often tells nothing


def shares(counts):
    """Returns which share of all talk each term is."""
    words = sorted(counts)
    out = subprocess.run(
        ["go", "run", "./tools/distill/scan", "en"], cwd=ROOT, input="\n".join(words).encode() + b"\n", capture_output=True, check=True)
    found, total = Counter(), 0
    for word, term in zip(words, out.stdout.decode().split("\n")[:-1], strict=True):
        if term and " " not in term:
            total += counts[word]
            found[term] += counts[word]
    del found["-"]
    return {term: n / total for term, n in found.items()}


def main(work, data):
    raw = (Path(work) / WORDS).read_bytes()
    if hashlib.sha256(raw).hexdigest() != SUM:
        sys.exit(f"{WORDS} is another file")
    with zipfile.ZipFile(Path(work) / WORDS) as wheel:
        films = json.loads(gzip.decompress(wheel.read("spellchecker/resources/en.json.gz")))
    with gzip.open(Path(data) / "dialogue_text.txt.gz", "rt") as lines:
        service = Counter(w for line in lines for w in re.findall(r"[a-z']+", line.lower()))
    said = shares(films)
    for term, share in shares({w: n for w, n in service.items() if n >= FEWEST}).items():
        said[term] = max(said.get(term, 0), SERVICE * share)
    most = sorted(said, key=lambda t: (-said[t], t))[:TERMS]
    (ROOT / "internal/embed/static/english.txt").write_text("\n".join(most) + "\n")


main(*sys.argv[1:])
