"""Measures vectors alone on LongMemEval's development questions: the rank of the sessions that hold the answer among one user's."""

import gzip
import json
import re

import numpy as np

SHORT, LONG = 50, 60  # words of a chunk: about, and at most


def chunks(text):
    """Cuts a turn into chunks at the ends of sentences or lines."""
    found, words = [], []
    for sentence in re.split(r"(?<=[.!?\n])\s+", text):
        more = sentence.split()
        while len(more) > LONG:
            if words:
                found.append(" ".join(words))
                words = []
            found.append(" ".join(more[:SHORT]))
            more = more[SHORT:]
        if words and len(words) + len(more) > LONG:
            found.append(" ".join(words))
            words = []
        words = words + more
    return [*found, " ".join(words)] if words else found


class Questions:
    """The questions that are no abstention, and the distinct texts of their users' sessions."""

    def __init__(self, path, assistant=True, cut=chunks):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            records = [r for r in json.load(file) if not r["question_id"].endswith("_abs")]
        self.texts, self.kinds = [r["question"] for r in records], [r["question_type"] for r in records]
        self.units, number = [], {}
        self.among = []  # for each question: units, and the session of each; and which sessions hold the answer
        for record in records:
            sessions = dict(reversed(list(zip(record["haystack_session_ids"], record["haystack_sessions"]))))
            units, session = [], []
            for n, turns in enumerate(sessions.values()):
                for turn in turns:
                    if turn["role"] != "user" and not assistant:
                        continue
                    for text in cut(turn["content"]):
                        if text not in number:
                            number[text] = len(self.units)
                            self.units.append(text)
                        units.append(number[text])
                        session.append(n)
            gold = np.array([i in record["answer_session_ids"] for i in sessions])
            self.among.append((np.array(units), np.array(session), gold))

    def places(self, asked, units):
        """Returns for each question the places, from 0, of the sessions that hold the answer. A session is as near as its nearest text."""
        found = []
        for vector, (rows, session, gold) in zip(asked, self.among):
            best = np.full(len(gold), -2.0)
            np.maximum.at(best, session, units[rows] @ vector)
            order = np.argsort(-best + gold * 1e-9, kind="stable")  # equals stand before the right one
            found.append(np.flatnonzero(gold[order]))
        return found


def metrics(places):
    """Returns LongMemEval's metrics: any@1, any@5, any@10, all@5, NDCG@10 and the mean reciprocal rank."""
    any_at = lambda k: np.mean([p[0] < k for p in places])
    ndcg = [sum(1 / np.log2(2 + p[p < 10])) / sum(1 / np.log2(2 + np.arange(min(10, len(p))))) for p in places]
    return {
        "any@1": any_at(1), "any@5": any_at(5), "any@10": any_at(10), "all@5": np.mean([p[-1] < 5 for p in places]),
        "NDCG@10": np.mean(ndcg), "MRR": np.mean([1 / (1 + p[0]) for p in places]),
    }


def line(name, places):
    return f"| {name} | " + " | ".join(f"{v:.3f}".lstrip("0") for v in metrics(places).values()) + " |"
