"""The table: which tokens have rows, how a text becomes rows, and the file that the server reads."""

import struct
import subprocess
from collections import Counter

import numpy as np
from scipy import sparse

MAGIC = b"RCLSTAT1"
FNV_OFFSET, FNV_PRIME = 14695981039346656037, 1099511628211
LONGEST = 32  # bytes of a row's name


def scan(root, lines):
    """Returns the tokens of each line, as recall's scanner cuts them."""
    text = "\n".join(" ".join(line.split()) for line in lines) + "\n"
    out = subprocess.run(["go", "run", "./tools/distill/scan"], cwd=root, input=text.encode(), capture_output=True, check=True)
    rows = [line.split(" ") if line else [] for line in out.stdout.decode().split("\n")[:-1]]
    assert len(rows) == len(lines)
    return rows


class Vocabulary:
    """The names of the table's rows: whole words first, then the teacher's pieces, which begin with ##."""

    def __init__(self, names):
        self.names = names
        self.row = {name: i for i, name in enumerate(names)}

    def rows(self, token, whole=True):
        """Returns the rows of a token: its own, or those of its longest pieces. Package static does the same in Go."""
        if whole and token in self.row:
            return [self.row[token]]
        found, at = [], 0
        while at < len(token):
            row, end = self.piece(token, at, whole)
            if row is None:
                at += 1
                continue
            found.append(row)
            at = end
        return found

    def piece(self, token, at, whole):
        for mark in ("##", "") if at > 0 else ("",):
            for end in range(len(token), at, -1):
                if not whole and at == 0 and end == len(token):
                    continue
                row = self.row.get(mark + token[at:end])
                if row is not None:
                    return row, end
        return None, at

    def matrix(self, texts, split=frozenset()):
        """Returns how often each row occurs in each text. Words of `split` are cut into pieces though they have a row."""
        cells, starts, columns = {}, [0], []
        for tokens in texts:
            for token in tokens:
                if token not in cells:
                    cells[token] = self.rows(token, token not in split) or (self.rows(token) if token in split else [])
                columns += cells[token]
            starts.append(len(columns))
        counts = np.ones(len(columns), np.float32)
        m = sparse.csr_matrix((counts, np.array(columns, np.int32), np.array(starts)), shape=(len(texts), len(self.names)))
        m.sum_duplicates()
        return m


def choose(pieces, texts, size, scanned):
    """Returns the vocabulary: what of the teacher's pieces the scanner can yield, and the most frequent words of the texts."""
    counts = Counter(token for tokens in texts for token in tokens)
    whole = {p for p, cut in scanned.items() if not p.startswith("##") and cut == [p]}
    tails = [p for p in pieces if p.startswith("##") and scanned[p] == [p[2:]]]
    free = size - len(whole) - len(tails)
    letters = (t for t, _ in sorted(counts.items(), key=lambda e: (-e[1], e[0])) if t not in whole and t.isalpha() and len(t.encode()) <= LONGEST)
    more = [t for t, _ in zip(letters, range(free))]
    return Vocabulary(sorted(whole | set(more)) + sorted(tails)), counts


def fnv(name):
    h = FNV_OFFSET
    for b in name.encode():
        h = (h ^ b) * FNV_PRIME & 0xFFFFFFFFFFFFFFFF
    return h


def quantize(table):
    """Returns whole numbers q and scales s, so that a row is about q*s in units that are the same for all rows."""
    peak = np.abs(table).max(axis=1)
    unit = peak.max() / 65535
    scale = np.maximum(1, np.round(peak / unit)).astype(np.uint16)
    q = np.round(table / (scale[:, None] * unit) * 127).clip(-127, 127).astype(np.int8)
    return q, scale


def layout(magic, names, scale, mean, width, body):
    """Returns a weights file. Its layout is that which package static reads; numbers are little-endian."""
    encoded = [n.encode() for n in names]
    slots = 1 << (len(encoded) * 3 // 2).bit_length()
    places = np.zeros(slots, np.uint32)
    for row, name in enumerate(names):
        at = fnv(name) % slots
        while places[at]:
            at = (at + 1) % slots
        places[at] = row + 1
    offsets = np.cumsum([0] + [len(n) for n in encoded]).astype(np.uint32)
    head = magic + struct.pack("<5I", width, len(encoded), slots, int(offsets[-1]), int(mean))
    arrays = (offsets.astype("<u4"), places.astype("<u4"), scale.astype("<u2"))
    return head + b"".join(a.tobytes() for a in arrays) + b"".join(encoded) + body.tobytes()


def pack(vocabulary, table):
    """Returns the weights file of the English table."""
    q, scale = quantize(table)
    mean = np.round((np.sqrt((q.astype(np.int64) ** 2).sum(axis=1)) * scale).mean())
    return layout(MAGIC, vocabulary.names, scale, mean, q.shape[1], q)


def vectors(counts, table):
    """Returns the unit vectors of texts by the table as the file holds it: the reference that package static is tested against."""
    q, scale = quantize(table)
    sums = counts.astype(np.int64) @ (q.astype(np.int64) * scale.astype(np.int64)[:, None])
    sums[~sums.any(axis=1), -1] = 1  # a text without a row
    return sums / np.maximum(1e-9, np.sqrt((sums.astype(np.float64) ** 2).sum(axis=1, keepdims=True)))
