"""The kernel library over arrays: each function uploads what it is given, runs the kernel, and returns an array.

The kernels themselves, to be called inside of a kernel with tensors, are the classes: tv.kernels.Gemm(chip, "bf16", m, n, k). Matrices are bf16 unless they are of
another type; floats are rounded to bf16, as `tv.astype` does, and what comes out is bf16. Who gives floats gets its numbers as float32; who gives bf16 gets bf16.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _tcp, _types
from ._errors import mistake as _mistake
from ._kernel import Context, Kernel, context

_library = _tcp.kernels
Activation, AllGather, AllReduce, AttentionSizes = _library.Activation, _library.AllGather, _library.AllReduce, _library.AttentionSizes
Bias, GeGlu = _library.Bias, _library.GeGlu
BlockIndices, Conv2d, DecodeAttention, Embedding = _library.BlockIndices, _library.Conv2d, _library.DecodeAttention, _library.Embedding
FlashAttention, Gemm, GemmOnChips, LayerNorm, Llama = _library.FlashAttention, _library.Gemm, _library.GemmOnChips, _library.LayerNorm, _library.Llama
MoeFfn, PagedRows, ReduceScatter, Residual, RmsNorm = _library.MoeFfn, _library.PagedRows, _library.ReduceScatter, _library.Residual, _library.RmsNorm
Rope, Softmax, SwiGlu, TopK, append_to_cache = _library.Rope, _library.Softmax, _library.SwiGlu, _library.TopK, _library.append_to_cache


def _bf16(x: Any) -> np.ndarray:
    array = _types.array_of(x)
    if _types.type_name(array.dtype) == "bf16":
        return array
    rounded = _types.astype(array, "bf16")
    if array.dtype.kind in "iub" and not np.array_equal(_types.float32(rounded), array):
        raise _mistake(f"not every whole number of this {array.dtype} array is one of bf16", "write x.astype(np.float32), if it may be rounded", "python-type")
    return rounded


def _like(made: np.ndarray, *given: Any) -> np.ndarray:
    """bf16 for who gave arrays of the chip's own types, else its numbers as float32."""
    def own(x: Any) -> bool:
        return _types.type_name(_types.array_of(x).dtype) in _types._ML
    return made if any(map(own, given)) else _types.float32(made)


def _matrix(x: np.ndarray, what: str, dimensions: int = 2) -> np.ndarray:
    if x.ndim != dimensions:
        raise _mistake(f"{what} has the shape {x.shape}", f"give an array of {dimensions} dimensions")
    return x


def _run(kernel: Any, name: str, *tensors: Any, ctx: Context) -> Any:
    return Kernel(lambda c, *t: kernel(c, *t), name=name)(*tensors, ctx=ctx)


def gemm(a: Any, b: Any, *, ctx: Context | None = None) -> np.ndarray:
    """a @ b. bf16 and f8 give bf16, rounded once from sums in f32; i8 gives i32. Floats of other types are rounded to bf16 first, and the result is float32.
    a: (M, K) or (G, M, K)."""
    ctx = ctx or context()
    given = a, b
    a, b = _types.array_of(a), _types.array_of(b)
    type = _types.type_name(a.dtype) or ""
    if type not in ("f8e4m3", "f8e5m2", "i8") or _types.type_name(b.dtype) != type:
        a, b, type = _bf16(a), _bf16(b), "bf16"
    batched = a.ndim == 3
    if a.ndim not in (2, 3) or b.ndim != a.ndim or a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise _mistake(f"a has the shape {a.shape} and b {b.shape}", "give (M, K) and (K, N), or (G, M, K) and (G, K, N), as for a @ b")
    kernel = Gemm(ctx.chip, type, a.shape[-2], b.shape[-1], a.shape[-1], a.shape[0] if batched else 0)
    front = [kernel.batch] if batched else []
    turned = np.swapaxes(b, -1, -2)
    x = ctx.tensor(a, [*front, kernel.m, kernel.k], kernel.a_layout)
    y = ctx.tensor(turned, [*front, kernel.n, kernel.k], kernel.b_layout)
    made = _run(kernel, "gemm", x, y, ctx=ctx).numpy([*front, kernel.m, kernel.n])
    return made if type == "i8" else _like(made, *given)


def _rows(make: Any, name: str, matrices: list[Any], columns: list[Any], ctx: Context | None) -> np.ndarray:
    ctx = ctx or context()
    given = [_bf16(m) for m in matrices]
    shape = given[0].shape
    flat = [m.reshape(-1, m.shape[-1]) if m.ndim else m for m in given]
    kernel = make(ctx.chip, *flat[0].shape)
    if any(m.shape != flat[0].shape for m in flat):
        raise _mistake(f"{name} is given the shapes {', '.join(str(m.shape) for m in given)}", "give arrays of one shape")
    tensors = [ctx.tensor(m, [kernel.row, kernel.column], kernel.layout) for m in flat]
    tensors += [ctx.tensor(_matrix(_bf16(c), "what belongs to columns", 1), [kernel.column], kernel.column_layout) for c in columns]
    return _like(_run(kernel, name, *tensors, ctx=ctx).numpy([kernel.row, kernel.column]).reshape(shape), *matrices)


def rms_norm(x: Any, weight: Any, epsilon: float = 1e-5, *, ctx: Context | None = None) -> np.ndarray:
    """x / sqrt(mean(x^2) + epsilon) * weight, over the last axis."""
    return _rows(lambda chip, r, c: RmsNorm(chip, r, c, epsilon), "rms_norm", [x], [weight], ctx)


def layer_norm(x: Any, weight: Any, bias: Any, epsilon: float = 1e-5, *, ctx: Context | None = None) -> np.ndarray:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias, over the last axis."""
    return _rows(lambda chip, r, c: LayerNorm(chip, r, c, epsilon), "layer_norm", [x], [weight, bias], ctx)


def softmax(x: Any, *, ctx: Context | None = None) -> np.ndarray:
    """Over the last axis."""
    return _rows(Softmax, "softmax", [x], [], ctx)


def silu(x: Any, *, ctx: Context | None = None) -> np.ndarray:
    """x * sigmoid(x)."""
    return _rows(lambda chip, r, c: Activation(chip, "silu", r, c), "silu", [x], [], ctx)


def gelu(x: Any, *, ctx: Context | None = None) -> np.ndarray:
    """With the error function itself."""
    return _rows(lambda chip, r, c: Activation(chip, "gelu", r, c), "gelu", [x], [], ctx)


def swiglu(gate: Any, up: Any, *, ctx: Context | None = None) -> np.ndarray:
    """silu(gate) * up."""
    return _rows(SwiGlu, "swiglu", [gate, up], [], ctx)


def geglu(gate: Any, up: Any, *, ctx: Context | None = None) -> np.ndarray:
    """gelu(gate) * up."""
    return _rows(GeGlu, "geglu", [gate, up], [], ctx)


def bias(x: Any, bias: Any, *, ctx: Context | None = None) -> np.ndarray:
    """x + bias, a number for each column."""
    return _rows(Bias, "bias", [x], [bias], ctx)


def add(x: Any, y: Any, *, ctx: Context | None = None) -> np.ndarray:
    """x + y: the residual of a layer."""
    return _rows(Residual, "add", [x, y], [], ctx)


def embedding(table: Any, numbers: Any, *, ctx: Context | None = None) -> np.ndarray:
    """table[numbers]: rows by number."""
    ctx = ctx or context()
    array, type = _types.elements(table)
    _matrix(array, "the table")
    given = np.asarray(numbers)
    if given.size and given.dtype.kind not in "iu":
        raise _mistake(f"rows are taken by whole numbers, and these are {given.dtype}", "give numbers.astype(np.int32)", "python-type")
    if given.size and (given.min() < 0 or given.max() >= len(array)):
        raise _mistake(f"the table has {len(array)} rows, and row {given.min() if given.min() < 0 else given.max()} is asked for", f"give numbers from 0 to {len(array) - 1}")
    words = given.astype(np.int32).reshape(-1)
    kernel = Embedding(ctx.chip, words.size, array.shape[0], array.shape[1], type)
    word, column = kernel.table_layout.axes
    x = ctx.tensor(array, f"{word}, {column}", kernel.table_layout)
    n = ctx.tensor(words, [kernel.numbers_layout], kernel.numbers_layout)
    token = next(iter(kernel.numbers_layout.axes))
    return _run(kernel, "embedding", x, n, ctx=ctx).numpy(f"{token}, {column}").reshape(*np.shape(numbers), array.shape[1])


def conv2d(x: Any, weights: Any, *, stride: int = 1, dilation: int = 1, padding: int = 0, ctx: Context | None = None) -> np.ndarray:
    """x: (images, channels, rows, columns); weights: (filters, channels, rows, columns)."""
    ctx, given = ctx or context(), (x, weights)
    x, weights = _matrix(_bf16(x), "x", 4), _matrix(_bf16(weights), "weights", 4)
    kernel = Conv2d(ctx.chip, x.shape[0], x.shape[1], weights.shape[0], x.shape[2], x.shape[3], weights.shape[2], weights.shape[3], stride, dilation, padding)
    bits, host = kernel.filter(_types.bits_of(weights, "bf16").astype(np.uint16))
    names: Any = ", ".join(kernel.image_layout.axes)
    if len(kernel.image_layout.axes) != 4 or 1 in x.shape:  # a layout does not count what there is one of
        counted = iter([_tcp.axis(name, size) for name, size in kernel.image_layout.axes.items() if size > 1])
        names = [_tcp.map() if n == 1 else next(counted) for n in x.shape]
    image = ctx.tensor(x, names, kernel.image_layout)
    filters = ctx.tensor(_types.from_bits(bits, "bf16"), [host], kernel.filter_layout)
    y = _run(kernel, "conv2d", image, filters, ctx=ctx)
    return _like(y.numpy(kernel.host_layout).reshape(x.shape[0], weights.shape[0], kernel.rows, kernel.columns), *given)


def attention(q: Any, k: Any, v: Any, *, ctx: Context | None = None) -> np.ndarray:
    """Causal attention of a prompt: q (tokens, heads, head_dim), k and v (tokens, kv heads, head_dim). Scores are scaled by 1 / sqrt(head_dim)."""
    ctx, given = ctx or context(), (q, k, v)
    q, k, v = (_matrix(_bf16(x), n, 3) for x, n in ((q, "q"), (k, "k"), (v, "v")))
    if k.shape != v.shape or k.shape[0] != q.shape[0] or k.shape[2] != q.shape[2]:
        raise _mistake(f"q, k and v have the shapes {q.shape}, {k.shape} and {v.shape}", "give (tokens, heads, head_dim) for q and (tokens, kv heads, head_dim) for k and v")
    tokens = q.shape[0]
    sizes = AttentionSizes(q.shape[1], k.shape[1], q.shape[2], tokens)
    flash = FlashAttention(ctx.chip, sizes, tokens)

    def attend(c: Context, queries: Any, keys: Any, values: Any) -> Any:
        caches = []
        for rows in (keys, values):
            cache = c.hbm("bf16", sizes.cache_layout)
            append_to_cache(c, sizes, rows, tokens, cache, 0, 0)
            caches.append(cache)
        return flash(c, queries, *caches)

    def uploaded(x: np.ndarray, layout: _tcp.Mapping) -> Any:
        """A host counts rows as the layout does, without its padding."""
        return ctx.tensor(x.reshape(-1), [_plain(layout, x.size)], layout)
    out = Kernel(attend, name="attention")(uploaded(q, flash.layout), uploaded(k, sizes.new_keys_layout(ctx.chip, tokens)),
                                           uploaded(v, sizes.new_keys_layout(ctx.chip, tokens)), ctx=ctx)
    return _like(out.numpy(_plain(flash.layout, q.size)).reshape(q.shape), *given)


def _plain(layout: _tcp.Mapping, size: int) -> _tcp.Mapping:
    """The axes of a layout one after the other, in the order in which it names them."""
    made = _tcp.map(*(_tcp.axis(n, s) for n, s in layout.axes.items()))
    if made.size != size:
        raise _mistake(f"a layout {layout} is not plain rows of {size} elements", "upload the tensor with ctx.tensor and its own axes")
    return made
