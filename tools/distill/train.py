"""Fits the table: a text's sum of rows is brought near to what the teacher makes of the text."""

import numpy as np

BATCH, NEAR = 512, 0.05  # texts that are compared with one another; how sharp the comparison is


def project(vectors, width):
    """Returns the mean of vectors and their first `width` principal directions, strongest first."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors.astype(np.float64) - mean
    values, directions = np.linalg.eigh(centred.T @ centred)
    directions = directions[:, np.argsort(-values)[:width]]
    directions *= np.sign(directions[np.abs(directions).argmax(axis=0), range(width)])  # an eigenvector's sign is free
    return mean.astype(np.float32), directions.astype(np.float32)


def unit(m):
    return m / np.maximum(1e-9, np.sqrt((m * m).sum(axis=1, keepdims=True)))


def start(alone, frequency, rare=1e-3):
    """Returns the table to begin with: what the teacher makes of each row's name alone, weighed by how rare the row is."""
    return unit(alone) * (rare / (rare + frequency))[:, None].astype(np.float32)


class Adam:
    """Moves only the rows that a step has seen, so that rare rows stay near where they began."""

    def __init__(self, table, rate):
        self.table, self.rate = table, rate
        self.m, self.v = np.zeros_like(table), np.zeros_like(table)
        self.steps = np.zeros(len(table), np.int32)

    def step(self, rows, grad, part):
        self.steps[rows] += 1
        n = self.steps[rows][:, None].astype(np.float32)
        m = self.m[rows] = 0.9 * self.m[rows] + 0.1 * grad
        v = self.v[rows] = 0.99 * self.v[rows] + 0.01 * grad * grad
        move = (m / (1 - np.float32(0.9) ** n)) / (np.sqrt(v / (1 - np.float32(0.99) ** n)) + 1e-8)
        self.table[rows] -= np.float32(self.rate * part) * move


def gradient(sums, target, alike):
    """Returns one minus the mean cosine, and the slope of the loss by the texts' sums. The loss is that, and how far each text's
    likeness to the others of its batch is off (relative entropy, times `alike`)."""
    length = np.sqrt((sums * sums).sum(axis=1, keepdims=True)) + 1e-6
    u = sums / length
    n = len(u)
    loss = 1 - (u * target).sum(axis=1).mean()
    du = -target / n
    if alike:
        p, q = softmax(target @ target.T), softmax(u @ u.T)
        q -= p
        q *= alike / (NEAR * n)
        du = du + (q + q.T) @ u
    return loss, (du - u * (u * du).sum(axis=1, keepdims=True)) / length


def softmax(s):
    s = s / NEAR
    np.fill_diagonal(s, -1e9)
    s -= s.max(axis=1, keepdims=True)
    np.exp(s, out=s)
    return s / s.sum(axis=1, keepdims=True)


def fit(table, forms, target, rounds, seed, rate, alike, tell):
    """Trains the table in place. `forms` are (share, matrix): a text is taken in one of them, whole words or pieces."""
    random = np.random.default_rng(seed)
    adam, total = Adam(table, rate), rounds * (len(target) // BATCH)
    done = 0
    for round_ in range(rounds):
        order = random.permutation(len(target))
        losses = []
        for at in range(0, len(order) - BATCH + 1, BATCH):
            batch = np.sort(order[at : at + BATCH])
            counts = forms[random.choice(len(forms), p=[share for share, _ in forms])][1][batch]
            rows = np.unique(counts.indices)
            local = counts[:, rows]
            loss, slope = gradient(local @ table[rows], target[batch], alike)
            adam.step(rows, local.T @ slope, 1 - done / total)
            losses.append(loss)
            done += 1
        tell(f"round {round_ + 1} of {rounds}: one minus the cosine {np.mean(losses):.4f}")
