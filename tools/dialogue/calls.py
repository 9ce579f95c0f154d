"""Reads calls.txt.gz: people, what they said to an agent and it to them, what one may ask about it later, and search it by."""

import gzip
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent


def people():
    """Returns all people: id, language, calls (lists of speaker and text), questions (with the call and turn of each answer), searches by call."""
    found = []
    for line in gzip.open(HERE / "calls.txt.gz", "rt", encoding="utf-8"):
        line = line.strip()
        if line.startswith("@"):
            name, language, *_ = (part.strip() for part in line[1:].split("|"))
            found.append({"id": name, "language": language, "calls": [], "questions": [], "searches": {}})
        elif line.startswith("#"):
            found[-1]["calls"].append([])
        elif line.startswith("?"):
            question, _, answers = line[1:].rpartition("=")
            found[-1]["questions"].append((question.strip(), [tuple(map(int, a.split("."))) for a in answers.split()]))
        elif line.startswith("!"):
            phrase, _, call = line[1:].rpartition("=")
            found[-1]["searches"].setdefault(int(call.split()[0]), []).append(phrase.strip())
        elif turn := re.match(r"\d+\.\d+ ([AC]) (.*)", line):
            found[-1]["calls"][-1].append((turn[1], turn[2]))
    return found


def of(group, language="en"):
    """Returns the people of a writer's group."""
    return [p for p in people() if p["id"].startswith(group + "-") and p["language"] == language]
