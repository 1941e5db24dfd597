"""Kernels that Python did not record: the text form, and kernels written in Rust for the vendor's crate; and traces from files."""
from __future__ import annotations

import os
import pathlib
from typing import Any, Iterator

import numpy as np

from . import _tcp, _types
from ._kernel import _mistake


def _chip(chip: Any) -> _tcp.Chip:
    return chip if isinstance(chip, _tcp.Chip) else _tcp.Chip(str(chip))


class Module:
    """A kernel as commands, verified. Calling it runs it on arrays: by position, or by the names of its arguments."""

    def __init__(self, held: _tcp._Module) -> None:
        self._held = held
        self.name: str = held.name
        #: Of the last run with the backend "device".
        self.last_trace: _tcp.Trace | None = None

    @property
    def text(self) -> str:
        """The canonical text form."""
        return self._held.text

    @property
    def cpp(self) -> str:
        """The kernel as typed C++."""
        return self._held.cpp

    @property
    def arguments(self) -> dict[str, tuple[str, dict[str, int]]]:
        """Name: (type, {axis: size}), in order."""
        return {name: (type, dict(axes)) for name, type, axes in self._held._arguments}

    @property
    def results(self) -> dict[str, tuple[str, dict[str, int]]]:
        """Name, type and axes of each array that it gives."""
        return {name: (type, dict(axes)) for name, type, axes in self._held._results}

    @property
    def notes(self) -> list[str]:
        """What was assumed when it was read."""
        return self._held.notes

    def __call__(self, *arrays: Any, backend: str | None = None, check: bool = True, model: str = "book", **named: Any) -> Any:
        """Runs it; a dimension of an array for each axis of the argument's mapping, in the order in which it names them. One result is an array, several are a dict. Floats that
        are rounded to an argument's type, as bf16, come back as float32."""
        wanted = self._held._arguments
        given = list(arrays)
        for name, _, _ in wanted[len(given):]:
            if name not in named:
                raise _mistake(f"{self.name} lacks its argument {name}", f"its arguments are {', '.join(n for n, _, _ in wanted)}: give each an array")
            given.append(named.pop(name))
        if named or len(given) > len(wanted):
            raise _mistake(f"{self.name} has no argument {next(iter(named), 'of that number')}", f"its arguments are {', '.join([*(n for n, _, _ in wanted), *self._numbers_by_name()])}")
        bits, rounded = [], False
        for x, (name, type, axes) in zip(given, wanted):
            array, _ = _types.elements(x, type)
            rounded |= type in _types.SMALL_FLOATS and (not hasattr(x, "dtype") or isinstance(x, np.ndarray) and _types.type_name(x.dtype) != type)
            shape = tuple(n for _, n in axes)
            if array.shape != shape:
                raise _mistake(f"{name} has the shape {array.shape}, and the argument is {type} {shape}, {', '.join(f'{a} = {n}' for a, n in axes)}",
                               f"reshape or transpose it to {shape}")
            bits.append(_types.bits_of(array, type).reshape(-1))
        results, self.last_trace = self._held._run(bits, backend or os.environ.get("TCP_BACKEND", "vector"), check, model)
        made = {name: _types.from_bits(b.reshape(tuple(n for _, n in axes)), type) for b, (name, type, axes) in zip(results, self._held._results)}
        if rounded:  # numbers for who gave numbers
            made = {name: _types.float32(x) if _types.type_name(x.dtype) in _types.SMALL_FLOATS else x for name, x in made.items()}
        return next(iter(made.values())) if len(made) == 1 else made

    def _numbers_by_name(self) -> list[str]:
        """What may be given beside arrays."""
        return []

    def cycles(self, model: str = "book") -> int:
        """How long it would take, by a timing model."""
        return self._held.cycles(model)

    def trace(self, model: str = "book", reorder: bool = False) -> _tcp.Trace:
        """When each command would run, and why."""
        return self._held.trace(model, reorder)

    def report(self, model: str = "book") -> _tcp.Report:
        """Where the cycles go, by a timing model."""
        return self.trace(model).report()

    def same_program(self, other: "Module", names: bool = True) -> bool:
        """Equal but for source lines; `names=False`: and for the names of tensors."""
        return self._held.same_program(other._held, names)

    def __len__(self) -> int:
        return len(self._held)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        shown = ", ".join(f"{n}: {t} {tuple(a.values())}" for n, (t, a) in self.arguments.items())
        return f"<module {self.name}({shown}), {len(self)} commands>"


def parse(text: str, name: str = "<text>", chip: Any = "rngd") -> Module:
    """A module from its text form."""
    found = _tcp._parse_all(text, name, _chip(chip))
    if len(found) != 1:
        raise _mistake(f"the text has {len(found)} modules", "give one, or read a file with tv.load")
    return Module(found[0])


class RustKernel(Module):
    """A kernel of a crate. Its parameters that are numbers are given by name: `scale(x, factor=2.0)`; each set of numbers is a reading of its own, and is kept."""

    def __init__(self, crate: _tcp._Crate, name: str, chip: _tcp.Chip, numbers: dict[str, float]) -> None:
        super().__init__(crate.read(name, chip, numbers))
        self._crate, self._asked, self._chip, self._numbers = crate, name, chip, numbers
        self._others: dict[tuple, RustKernel] = {}

    @property
    def numbers(self) -> list[str]:
        """The parameters that are numbers."""
        return self._held._scalars

    def _numbers_by_name(self) -> list[str]:
        return [f"{n}=..." for n in self.numbers]

    @property
    def cpp(self) -> str:
        """The kernel as typed C++, with its names, helpers and loops."""
        return self._crate.cpp(self._asked, self._chip, {k: v for k, v in self._numbers.items() if k in self.numbers})

    def given(self, **numbers: float) -> RustKernel:
        """The kernel with these numbers, for its text, cycles and traces."""
        for k in numbers:
            if k not in self.numbers:
                raise _mistake(f"{self.name} has no parameter {k} that is a number", f"its numbers are {', '.join(self.numbers)}" if self.numbers else "it has none")
        all = {**self._numbers, **{k: float(v) for k, v in numbers.items()}}
        key = tuple(sorted(all.items()))
        if key not in self._others:
            self._others[key] = RustKernel(self._crate, self._asked, self._chip, all)
        return self._others[key]

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """Runs it on arrays, by position or by the names of its arguments; numbers are given by name."""
        numbers = {k: named.pop(k) for k in list(named) if k in self.numbers}
        if not numbers:
            if len(arrays) > len(self.arguments) and self.numbers:
                raise _mistake(f"{self.name} takes {', '.join(self.arguments)}, and is given {len(arrays)} arguments", f"give numbers by name: {self.numbers[0]}=...")
            return super().__call__(*arrays, **named)
        with_them = self.given(**numbers)
        made = with_them(*arrays, **named)
        self.last_trace = with_them.last_trace
        return made


class Crate:
    """Kernels of a file, by name: `crate.relu`, `crate["relu"]`, `crate["scale::<64>"]` of a generic one; each is read when it is asked for."""

    def __init__(self, read: Any, names: list[str]) -> None:
        self._read, self.names = read, names

    def __getitem__(self, name: str) -> Module:
        if name not in self.names and "::" not in name:
            raise KeyError(f"there is no kernel {name}; there are {', '.join(self.names)}")
        return self._read(name)

    def __getattr__(self, name: str) -> Module:
        if name.startswith("_") or name not in self.names:
            raise AttributeError(f"there is no kernel {name}; there are {', '.join(self.names)}")
        return self._read(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<kernels: {', '.join(self.names)}>"


def load(path: str | os.PathLike[str], chip: Any = "rngd", **numbers: float) -> Crate:
    """The kernels of a file: Rust for the vendor's crate (a .rs, a folder, a Cargo.toml), or the text form (.tcp). `numbers`: what parameters that are numbers get, if a call
    does not say."""
    file = pathlib.Path(path)
    of = _chip(chip)
    if file.suffix == ".tcp":
        modules = {m.name: Module(m) for m in _tcp._parse_all(file.read_text("utf-8"), str(file), of)}
        return Crate(modules.__getitem__, list(modules))
    crate = _tcp._Crate.open(str(file))
    if not crate.names:
        raise _mistake(f"{file.name or file} has no kernel: no function in it is marked #[device(chip = 1)]", "give a .rs file with kernels, the folder of a crate, its Cargo.toml, or text form in a file that ends in .tcp")
    set_by_hand = {k: float(v) for k, v in numbers.items()}
    known: dict[str, RustKernel] = {}

    def read(name: str) -> RustKernel:
        if name not in known:
            made = RustKernel(crate, name, of, set_by_hand)
            for k in set_by_hand:
                if k not in made.numbers and len(crate.names) == 1:
                    raise _mistake(f"{name} has no parameter {k} that is a number", f"its numbers are {', '.join(made.numbers)}" if made.numbers else "it has none")
            known[name] = made
        return known[name]
    return Crate(read, crate.names)


def read_trace(path: str | os.PathLike[str]) -> _tcp.Trace:
    """A trace from its file."""
    return _tcp._read_trace(pathlib.Path(path).read_text("utf-8"), str(path))


def import_dump(path: str | os.PathLike[str], schedule: _tcp.Trace | None = None, chip: str = "rngd", core_mhz: int = 1000, ticks_per_cycle: int = 2) -> _tcp.Trace:
    """What the vendor's tools write, as a trace: the dump of a schedule, or the spans that a chip was measured with."""
    return _tcp._read_dump(pathlib.Path(path).read_text("utf-8"), str(path), schedule, chip, core_mhz, ticks_per_cycle)
