#!/usr/bin/env python3
"""The first inputs of the fuzz targets: corpus/inputs.json has those of each target, by their names, each character a byte.

Usage: seeds.py unpack TARGET FOLDER    writes each input of a target to a file of its own, as libFuzzer reads them
       seeds.py pack FOLDER TARGET      makes a folder the inputs of a target, for instance to keep what a long run has found
"""
import json
import pathlib
import sys

FILE = pathlib.Path(__file__).parent / "corpus" / "inputs.json"


def unpack(target, folder):
    inputs = json.loads(FILE.read_text("utf-8")).get(target, {})
    if inputs:
        folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*"):
        if old.name not in inputs:
            old.unlink()
    for name, text in inputs.items():
        (folder / name).write_bytes(text.encode("latin-1"))


def pack(folder, target):
    targets = json.loads(FILE.read_text("utf-8"))
    targets[target] = {each.name: each.read_bytes().decode("latin-1") for each in sorted(folder.iterdir())}
    FILE.write_text(json.dumps(dict(sorted(targets.items())), indent=0) + "\n", "utf-8")


def main(words):
    if len(words) != 3 or words[0] not in ("pack", "unpack"):
        print(__doc__, file=sys.stderr)
        return 2
    if words[0] == "unpack":
        unpack(words[1], pathlib.Path(words[2]))
    else:
        pack(pathlib.Path(words[1]), words[2])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
