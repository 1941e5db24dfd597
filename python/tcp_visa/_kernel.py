"""Contexts, tensors from arrays and back, and kernels as Python functions."""
from __future__ import annotations

import functools
import inspect
import itertools
import math
import os
import threading
from typing import Any, Callable, Iterable, overload

import numpy as np

from . import _tcp, _types
from ._errors import Error, mistake as _mistake, of_arguments as _of_arguments
from ._tcp import Mapping, Tensor

_state = threading.local()


def axes(*names: str, **sizes: int) -> Any:
    """Axes by name and size, in order: `A, B = tv.axes(A=2048, B=512)`; one alone is not a tuple: `A = tv.axes(A=2048)`."""
    if names:
        raise _mistake("axes are declared with their sizes", "A, B = tv.axes(A=2048, B=512)")
    for name, size in sizes.items():
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise _mistake(f"the size of the axis {name} is a whole number, and this is {size!r}", f"write {name}=2048")
    made = tuple(_tcp.axis(name, size) for name, size in sizes.items())
    return made[0] if len(made) == 1 else made


def _named_axes(names: Any, shape: tuple[int, ...]) -> list[Mapping]:
    """The axis of each dimension of an array."""
    if isinstance(names, Mapping):
        names = [names]
    if isinstance(names, str):
        words = [w.strip() for w in names.split(",")] if names.strip() else []
        if len(words) != len(shape):
            few = "give it a dimension: np.reshape(x, 1)" if not shape else f"name {len(shape)} {'axis' if len(shape) == 1 else 'axes, separated by commas'}, as in \"{', '.join('ABCDEFGH'[:len(shape)])}\", or reshape the array"
            raise _mistake(f"the array has the shape {shape}, and '{names}' names {len(words)} {'axis' if len(words) == 1 else 'axes'}", few)
        return [_tcp.axis(w, n) for w, n in zip(words, shape)]
    listed = list(names)
    if len(listed) != len(shape):
        raise _mistake(f"the array has the shape {shape}, and {len(listed)} axes are given", f"give {len(shape)} axes")
    out = []
    for each, n in zip(listed, shape):
        mapping = _tcp.axis(each, n) if isinstance(each, str) else each
        if mapping.size != n:
            raise _mistake(f"a dimension of {n} is to be {mapping!r}, which has {mapping.size} positions", "give each dimension a mapping of its size")
        out.append(mapping)
    return out


def _in_memory_order(array: np.ndarray, dimensions: list[Mapping]) -> tuple[np.ndarray, list[Mapping]]:
    """The array with its dimensions in the order of its memory, so that a transposed one is not copied; others are."""
    order = sorted(range(array.ndim), key=lambda i: -abs(array.strides[i]) if array.shape[i] > 1 else 0)
    turned = array.transpose(order)
    if turned.flags.c_contiguous:
        return turned, [dimensions[i] for i in order]
    return np.ascontiguousarray(array), dimensions


class Context(_tcp._Context):
    """The device, for one user at a time: `with tv.Context("device") as ctx:`.

    backend: "vector" (the default; the same bits as the others, quickly), "reference", "device" (the simulated chip, with cycles) or "plan" (cycles, no values).
    chip: "rngd", "rngd_s", "logical", a chip file, or a tv.Chip. model: of time, "book", "planned", "calibrated" or "detailed". dump: a file that
    takes the text form of every kernel launched.
    """

    def __init__(self, backend: str | None = None, chip: Any = "rngd", model: str = "book", *, reorder: bool = False, check: bool = True, threads: int = 0,
                 chips: int = 8, numeric: str = "rngd", wait: bool = True, progress: Callable[[str, int, int], None] | None = None,
                 dump: str | os.PathLike[str] | None = None) -> None:
        implicit = getattr(_state, "implicit", None)
        if implicit is not None and not implicit.closed:
            implicit.close()  # no one has asked for it by name
        _state.implicit = None
        super().__init__(backend or os.environ.get("TCP_BACKEND", "vector"), chip if isinstance(chip, _tcp.Chip) else _tcp.Chip(str(chip)), model, reorder, check,
                         threads, chips, numeric, wait, progress, os.fspath(dump) if dump is not None else "")
        self._before = getattr(_state, "current", None)
        _state.current = self

    def __repr__(self) -> str:
        return "<context, closed>" if self.closed else f"<context {self.backend} on {self.chip.name}>"

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """What was launched is finished, and the device is free for the next context."""
        super().close()
        if getattr(_state, "current", None) is self:
            _state.current = self._before if self._before is not None and not self._before.closed else None

    def tensor(self, array: Any, axes: Any = None, layout: Any = None, *, chip: Any = 1, dtype: str | None = None, address: int | None = None) -> Tensor:
        """Uploads an array. `axes` names its dimensions, "A, B"; `layout` is its Element in HBM, by default row after row."""
        given, type = _types.elements(array, dtype)
        if axes is None:
            raise _mistake("an array has no names for its axes", f'give one for each dimension: ctx.tensor(x, "{", ".join("ABCDEFGH"[:given.ndim])}")')
        dimensions = _named_axes(axes, given.shape)
        element = _tcp.map(*dimensions) if layout is None else layout
        if isinstance(element, str):
            element = Mapping(element, **{n: s for d in dimensions for n, s in d.axes.items()})
        if isinstance(chip, str):
            chip = Mapping(chip, **{n: s for d in dimensions for n, s in d.axes.items()})
        turned, order = _in_memory_order(given, dimensions)
        words = turned.view(_types._WORDS[_types.width(type)])
        if _types.TYPES[type][1] == 4:
            words = words & 0xF
        return self._upload(type, words, _tcp.map(*order), chip, element, address)

    def empty_like(self, array: Any, axes: Any, layout: Any = None, *, chip: Any = 1, dtype: str | None = None) -> Tensor:
        """A tensor that has a place and no values, for kernels that are recorded and not run."""
        given, type = _types.elements(array, dtype)
        dimensions = _named_axes(axes, given.shape)
        return self.declared(type, _tcp.map(*dimensions) if layout is None else layout, chip)


def context() -> Context:
    """The context that kernels are launched in: the one that was acquired last, or a new one with the environment's backend."""
    current = getattr(_state, "current", None)
    if current is None or current.closed:
        try:
            current = Context(wait=False)
        except Error as e:
            if e.code != "runtime-device-in-use":
                raise
            raise _mistake("another thread of this program has the device", "close its context, tv.context().close(), or acquire one that waits for it: with tv.Context() as ctx: ...",
                           e.code) from None
        _state.implicit = current
    return current


Mapping.__reduce__ = lambda self: (_mapping_of, (str(self), dict(self.axes)))


def _mapping_of(text: str, axes: dict[str, int]) -> Mapping:
    return Mapping(text, **axes)


# Tensors as arrays.

def _host_axes(tensor: Tensor, names: Any) -> tuple[Any, tuple[int, ...]]:
    known = dict(tensor._axes)
    extents = {}
    levels = tensor.levels
    for level in ("chip", "cluster", "slice", "row", "element"):
        extents.update(getattr(levels, level).axes)
    if names is None:
        order = list(known)
    elif isinstance(names, str):
        order = [w.strip() for w in names.split(",")] if names.strip() else []
    else:
        mapping = names if isinstance(names, Mapping) else _tcp.map(*names)
        return mapping, (mapping.size,) if isinstance(names, Mapping) else tuple(m.size for m in names)
    unknown = [n for n in order if n not in extents]
    if unknown:
        raise _mistake(f"the tensor has no axis {unknown[0]}; it has {', '.join(extents)}", f'name its axes: t.numpy("{", ".join(known)}")')
    factors = [_tcp.axis(n, extents[n]) if known.get(n, 1) == extents[n] else _tcp.axis(n, extents[n]).resize(known.get(n, 1)) for n in order]
    return _tcp.map(*factors), tuple(f.size for f in factors)


def _numpy(self: Tensor, axes: Any = None) -> np.ndarray:
    """The elements as an array, once the kernels before have run. Its dimensions are the tensor's axes in the order in which the mappings name them, or those of `axes`."""
    if self.memory != "HBM":
        raise _mistake(f"the tensor is in {self.memory}, and arrays are made of tensors in HBM", "move it there in the kernel: return y.to_hbm(\"A\")")
    host, shape = _host_axes(self, axes)
    words = np.empty(shape, _types._WORDS[_types.width(self.type)])
    self._download(words.reshape(-1), host)
    if self.type == "i4":
        words = np.where(words & 8, words | 0xF0, words).astype(np.uint8)
    return words.view(_types.dtype(self.type)) if words.ndim else words.reshape(1).view(_types.dtype(self.type)).reshape(())


def _array(self: Tensor, dtype: Any = None, copy: Any = None) -> np.ndarray:
    made = _numpy(self)
    return made if dtype is None else (_types.float32(made).astype(dtype) if _types.type_name(made.dtype) in _types._ML else made.astype(dtype))


Tensor.numpy = _numpy
Tensor.__array__ = _array
Tensor.__dlpack__ = lambda self, stream=None: _types.to_dlpack(_numpy(self))
Tensor.__dlpack_device__ = lambda self: (1, 0)
Tensor.shape = property(lambda self: tuple(n for _, n in self._axes), doc="The sizes of its axes, in the order of numpy().")
Tensor.ndim = property(lambda self: len(self._axes), doc="How many axes it has.")
Tensor.dtype = property(lambda self: _types.dtype(self.type), doc="NumPy's type of its elements.")
Tensor.size = property(lambda self: math.prod(self.shape), doc="How many elements it has.")
Tensor.nbytes = property(lambda self: self.size * self.dtype.itemsize, doc="How many bytes numpy() gives.")


def _length(self: Tensor) -> int:
    if not self.ndim:
        raise TypeError("len() of a tensor without axes")
    return int(self.shape[0])


def _item_of(self: Tensor, key: Any) -> Any:
    """A part of numpy(): all of the tensor is downloaded. Inside a kernel a part is `x.tile(axis, length, start)`."""
    current = getattr(_state, "current", None)
    if current is not None and not current.closed and current.recording:
        raise _mistake("a tensor of a kernel has no indices: its elements are not there while the kernel is recorded",
                       'take a part of it: x.tile("B", 4, start), or do it outside: x.numpy()[...]')
    return _numpy(self)[key]


def _truth(self: Tensor) -> bool:
    raise _mistake("a tensor is neither true nor false", "compare its elements outside of the kernel: x.numpy().any(); or ask `x is None`")


def _as_list(self: Tensor) -> list[Any]:
    """Its elements as numbers of Python, in lists of lists."""
    return _numpy(self).tolist()


def _single(self: Tensor, *at: int) -> Any:
    """Its one element, or that at an index, as a number of Python."""
    return _numpy(self).item(*at)


Tensor.__len__ = _length
Tensor.__getitem__ = _item_of
Tensor.__iter__ = lambda self: iter(_numpy(self))
Tensor.__bool__ = _truth
Tensor.tolist = _as_list
Tensor.item = _single


def _fetch_with_table(self, table: Any, type: str, time: Any, packet: Any, *, index: str | None = None, name: str = "table"):
    """Every element is the index of its value in the table: an array of 16 or 256 entries, in the order of the index's unsigned value."""
    entries, to = _types.elements(table)
    source = index or ("i4" if entries.size == 16 else "i8")
    return self._fetch_with_table(source, to, _types.bits_of(entries, to).reshape(-1).tolist(), name, type, time, packet)


_tcp.Begin.fetch_with_table = _fetch_with_table


# Kernels.

def _is_array(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic)) or (not isinstance(x, Tensor) and hasattr(x, "__dlpack__"))


def _mapped(f: Callable[[Any], Any], x: Any) -> Any:
    if isinstance(x, Tensor):
        return f(x)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(_mapped(f, e) for e in x))
    if isinstance(x, (tuple, list)):
        return type(x)(_mapped(f, e) for e in x)
    if isinstance(x, dict):
        return {k: _mapped(f, v) for k, v in x.items()}
    return x


def _flat(x: Any) -> Iterable[Tensor]:
    if isinstance(x, Tensor):
        yield x
    elif isinstance(x, (tuple, list)):
        for e in x:
            yield from _flat(e)
    elif isinstance(x, dict):
        for e in x.values():
            yield from _flat(e)


def _names_axes(note: Any) -> bool:
    """Whether an annotation says the axes of an array. `from __future__ import annotations` makes texts of all others."""
    if isinstance(note, str):
        words = [w.strip() for w in note.strip("'\"").split(",")]
        return all(w.isidentifier() and w[0].isupper() for w in words) and words[0] not in ("Any", "Tensor", "Mapping", "Context")
    return isinstance(note, Mapping)


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel's function, whose mistakes in calls have their line."""
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as e:
            if (better := _of_arguments(e)) is None:
                raise
        raise better
    return called


class Kernel:
    """A function over a context and tensors, which is called once, while its calls are recorded. See tv.kernel."""

    def __init__(self, function: Callable[..., Any], chips: int = 1, name: str | None = None) -> None:
        functools.update_wrapper(self, function)
        self.function, self.chips = _guarded(function), chips
        self.name = name or getattr(function, "__name__", type(function).__name__)
        try:
            self._parameters = list(inspect.signature(function).parameters.values())[1:]
        except (TypeError, ValueError):
            self._parameters = []
        self._names = [p.name for p in self._parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        kinds = {p.kind for p in self._parameters}
        self._takes_more = not self._parameters or inspect.Parameter.VAR_POSITIONAL in kinds
        self._takes_names = not self._parameters or inspect.Parameter.VAR_KEYWORD in kinds

    def _taken(self, args: tuple, ctx: Context | None) -> tuple[Context, tuple]:
        if args and isinstance(args[0], Context):
            return args[0], args[1:]
        return ctx or context(), args

    def _check_arguments(self, args: tuple, kwargs: dict) -> None:
        """Arguments that no parameter takes, and lists where arrays belong: said before anything is uploaded."""
        if not self._takes_more and len(args) > len(self._names):
            raise _mistake(f"{self.name} takes {', '.join(self._names)}, and is given {len(args)} arguments", "give one for each parameter")
        for k in kwargs:
            if not self._takes_names and k not in self._names:
                raise _mistake(f"{self.name} has no parameter {k}", f"its parameters are {', '.join(self._names)}")
        if all(isinstance(x, (Tensor, np.ndarray)) for x in args) and not kwargs:
            return
        for parameter, x in [*zip(self._parameters, args), *((p, kwargs[p.name]) for p in self._parameters if p.name in kwargs)]:
            if _names_axes(parameter.annotation) and (x is None or isinstance(x, (bool, int, float, str))):
                raise _mistake(f"{self.name} is given {x!r} for {parameter.name}, which has the axes {parameter.annotation}", "give an array, or a tensor")
            if isinstance(x, (list, tuple)) and x and isinstance(parameter.annotation, (str, Mapping)) and not any(True for _ in _flat(x)):
                raise _mistake(f"{self.name} is given a {type(x).__name__} for {parameter.name}, which has no type of the chip", f"give an array: np.array({parameter.name}, np.int32)")

    def _uploaded(self, ctx: Context, args: tuple, kwargs: dict, make: Callable[..., Tensor]) -> tuple[tuple, dict, bool]:
        self._check_arguments(args, kwargs)
        given = [x for x in (*args, *kwargs.values()) if _is_array(x)]
        if not given:
            return args, kwargs, False
        names = {p.name: p for p in self._parameters}

        def one(x: Any, parameter: Any) -> Any:
            if not _is_array(x):
                return x
            note = parameter.annotation if parameter is not None else inspect.Parameter.empty
            if isinstance(x, np.generic) and not _names_axes(note):
                return x.item()  # a number, as those of NumPy's arrays are
            if note is inspect.Parameter.empty or not isinstance(note, (str, tuple, list, Mapping)):
                shown = parameter.name if parameter is not None else "x"
                raise _mistake(f"{self.name} is given an array for {shown}, whose axes have no names",
                               f'annotate the parameter, def {self.name}(ctx, {shown}: "{", ".join("ABCDEFGH"[:np.ndim(x)])}"), or give ctx.tensor(x, "...")')
            note = note.strip("'\"") if isinstance(note, str) else note
            return make(x, note)
        listed = [one(x, self._parameters[i] if i < len(self._parameters) else None) for i, x in enumerate(args)]
        named = {k: one(v, names.get(k)) for k, v in kwargs.items()}
        return tuple(listed), named, any(isinstance(x, Tensor) and not isinstance(y, Tensor) for x, y in zip((*listed, *named.values()), (*args, *kwargs.values())))

    def launch(self, *args: Any, ctx: Context | None = None, **kwargs: Any) -> Any:
        """Records the kernel and leaves it to the device; `.get()` of what is returned waits for its tensors."""
        ctx, args = self._taken(args, ctx)
        args, kwargs, _ = self._uploaded(ctx, args, kwargs, ctx.tensor)
        return ctx._launch(self.function, self.chips, self.name, self._names, ctx, *args, **kwargs)

    def __call__(self, *args: Any, ctx: Context | None = None, **kwargs: Any) -> Any:
        """Runs the kernel. Arrays in, arrays out; tensors in, tensors out. Inside of another kernel it is part of that one."""
        ctx, args = self._taken(args, ctx)
        if ctx.recording:
            return self.function(ctx, *args, **kwargs)
        args, kwargs, arrays = self._uploaded(ctx, args, kwargs, ctx.tensor)
        result = ctx._launch(self.function, self.chips, self.name, self._names, ctx, *args, **kwargs).get()
        return _mapped(_numpy, result) if arrays else result

    def record(self, *args: Any, ctx: Context | None = None, **kwargs: Any) -> _tcp._Recording:
        """Records the kernel and does not run it: its text, cycles and trace. Of arrays only types and shapes are looked at."""
        ctx, args = self._taken(args, ctx)
        args, kwargs, _ = self._uploaded(ctx, args, kwargs, ctx.empty_like)
        return ctx._record(self.function, self.chips, self.name, self._names, ctx, *args, **kwargs)

    def prepare(self, *args: Any, ctx: Context | None = None) -> "Prepared":
        """Records and plans the kernel once, to be run many times with tensors or arrays like these."""
        return Prepared(self, *self._taken(args, ctx))

    def trace(self, *args: Any, model: str = "book", ctx: Context | None = None, **kwargs: Any) -> _tcp.Trace:
        """When each command would run, by a timing model."""
        return self.record(*args, ctx=ctx, **kwargs).trace(model)

    def cycles(self, *args: Any, model: str = "book", ctx: Context | None = None, **kwargs: Any) -> int:
        """How long it would take, by a timing model."""
        return self.record(*args, ctx=ctx, **kwargs).cycles(model)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


class Prepared:
    """A kernel whose recording and plan are kept. Calls take what it was prepared with, with other values."""

    def __init__(self, kernel: Kernel, ctx: Context, args: tuple) -> None:
        self.kernel, self.ctx = kernel, ctx
        given, _, self._arrays = kernel._uploaded(ctx, args, {}, ctx.empty_like)
        tensors = list(_flat(given))
        self._count = len(tensors)
        shape: list[Any] = []

        def keep(c: Context, *a: Any) -> Any:
            shape.append(kernel.function(c, *a))
            return shape[0]
        self.recording = ctx._record(keep, kernel.chips, kernel.name, kernel._names, ctx, *given)
        self._order = self.recording._argument_order(tensors)
        numbers = itertools.count()
        self._result = _mapped(lambda _: _Slot(next(numbers)), shape.pop())

    def __call__(self, *args: Any) -> Any:
        if self._arrays or any(map(_is_array, args)):
            args, _, _ = self.kernel._uploaded(self.ctx, args, {}, self.ctx.tensor)
        tensors = list(_flat(args))
        if len(tensors) != self._count:
            raise _mistake(f"{self.kernel.name} was prepared with {self._count} tensors, and {len(tensors)} are given", "give as many")
        made = self.recording._run([tensors[i] for i in self._order])
        found = _filled(self._result, made)
        return _mapped(_numpy, found) if self._arrays else found


class _Slot:
    def __init__(self, number: int) -> None:
        self.number = number


def _filled(x: Any, made: list[Tensor]) -> Any:
    if isinstance(x, _Slot):
        return made[x.number]
    if isinstance(x, (tuple, list)):
        return type(x)(_filled(e, made) for e in x)
    if isinstance(x, dict):
        return {k: _filled(v, made) for k, v in x.items()}
    return x


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, chips: int = 1, name: str | None = None) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Callable[..., Any] | None = None, *, chips: int = 1, name: str | None = None) -> Any:
    """Makes a kernel of a function over a context and tensors.

        @tv.kernel
        def add_one(ctx, x: "A"):
            ...

    A parameter's annotation names the axes of the arrays that it takes. `chips`: how many it runs on.
    """
    if function is None:
        return lambda f: Kernel(f, chips, name)
    return Kernel(function, chips, name)
