"""The teacher: all-MiniLM-L6-v2, run on the processor by onnxruntime from the weights that its package carries."""

import json
import struct
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

HIDDEN, LAYERS, HEADS, EPSILON = 384, 6, 12, 1e-12
ONNX = "com.microsoft"  # the domain of onnxruntime's fused operations


def read_safetensors(raw):
    """Returns the arrays of a safetensors file by their names."""
    size = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8 : 8 + size])
    body = raw[8 + size :]
    arrays = {}
    for name, entry in head.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(body[begin:end], np.float32).reshape(entry["shape"])
    return arrays


def build(w):
    """Returns the ONNX model: ids and a mask in, the unit sentence vector out."""
    nodes, inits = [], {}

    def init(name, array):
        inits[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def node(op, ins, out, domain="", outputs=None, **attrs):
        nodes.append(helper.make_node(op, ins, outputs or [out], domain=domain, **attrs))
        return out

    e = "embeddings."
    init("gamma", w[e + "LayerNorm.weight"]), init("beta", w[e + "LayerNorm.bias"])
    init("words", w[e + "word_embeddings.weight"]), init("places", w[e + "position_embeddings.weight"])
    init("kinds", w[e + "token_type_embeddings.weight"])
    node("EmbedLayerNormalization", ["ids", "zeros", "words", "places", "kinds", "gamma", "beta"], "h", ONNX, outputs=["h", ""], epsilon=EPSILON)
    h = "h"
    for i in range(LAYERS):
        p = f"encoder.layer.{i}."
        t = lambda name: w[p + name + ".weight"].T
        b = lambda name: w[p + name + ".bias"]
        qkv = [f"attention.self.{part}" for part in ("query", "key", "value")]
        init(f"{i}qkv", np.concatenate([t(n) for n in qkv], axis=1)), init(f"{i}qkvb", np.concatenate([b(n) for n in qkv]))
        node("Attention", [h, f"{i}qkv", f"{i}qkvb", "mask"], f"{i}a", ONNX, num_heads=HEADS)
        init(f"{i}o", t("attention.output.dense")), init(f"{i}ob", b("attention.output.dense"))
        node("MatMul", [f"{i}a", f"{i}o"], f"{i}am")
        norm(nodes, init, w, p + "attention.output.LayerNorm", [f"{i}am", h], f"{i}ob", f"{i}n")
        init(f"{i}f", t("intermediate.dense")), init(f"{i}fb", b("intermediate.dense"))
        node("MatMul", [f"{i}n", f"{i}f"], f"{i}fm")
        node("BiasGelu", [f"{i}fm", f"{i}fb"], f"{i}g", ONNX)
        init(f"{i}d", t("output.dense")), init(f"{i}db", b("output.dense"))
        node("MatMul", [f"{i}g", f"{i}d"], f"{i}dm")
        h = norm(nodes, init, w, p + "output.LayerNorm", [f"{i}dm", f"{i}n"], f"{i}db", f"{i}h")
    node("Cast", ["mask"], "m", to=TensorProto.FLOAT)
    init("axis2", np.array([2], np.int64)), init("axis1", np.array([1], np.int64))
    node("Unsqueeze", ["m", "axis2"], "m3")
    node("Mul", [h, "m3"], "masked")
    node("ReduceSum", ["masked", "axis1"], "sum", keepdims=0)
    node("LpNormalization", ["sum"], "vector", axis=1, p=2)  # the mean points where the sum does
    ids = lambda name: helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "tokens"])
    graph = helper.make_graph(
        nodes, "teacher", [ids("ids"), ids("zeros"), ids("mask")],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["texts", HIDDEN])], list(inits.values()))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(ONNX, 1)], ir_version=8)


def norm(nodes, init, w, name, ins, bias, out):
    init(out + "g", w[name + ".weight"]), init(out + "b", w[name + ".bias"])
    nodes.append(helper.make_node("SkipLayerNormalization", [*ins, out + "g", out + "b", bias], [out], domain=ONNX, epsilon=EPSILON))
    return out


class Teacher:
    """Gives sentence vectors. Texts of over `limit` word pieces are cut."""

    def __init__(self, weights, tokenizer, limit=128, threads=2):
        self.threads = threads
        self.words = Tokenizer.from_str(tokenizer)
        self.words.no_padding()
        self.words.enable_truncation(limit)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # batches run beside one another instead, each of which adds up in one order
        options.use_deterministic_compute = True
        model = build(read_safetensors(weights)).SerializeToString()
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def vectors(self, texts):
        """Returns the unit vectors of texts, in their order."""
        return self.pieces([e.ids for e in self.words.encode_batch(list(texts))])

    def pieces(self, ids):
        """Returns the unit vectors of rows of word pieces."""
        order = sorted(range(len(ids)), key=lambda i: (len(ids[i]), i))
        batches, at = [], 0
        while at < len(order):
            longest = len(ids[order[min(at + 31, len(order) - 1)]])
            batches.append(order[at : at + max(1, 2048 // longest)])
            at += len(batches[-1])
        out = np.empty((len(ids), HIDDEN), np.float32)
        with ThreadPoolExecutor(self.threads) as pool:
            for batch, vectors in zip(batches, pool.map(lambda b: self.batch([ids[i] for i in b]), batches)):
                out[batch] = vectors
        return out

    def batch(self, ids):
        longest = max(len(row) for row in ids)
        block = np.zeros((len(ids), longest), np.int32)
        mask = np.zeros_like(block)
        for i, row in enumerate(ids):
            block[i, : len(row)] = row
            mask[i, : len(row)] = 1
        return self.session.run(None, {"ids": block, "zeros": np.zeros_like(block), "mask": mask})[0]
