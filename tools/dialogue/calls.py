"""Reads calls.txt.gz: people, what they said to an agent and it to them, and what one may ask about it later."""

import gzip
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent


def people():
    """Returns all people: id, language, calls (lists of speaker and text), questions (with the call and turn of each answer)."""
    found = []
    for line in gzip.open(HERE / "calls.txt.gz", "rt", encoding="utf-8"):
        line = line.strip()
        if line.startswith("@"):
            name, language, *_ = (part.strip() for part in line[1:].split("|"))
            found.append({"id": name, "language": language, "calls": [], "questions": []})
        elif line.startswith("#"):
            found[-1]["calls"].append([])
        elif line.startswith("?"):
            question, _, answers = line[1:].rpartition("=")
            found[-1]["questions"].append((question.strip(), [tuple(map(int, a.split("."))) for a in answers.split()]))
        elif turn := re.match(r"\d+\.\d+ ([AC]) (.*)", line):
            found[-1]["calls"][-1].append((turn[1], turn[2]))
    return found


def of(group, language="en"):
    """Returns the people of a writer's group."""
    return [p for p in people() if p["id"].startswith(group + "-") and p["language"] == language]
