#!/usr/bin/env python3
"""The first inputs of the fuzz targets: corpus/NAME.json has those of one target, by their names, each character a byte.

Usage: seeds.py unpack FILE FOLDER     writes each input to a file of its own, as libFuzzer reads them
       seeds.py pack FOLDER FILE       makes one file of a folder, for instance to keep what a long run has found
"""
import json
import pathlib
import sys


def unpack(file, folder):
    folder.mkdir(parents=True, exist_ok=True)
    inputs = json.loads(file.read_text("utf-8"))
    for old in folder.iterdir():
        if old.name not in inputs:
            old.unlink()
    for name, text in inputs.items():
        (folder / name).write_bytes(text.encode("latin-1"))


def pack(folder, file):
    inputs = {each.name: each.read_bytes().decode("latin-1") for each in sorted(folder.iterdir())}
    file.write_text(json.dumps(inputs, indent=0) + "\n", "utf-8")


def main(words):
    if len(words) != 3 or words[0] not in ("pack", "unpack"):
        print(__doc__, file=sys.stderr)
        return 2
    {"pack": pack, "unpack": unpack}[words[0]](pathlib.Path(words[1]), pathlib.Path(words[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
