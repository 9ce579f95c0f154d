"""The text that the table is trained on: talk of people, and WordNet's glosses for the words that talk seldom has.

Nothing of an evaluation set is among it: no LongMemEval, LoCoMo, HarperValley, PriMock57 or NatCS.
"""

import gzip
import io
import json
import tarfile
import zipfile

LONGEST = 60  # words of what one person says in one go


def distinct(texts, fewest):
    """Returns the texts of at least `fewest` words, each once, in their order."""
    seen = {}
    for text in texts:
        text = " ".join(text.split())
        if len(text.split()) >= fewest:
            seen.setdefault(text.lower(), text)
    return list(seen.values())


def service(path):
    """The utterances of service dialogues (MultiDoGO, MultiWOZ, Taskmaster-4), one a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return distinct(lines, 3)


def chat(path):
    """Small talk (BYU's chitchat-dataset): what one person says in one go, its first words where it is long."""
    with zipfile.ZipFile(path) as wheel:
        conversations = json.loads(wheel.read("chitchat_dataset/dataset.json"))
    goes = (" ".join(m["text"] for m in messages) for c in conversations.values() for messages in c["messages"])
    return distinct((" ".join(said.split()[:LONGEST]) for said in goes), 3)


def wordnet(path):
    """WordNet's glosses, each behind the words that it explains, and its examples."""
    glosses, examples = [], []
    with tarfile.open(path) as package:
        for kind in ("noun", "verb", "adj", "adv"):
            data = package.extractfile(f"package/dict/data.{kind}")
            for line in io.TextIOWrapper(data, encoding="utf-8"):
                if line.startswith("  "):
                    continue  # the licence
                left, gloss = line.split(" | ", 1)
                fields = left.split()
                words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
                words = [w.split("(")[0].replace("_", " ") for w in words]
                meaning, *rest = gloss.strip().split('; "')
                glosses.append(f"{', '.join(words)}: {meaning}")
                examples += [e.strip().rstrip('"') for e in rest]
    return distinct(glosses, 3), distinct(examples, 3)
