"""An open toolchain for the Tensor Contraction Processor (FuriosaAI RNGD): kernels over NumPy's arrays, checked call by call, run bit-exactly, and timed.

    import numpy as np
    import tcp_visa as tv

    @tv.kernel
    def add_one(ctx, x: "A"):
        dm = x.to_dm(cluster="1 # 2", slice="A / 8 # 256", element="A % 8")
        y = (ctx.main.begin(dm).fetch("i32", time=1, packet="A % 8").collect(time=1, packet="A % 8")
             .vector_init().vector_intra_slice_branch("Unconditional").vector_fxp("AddFxp", 1).vector_final().commit("A % 8"))
        return y.to_hbm("A")

    add_one(np.arange(2048, dtype=np.int32))

The manual's chapter is docs/python.md.
"""
import enum as _enum
import typing as _typing

from . import _tcp
from ._errors import HERE as _HERE, Bug, Error, explain

_tcp._set_up(str(_HERE) + "/", Error, Bug)

from ._draw import Table, sweep  # noqa: E402
from ._kernel import Context, Kernel, Prepared, axes, context, kernel  # noqa: E402
from ._modules import Crate, Module, import_dump, load, parse, read_trace  # noqa: E402
from ._tcp import (  # noqa: E402
    Begin, BranchMode, Chip, Diff, InputCmp, Launch, Levels, Mapping, OperandGuard, Random, Report, SliceMask, Stash, Stream, SwitchConfig, Tensor, Trace, TuContext,
    When as when, __version__, axis, diff, map, skew, skip, slide, tile)
from ._types import astype, bits_of, dtype, float32, from_bits, from_dlpack, to_dlpack  # noqa: E402
from . import kernels  # noqa: E402

if _typing.TYPE_CHECKING:
    from ._tcp import (  # noqa: F401
        AccumulationKind, BinaryArgMode, ClipBinaryOpF32, ClipBinaryOpI32, FpBinaryOp, FpDivBinaryOp, FpTernaryOp, FpUnaryOp, FxpBinaryOp, Groups, LogicBinaryOpF32,
        LogicBinaryOpI32, ReduceOp, RowKeys, TernaryArgMode, TrfAddress, UnaryArgMode)

one = Mapping("1")
#: Names of operations, modes and kinds, for editors: each is a text, as `tv.FxpBinaryOp.AddFxp` is "AddFxp".
for _family, _names in _tcp.names.items():
    globals()[_family] = _enum.Enum(_family, {name: name for name in _names}, type=str, module=__name__)

__all__ = [
    "Begin", "BranchMode", "Bug", "Chip", "Context", "Crate", "Diff", "Error", "InputCmp", "Kernel", "Launch", "Levels", "Mapping", "Module", "OperandGuard", "Prepared",
    "Random", "Report", "SliceMask", "Stash", "Stream", "SwitchConfig", "Table", "Tensor", "Trace", "TuContext", "astype", "axes", "axis", "bits_of", "context", "diff",
    "dtype", "explain", "float32", "from_bits", "from_dlpack", "import_dump", "kernel", "kernels", "load", "map", "one", "parse", "read_trace", "skew", "skip", "slide",
    "sweep", "tile", "to_dlpack", "when", *_tcp.names]
