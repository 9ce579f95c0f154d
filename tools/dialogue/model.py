"""The transformer that internal/embed/dialogue runs, in JAX, and its weights from an ONNX file."""

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from onnx import numpy_helper

HEADS = 12
PARTS = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "o": "attention.output.dense",
         "f": "intermediate.dense", "h": "output.dense"}
NORMS = {"a": "attention.output.LayerNorm", "z": "output.LayerNorm"}


def read(path):
    """Returns the weights of a BERT that was exported to ONNX."""
    graph = onnx.load(path).graph
    named = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    by_node = {}
    for node in graph.node:
        if node.op_type in ("MatMul", "Gemm"):
            for name in node.input:
                if name in named and named[name].ndim == 2:
                    by_node[node.name + "/"] = named[name]

    def get(end):
        return next((w for name, w in named.items() if name.endswith(end)), None)

    def matrix(name):
        stored = get(name + ".weight")
        if stored is not None:
            return stored.T
        key = "/" + name.replace(".", "/").replace("layer/", "layer.") + "/"
        (found,) = [w for node, w in by_node.items() if key in node]
        return found

    out = {"tok": get("embeddings.word_embeddings.weight"), "pos": get("embeddings.position_embeddings.weight"),
           "typ": get("embeddings.token_type_embeddings.weight"), "eg": get("embeddings.LayerNorm.weight"),
           "eb": get("embeddings.LayerNorm.bias"), "L": []}
    while get(f"encoder.layer.{len(out['L'])}.attention.self.query.bias") is not None:
        at = f"encoder.layer.{len(out['L'])}."
        layer = {}
        for short, part in PARTS.items():
            layer["w" + short], layer["b" + short] = matrix(at + part), get(at + part + ".bias")
        for short, part in NORMS.items():
            layer["g" + short], layer["c" + short] = get(at + part + ".weight"), get(at + part + ".bias")
        out["L"].append(layer)
    return jax.tree.map(lambda x: jnp.asarray(x, jnp.float32), out)


def norm(x, gain, offset):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-12) * gain + offset


def encode(p, ids, places, texts, kinds):
    """Returns a vector for each token of rows that hold several texts each: texts says which one a token is of, -1 where there is none."""
    x = norm(p["tok"][ids] + p["pos"][places] + p["typ"][kinds], p["eg"], p["eb"])
    rows, length, width = x.shape
    apart = jnp.where(texts[:, :, None] == texts[:, None, :], 0.0, -1e9)[:, None]

    def by_head(y, order):
        return y.reshape(rows, length, HEADS, width // HEADS).transpose(order)

    for l in p["L"]:
        q = by_head(x @ l["wq"] + l["bq"], (0, 2, 1, 3))
        k = by_head(x @ l["wk"] + l["bk"], (0, 2, 3, 1))
        v = by_head(x @ l["wv"] + l["bv"], (0, 2, 1, 3))
        taken = jax.nn.softmax(q @ k / np.sqrt(width // HEADS) + apart, -1) @ v
        x = norm(x + taken.transpose(0, 2, 1, 3).reshape(rows, length, width) @ l["wo"] + l["bo"], l["ga"], l["ca"])
        x = norm(x + jax.nn.gelu(x @ l["wf"] + l["bf"], approximate=False) @ l["wh"] + l["bh"], l["gz"], l["cz"])
    return x
