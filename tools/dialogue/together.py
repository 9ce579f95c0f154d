"""The last stage of the training: people's turns for questions about them, as before, and beside them whole calls for what one would
search them by. The vector of a call is the mean of its turns', as internal/search makes it.

One step is some people: each of their calls is to be told by its searches from the others' calls. Nothing older than the step is compared
with, such as calls kept from the steps before: what is new could be told from what is old by nothing but its age, and that was all that
was learned.
"""

import random

import jax
import jax.numpy as jnp
import numpy as np
import optax

from model import encode

PEOPLE = 8  # of one step
TURNS, QUESTIONS, SEARCHES, CALLS = PEOPLE * 44, PEOPLE * 10, PEOPLE * 9, PEOPLE * 4  # of one step, at most
EACH = 3  # searches of one call, at most
RATE, WARM, STEPS, QUICKER = 3e-5, 20, 150, 50
HIDDEN = 0.04  # of the tokens of searches


def batch(people, texts, rng, packed, mask):
    """Returns the step's texts in rows, whose turns may answer which question, whose call a turn is of, and which call is searched by what."""
    turns, asked, searches = [], [], []
    seen = np.zeros((TURNS, 3), np.float32)
    right, own = np.zeros((QUESTIONS, TURNS), np.float32), np.zeros((QUESTIONS, TURNS), bool)
    call, wanted, calls = np.full(TURNS, CALLS, np.int32), np.zeros(SEARCHES, np.int32), 0
    for p in people:
        said, questions, looks, answers = texts.person(p, rng)
        at, n = len(turns), len(said)
        if at + n > TURNS or calls + len(p["calls"]) > CALLS:
            continue
        for q, question in enumerate(questions[: QUESTIONS - len(asked)]):
            right[len(asked), at : at + n], own[len(asked), at : at + n] = answers[q, :n], True
            asked.append(question)
        seen[at : at + n] = looks
        for c, one in enumerate(p["calls"]):
            call[at : min(at + len(one), len(turns) + n)] = calls
            at += len(one)
            phrases = list(p["searches"].get(c, []))
            rng.shuffle(phrases)
            for phrase in phrases[: min(EACH, SEARCHES - len(searches))]:
                ids, kinds = texts.question(phrase)
                wanted[len(searches)] = calls
                searches.append(([i if rng.random() >= HIDDEN or j in (0, len(ids) - 1) else mask for j, i in enumerate(ids)], kinds))
            calls += 1
        turns += said
    ids, places, of, kinds = packed(turns + asked + searches, 16)
    slots = np.array([*range(len(turns)), *(TURNS + i for i in range(len(asked))), *(TURNS + QUESTIONS + i for i in range(len(searches))),
                      TURNS + QUESTIONS + SEARCHES], np.int32)
    return ids, places, of, kinds, slots[of], seen, right, own, call, wanted, len(asked), len(searches), calls


def unit(x):
    return x / jnp.sqrt((x * x).sum(-1, keepdims=True) + 1e-9)


def loss(p, b):
    ids, places, of, kinds, slots, seen, right, own, call, wanted, asked, searches, calls = b
    x, n = encode(p["bert"], ids, places, of, kinds), TURNS + QUESTIONS + SEARCHES
    v = unit(jax.ops.segment_sum(x.reshape(-1, x.shape[-1]), slots.reshape(-1), n + 1)[:n])
    turns, questions, looked = v[:TURNS], v[TURNS : TURNS + QUESTIONS], v[TURNS + QUESTIONS :]

    s = jnp.where(own, jnp.exp(p["scale"]) * (questions @ turns.T) + (seen @ p["f"])[None, :], -1e9)
    each = jax.nn.logsumexp(jnp.where(right > 0, jax.nn.log_softmax(s, -1), -1e9), -1)
    counts = (jnp.arange(QUESTIONS) < asked) & (right.sum(-1) > 0)
    of_turns = -jnp.where(counts, each, 0.0).sum() / counts.sum()

    whole = unit(jax.ops.segment_sum(turns, call, CALLS + 1)[:CALLS])
    s = jnp.where(jnp.arange(CALLS)[None, :] < calls, jnp.exp(p["calls"]) * (looked @ whole.T), -1e9)
    each = jnp.take_along_axis(jax.nn.log_softmax(s, -1), wanted[:, None], 1)[:, 0]
    counts = jnp.arange(SEARCHES) < searches
    return of_turns - jnp.where(counts, each, 0.0).sum() / jnp.maximum(counts.sum(), 1)


def fit(p, people, texts, seed, packed, mask):
    """Goes through people until STEPS are made."""
    p = {**p, "calls": jnp.array(3.0)}
    rate = optax.warmup_cosine_decay_schedule(0, RATE, WARM, STEPS, RATE * 0.05)
    quick = {k: jax.tree.map(lambda _: k != "bert", v) for k, v in p.items()}
    by = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.01), optax.masked(optax.scale(QUICKER), quick))
    state = by.init(p)

    @jax.jit
    def step(p, state, b):
        lost, slope = jax.value_and_grad(loss)(p, b)
        change, state = by.update(slope, state, p)
        return optax.apply_updates(p, change), state, lost

    rng, lost = random.Random(seed), []
    while len(lost) < STEPS:
        order = list(range(len(people)))
        rng.shuffle(order)
        for i in range(0, len(order), PEOPLE):
            p, state, l = step(p, state, batch([people[j] for j in order[i : i + PEOPLE]], texts, rng, packed, mask))
            lost.append(float(l))
            if len(lost) % 10 == 0:
                print(f"{len(lost)} of {STEPS}: loss {np.mean(lost[-10:]):.3f}", flush=True)
            if len(lost) == STEPS:
                break
    return p
