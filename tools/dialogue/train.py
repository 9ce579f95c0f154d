"""Trains the built-in model that reads turns in their dialogue, and writes its weights. Run by tools/dialogue/dialogue; README.md tells more.

But for the last stage (together.py) one step is one person: all his turns are ranked for each question about him, and the loss is how unlikely the right ones are.
"""

import hashlib
import json
import pickle
import random
import re
import struct
import sys
import unicodedata
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from tokenizers import Tokenizer

import calls
import together
from model import encode, read

ROOT = Path(__file__).resolve().parents[2]
SUMS = {
    "all-minilm-l6-v2.onnx": "ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4",
    "all-minilm-l6-v2-tokenizer.json": "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
}
STAGES = ((("w1", "w2", "w3", "w5"), 1), (("w1", "w2", "w3", "w5", "v1", "v2", "v3"), 2))  # groups of people, seed
LAST = ("w1", "w2", "w3", "v1", "v2", "v3", "v4", "v5", "w5"), 1  # the stage of turns and calls together
HELD = "w4"  # never trained on
RATE, WARM, QUICKER = 4e-5, 60, 50  # the few numbers beside the transformer learn that much faster
STRIPPED, ALONE, HIDDEN = 0.3, 0.1, 0.06  # shares: calls without punctuation, turns without what they answer, tokens of questions that are masked
CLS, SEP, MASK = 101, 102, 103
TURN, BEFORE, QUESTION, ROW, POSITIONS = 100, 28, 40, 128, 192  # tokens
TURNS, QUESTIONS = 96, 16  # of one person, at most


class Texts:
    """Makes tokens of what people say."""

    def __init__(self, work):
        for name, want in SUMS.items():
            got = hashlib.sha256((work / name).read_bytes()).hexdigest()
            if got != want:
                sys.exit(f"{name}: sha256 is {got}, want {want}")
        self.tokenizer = Tokenizer.from_file(str(work / "all-minilm-l6-v2-tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def ids(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def turn(self, before, text):
        """Returns the tokens of a turn behind the end of the one that it answers, and of what kind each is."""
        tail = self.ids(before)[-BEFORE:] if before else []
        own = self.ids(text)[:TURN]
        return [CLS, *tail, SEP, *own, SEP], [0] * (len(tail) + 2) + [1] * (len(own) + 1)

    def question(self, text):
        own = self.ids(text)[:QUESTION]
        return [CLS, *own, SEP], [0] * (len(own) + 2)

    def person(self, p, rng=None):
        """Returns the tokens of a person's turns and questions, what can be seen of each turn, and which turns answer which question."""
        turns, seen, at = [], [], {}
        for c, call in enumerate(p["calls"]):
            bare = rng is not None and rng.random() < STRIPPED
            said = [(s, re.sub(r'[.,!?;:…"()-]', " ", t) if bare else t) for s, t in call]
            for t, (speaker, text) in enumerate(said):
                at[c, t] = len(turns)
                alone = t == 0 or rng is not None and rng.random() < ALONE
                turns.append(self.turn("" if alone else said[t - 1][1], text))
                seen.append([speaker == "C", text.rstrip().endswith("?"), t == 0])
        asked = [self.question(q) for q, _ in p["questions"]]
        if rng is not None:
            asked = [([i if i in (CLS, SEP) or rng.random() >= HIDDEN else MASK for i in ids], kinds) for ids, kinds in asked]
        right = np.zeros((QUESTIONS, TURNS), np.float32)
        for q, (_, answers) in enumerate(p["questions"][:QUESTIONS]):
            for a in answers:
                if at[a] < TURNS:
                    right[q, at[a]] = 1
        return turns[:TURNS], asked[:QUESTIONS], np.array(seen[:TURNS], np.float32), right


def packed(texts, many=4):
    """Lays texts out in rows of one length, several in a row; the number of rows is a multiple of many."""
    rows = []
    for i in sorted(range(len(texts)), key=lambda i: -len(texts[i][0])):
        n = min(len(texts[i][0]), ROW)
        row = next((r for r in rows if r[1] + n <= ROW), None)
        if row is None:
            rows.append(row := [[], 0])
        row[0].append((i, row[1], n))
        row[1] += n
    height = -(-len(rows) // many) * many  # few shapes: each is compiled once
    ids, places, kinds = (np.zeros((height, ROW), np.int32) for _ in range(3))
    of = np.full((height, ROW), -1, np.int32)
    for r, (items, _) in enumerate(rows):
        for i, at, n in items:
            ids[r, at : at + n], kinds[r, at : at + n] = texts[i][0][:n], texts[i][1][:n]
            places[r, at : at + n], of[r, at : at + n] = range(n), i
    return ids, places, of, kinds


def batch(turns, asked, seen, right):
    all_seen = np.zeros((TURNS, seen.shape[1]), np.float32)
    all_seen[: len(turns)] = seen
    return *packed(turns + asked), len(turns), len(asked), right, all_seen


def scores(p, b):
    ids, places, of, kinds, turns, _, _, seen = b
    n = TURNS + QUESTIONS
    x = encode(p["bert"], ids, places, of, kinds)
    sums = jax.ops.segment_sum(x.reshape(-1, x.shape[-1]), jnp.where(of >= 0, of, n).reshape(-1), n + 1)[:n]
    v = sums / jnp.sqrt((sums * sums).sum(-1, keepdims=True) + 1e-9)
    asked = jax.lax.dynamic_slice(v, (turns, 0), (QUESTIONS, v.shape[1]))
    s = jnp.exp(p["scale"]) * (asked @ v[:TURNS].T) + (seen @ p["f"])[None, :]
    return jnp.where(jnp.arange(TURNS)[None, :] < turns, s, -1e9)


def loss(p, b):
    right, asked = b[6], b[5]
    likely = jax.nn.log_softmax(scores(p, b), -1)
    each = jax.nn.logsumexp(jnp.where(right > 0, likely, -1e9), -1)
    counts = (jnp.arange(QUESTIONS) < asked) & (right.sum(-1) > 0)
    return -(each * counts).sum() / counts.sum()


def fit(p, people, texts, seed):
    """Goes through people once."""
    rate = optax.warmup_cosine_decay_schedule(0, RATE, min(WARM, len(people) // 8), len(people), RATE * 0.05)
    quick = {"bert": jax.tree.map(lambda _: False, p["bert"]), "scale": True, "f": True}
    by = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.01), optax.masked(optax.scale(QUICKER), quick))
    state = by.init(p)

    @jax.jit
    def step(p, state, b):
        lost, slope = jax.value_and_grad(loss)(p, b)
        change, state = by.update(slope, state, p)
        return optax.apply_updates(p, change), state, lost

    rng, lost = random.Random(seed), []
    order = list(range(len(people)))
    rng.shuffle(order)
    for i in order:
        p, state, l = step(p, state, batch(*texts.person(people[i], rng)))
        lost.append(float(l))
        if len(lost) % 50 == 0:
            print(f"{len(lost)} of {len(people)}: loss {np.mean(lost[-50:]):.3f}", flush=True)
    return p


def measure(p, people, texts):
    """Returns the questions, and the shares of them of which a right turn is first, or among five."""
    ranked, places = jax.jit(scores), []
    for person in people:
        b = batch(*texts.person(person))
        for s, right in zip(np.asarray(ranked(p, b))[: b[5]], b[6]):
            if right.any():
                order = np.argsort(-s)
                places.append(int(np.argmax(right[order] > 0)))
    return len(places), np.mean([r == 0 for r in places]), np.mean([r < 5 for r in places])


def latin(name):
    bare = name.removeprefix("##")
    if name in ("[CLS]", "[SEP]", "[UNK]"):
        return True
    if name.startswith("[") and name.endswith("]") and len(name) > 1:
        return False
    return bare != "" and all(ord(c) < 128 or unicodedata.category(c)[0] in "PS" or unicodedata.name(c, "").startswith("LATIN") for c in bare)


def pack(bert, places, work):
    """Returns the file that internal/embed/dialogue reads."""
    vocabulary = json.loads((work / "all-minilm-l6-v2-tokenizer.json").read_text())["model"]["vocab"]
    names = sorted((n for n in vocabulary if latin(n)), key=lambda n: n.encode())
    spelled = b"".join(n.encode() + b"\0" for n in names)
    width, inner = bert["L"][0]["wf"].shape
    out = [b"RCLDLG01", struct.pack("<7I", len(names), width, len(bert["L"]), 12, inner, POSITIONS, len(spelled)), spelled]

    def floats(x):
        out.append(np.asarray(x, "<f4").tobytes())

    def matrix(rows):
        scale = np.abs(rows).max(1) / 127
        scale[scale == 0] = 1
        floats(scale)
        out.append(np.clip(np.rint(rows / scale[:, None]), -127, 127).astype(np.int8).tobytes())

    matrix(np.asarray(bert["tok"])[[vocabulary[n] for n in names]])
    floats(np.concatenate([bert["pos"], places[len(bert["pos"]) : POSITIONS]])[:POSITIONS])
    for name in ("typ", "eg", "eb"):
        floats(bert[name])
    for layer in bert["L"]:
        for part in "qkvofh":
            matrix(np.asarray(layer["w" + part]).T)
            floats(layer["b" + part])
        for part in "az":
            floats(layer["g" + part])
            floats(layer["c" + part])
    return b"".join(out)


def main(what, work):
    texts, kept = Texts(work), work / "trained.pickle"
    start = read(work / "all-minilm-l6-v2.onnx")
    if what == "fit":
        p = {"bert": {**start, "pos": start["pos"][:ROW]}, "scale": jnp.array(3.0), "f": jnp.array([0.4, -0.5, -0.8])}
        for groups, seed in STAGES:
            p = fit(p, [x for g in groups for x in calls.of(g)], texts, seed)
        groups, seed = LAST
        p = together.fit(p, [x for g in groups for x in calls.of(g)], texts, seed, packed, MASK)
        kept.write_bytes(pickle.dumps(jax.tree.map(np.asarray, p)))
        raw = pack(p["bert"], np.asarray(start["pos"]), work)
        (ROOT / "internal/embed/dialogue/weights.bin").write_bytes(raw)
        print(f"{len(raw)} bytes, sha256 {hashlib.sha256(raw).hexdigest()}")
    n, first, five = measure(jax.tree.map(jnp.asarray, pickle.loads(kept.read_bytes())), calls.of(HELD), texts)
    print(f"{HELD}, not trained on: {n} questions, first {first:.3f}, among five {five:.3f}")


if __name__ == "__main__":
    if sys.argv[1] not in ("fit", "measure"):
        sys.exit("want: dialogue fit|measure WORK")
    main(sys.argv[1], Path(sys.argv[2]))
