"""Made by python/make_stubs.py from the compiled module, and from what the package adds to its classes. Do not edit."""
# ruff: noqa
import enum
import typing
from typing import Any, Union

import numpy

MapLike = Union[Mapping, str, int, typing.Tuple[Any, ...], typing.List[Any]]
AxisLike = Union[Mapping, str]
TypeLike = Union[str, "numpy.dtype[Any]", type]
OperandLike = Union[int, float, Tensor, StashOperand, Skip, When, None]


class LogicBinaryOpI32(str, enum.Enum):
    BitAnd = 'BitAnd'
    BitOr = 'BitOr'
    BitXor = 'BitXor'
    LeftShift = 'LeftShift'
    LogicRightShift = 'LogicRightShift'
    ArithRightShift = 'ArithRightShift'

class LogicBinaryOpF32(str, enum.Enum):
    BitAnd = 'BitAnd'
    BitOr = 'BitOr'
    BitXor = 'BitXor'

class FxpBinaryOp(str, enum.Enum):
    AddFxp = 'AddFxp'
    AddFxpSat = 'AddFxpSat'
    SubFxp = 'SubFxp'
    SubFxpSat = 'SubFxpSat'
    LeftShift = 'LeftShift'
    LeftShiftSat = 'LeftShiftSat'
    MulFxp = 'MulFxp'
    MulInt = 'MulInt'
    LogicRightShift = 'LogicRightShift'
    ArithRightShift = 'ArithRightShift'
    ArithRightShiftRound = 'ArithRightShiftRound'

class FpUnaryOp(str, enum.Enum):
    Exp = 'Exp'
    NegExp = 'NegExp'
    Sqrt = 'Sqrt'
    Tanh = 'Tanh'
    Sigmoid = 'Sigmoid'
    Erf = 'Erf'
    Log = 'Log'
    Sin = 'Sin'
    Cos = 'Cos'

class FpBinaryOp(str, enum.Enum):
    AddF = 'AddF'
    SubF = 'SubF'
    DivF = 'DivF'
    MulF0 = 'MulF0'
    MulF1 = 'MulF1'
    MulFma = 'MulFma'
    MaskMulF0 = 'MaskMulF0'
    MaskMulF1 = 'MaskMulF1'
    MaskMulFma = 'MaskMulFma'

class FpTernaryOp(str, enum.Enum):
    FmaF = 'FmaF'
    MaskFmaF = 'MaskFmaF'

class FpDivBinaryOp(str, enum.Enum):
    DivF = 'DivF'

class ClipBinaryOpI32(str, enum.Enum):
    Min = 'Min'
    Max = 'Max'
    AbsMin = 'AbsMin'
    AbsMax = 'AbsMax'
    AddFxp = 'AddFxp'
    AddFxpSat = 'AddFxpSat'

class ClipBinaryOpF32(str, enum.Enum):
    Min = 'Min'
    Max = 'Max'
    AbsMin = 'AbsMin'
    AbsMax = 'AbsMax'
    Add = 'Add'

class UnaryArgMode(str, enum.Enum):
    Mode0 = 'Mode0'
    Mode1 = 'Mode1'

class BinaryArgMode(str, enum.Enum):
    Mode00 = 'Mode00'
    Mode01 = 'Mode01'
    Mode10 = 'Mode10'
    Mode11 = 'Mode11'

class TernaryArgMode(str, enum.Enum):
    Mode012 = 'Mode012'
    Mode002 = 'Mode002'
    Mode102 = 'Mode102'
    Mode112 = 'Mode112'
    Mode020 = 'Mode020'
    Mode021 = 'Mode021'
    Mode120 = 'Mode120'

class AccumulationKind(str, enum.Enum):
    Interleaved = 'Interleaved'
    Sequential = 'Sequential'

class TrfAddress(str, enum.Enum):
    Full = 'Full'
    FirstHalf = 'FirstHalf'
    SecondHalf = 'SecondHalf'

class ReduceOp(str, enum.Enum):
    Add = 'Add'
    AddSat = 'AddSat'
    Max = 'Max'
    Min = 'Min'
    Mul = 'Mul'

class Groups(str, enum.Enum):
    both = 'both'
    group0 = 'group0'
    group1 = 'group1'
    zip = 'zip'
    neither = 'neither'

class RowKeys(str, enum.Enum):
    positions = 'positions'
    byte_offsets = 'byte_offsets'

class Begin:
    """The begin of a pass: a fetch follows."""
    def _fetch_with_table(self, source: TypeLike, to: TypeLike, bits: typing.List[int], name: str, type: TypeLike, time: MapLike, packet: MapLike) -> Stream:
        """For fetch_with_table: the table as raw bits."""
    def fetch(self, type: TypeLike, time: MapLike, packet: MapLike) -> Stream:
        """Stage Fetch, in main after Begin; in sub after Begin."""
    def fetch_chip_lift(self, chip: MapLike) -> Begin:
        """Stage Fetch, in main after Begin; in sub after Begin."""
    def fetch_cluster_lift(self, cluster: MapLike) -> Begin:
        """Stage Fetch, in main after Begin; in sub after Begin."""
    def fetch_slice_lift(self, slice: MapLike) -> Begin:
        """Copies in Slice read parts of their own: 4, P becomes A, P, and the fetch walks what is left of Element. Stage Fetch, in main after Begin; in sub after Begin."""
    def fetch_with_zero_points(self, z: typing.List[int], type: TypeLike, time: MapLike, packet: MapLike) -> Stream:
        """Subtracts z while fetching: i4 becomes i5, i8 becomes i9. Two: one for each of two interleaved tensors. Stage Fetch, in main after Begin; in sub after Begin."""
    def fetch_with_table(self, table: Any, type: Any, time: Any, packet: Any, *, index: Any = ..., name: Any = ...) -> Stream:
        """Every element is the index of its value in the table: an array of 16 or 256 entries, in the order of the index's unsigned value."""

class BranchMode:
    """How the execution id of an element comes about."""
    def __init__(self, name: str) -> None:
        ...
    @staticmethod
    def comparison(*args: Any) -> BranchMode:
        """Bit i is comparison i of the value, an InputCmp."""
    @staticmethod
    def toggle(axis: AxisLike) -> BranchMode:
        """Bit 3 is the coordinate of the axis, modulo 2."""

class Chip:
    """A chip: one that we ship (rngd, rngd_s, logical), or a chip file."""
    def __init__(self, name_or_path: str) -> None:
        ...
    @staticmethod
    def from_text(text: str, name: str = ...) -> Chip:
        """From the text of a chip file."""
    @property
    def name(self) -> str:
        """As reports call it."""
    @property
    def text(self) -> str:
        """All of its numbers, as a chip file."""
    def __repr__(self) -> str:
        ...
    @property
    def data(self) -> typing.Dict[str, Any]:
        """All of its numbers, each with its source."""

class Diff:
    """Two traces of one kernel, before and after a change."""
    @property
    def after(self) -> int:
        """The cycles of the second trace."""
    @property
    def before(self) -> int:
        """The cycles of the first trace."""
    @property
    def json(self) -> str:
        """As tcp diff --json prints it."""
    def text(self, rows: int = ...) -> str:
        """As `tcp diff` prints it."""
    @property
    def verdict(self) -> str:
        """Whether it became faster, and where most of that is."""
    def __repr__(self) -> str:
        ...
    def _repr_html_(self) -> str:
        ...
    @property
    def dict(self) -> typing.Dict[str, Any]:
        """The comparison as records."""

class InputCmp:
    """One comparison of a branch, with a boundary of the stream's type."""
    @staticmethod
    def Equal(boundary: object) -> InputCmp:
        """A whole number compares i32, a float f32."""
    @staticmethod
    def Greater(boundary: object) -> InputCmp:
        """A whole number compares i32, a float f32."""
    @staticmethod
    def GreaterUnsigned(boundary: object) -> InputCmp:
        """A whole number compares i32, a float f32."""
    @staticmethod
    def Less(boundary: object) -> InputCmp:
        """A whole number compares i32, a float f32."""
    @staticmethod
    def LessUnsigned(boundary: object) -> InputCmp:
        """A whole number compares i32, a float f32."""

class Launch:
    """A kernel that was launched."""
    @property
    def done(self) -> bool:
        """Whether it has run, or was rejected."""
    def get(self) -> object:
        """What the kernel returned, once it has run. Raises the error, if there is one."""
    def wait(self) -> None:
        """Waits until the kernel has run, or was rejected. Other threads of Python run meanwhile."""

class Levels:
    """The mappings of a tensor or a stream, one per level of the machine."""
    def __init__(self, **kwargs: Any) -> None:
        """Levels(slice=A // 8, element=A % 8)."""
    @property
    def chip(self) -> Mapping:
        """Which element is where in chip."""
    @property
    def cluster(self) -> Mapping:
        """Which element is where in cluster."""
    @property
    def element(self) -> Mapping:
        """Which element is where in element."""
    def factors(self) -> str:
        """The normal form as a table, a line for each factor."""
    @property
    def packet(self) -> Mapping:
        """Which element is where in packet."""
    @property
    def row(self) -> Mapping:
        """Which element is where in row."""
    @property
    def slice(self) -> Mapping:
        """Which element is where in slice."""
    def summary(self) -> str:
        """How many positions hold an element, and how many are padding."""
    def svg(self, start: int = ..., count: typing.Optional[int] = ...) -> str:
        """A picture: a grid of positions, coloured by axis."""
    def table(self, start: int = ..., count: typing.Optional[int] = ..., lines: int = ...) -> str:
        """What is where, a line for each run of positions."""
    @property
    def time(self) -> Mapping:
        """Which element is where in time."""
    def _repr_html_(self) -> str:
        ...

class Mapping:
    """Which element is at which position of a memory or a stream. A value: operators make new ones."""
    def __floordiv__(self, n: int) -> Mapping:
        """Every n-th position: the book's A / n."""
    def __getitem__(self, position: int) -> object:
        """The element at a position, {axis: coordinate}; None in padding."""
    def __init__(self, text: str, **kwargs: Any) -> None:
        """A mapping in the book's notation, with the sizes of its axes: Mapping('A / 8 # 256', A=2048)."""
    def __len__(self) -> int:
        ...
    def __mod__(self, n: int) -> Mapping:
        """The first block of n positions."""
    def __truediv__(self, n: object) -> Mapping:
        """Always an error: write A // n."""
    @property
    def axes(self) -> typing.Dict[Any, Any]:
        """Its axes and their sizes, in the order in which the mapping names them."""
    def coordinates(self) -> typing.Dict[Any, Any]:
        """Of every position the coordinates, {axis: array}; -1 in padding."""
    def factors(self) -> str:
        """The normal form as a table, a line for each factor."""
    def pad(self, n: int) -> Mapping:
        """Padded to n positions, which may be read and are undefined."""
    def pad_bottom(self, n: int) -> Mapping:
        """Padded to n positions that must not be touched."""
    def pad_left(self, n: int) -> Mapping:
        """With n positions of padding before it."""
    def pad_zero(self, n: int) -> Mapping:
        """Padded to n positions, which read as zero."""
    def position(self, **kwargs: Any) -> typing.Optional[int]:
        """The first position of an element: m.position(A=1, B=7); None: it is nowhere."""
    def resize(self, n: int) -> Mapping:
        """The first n positions, the rest gone: the book's A = n."""
    @property
    def size(self) -> int:
        """Positions, padding included."""
    def start_at(self, k: int) -> Mapping:
        """Read from position k on: the book's A @ k."""
    def summary(self) -> str:
        """How many positions hold an element, and how many are padding."""
    def svg(self, start: int = ..., count: typing.Optional[int] = ...) -> str:
        """A picture: a grid of positions, coloured by axis."""
    def table(self, start: int = ..., count: typing.Optional[int] = ..., lines: int = ...) -> str:
        """What is where, a line for each run of positions."""
    def _repr_html_(self) -> str:
        ...
    def _repr_svg_(self) -> str:
        ...

class OperandGuard:
    """The execution ids, 0 to 15, for which an operand is meant."""
    def __and__(self, other: OperandGuard) -> OperandGuard:
        ...
    def __or__(self, other: OperandGuard) -> OperandGuard:
        ...
    @staticmethod
    def always() -> OperandGuard:
        ...
    @staticmethod
    def bit(i: int, set: bool = ...) -> OperandGuard:
        """The ids whose bit i is set, or is not."""
    @staticmethod
    def group(group: int) -> OperandGuard:
        """Group 0 or 1: bit 3 of the execution id."""
    def holds(self, execution_id: int) -> bool:
        ...
    @staticmethod
    def id(i: int) -> OperandGuard:
        """Exactly one id; | joins several."""

class Random:
    """Seeded random numbers, the same as those of the C++ lessons (splitmix64)."""
    def __init__(self, seed: int) -> None:
        ...
    def _bits(self, type: TypeLike, count: int) -> numpy.ndarray[Any, Any]:
        """Elements as HostTensor::rand draws them, as raw bits."""
    def below(self, bound: int) -> int:
        ...
    def between(self, low: int, high: int) -> int:
        """Both included."""
    def next(self) -> int:
        ...

class Region:
    """Marks what is recorded inside of `with` as one iteration of a named region, for reports."""
    def __enter__(self) -> object:
        ...
    def __exit__(self, *args: Any) -> None:
        ...

class Report:
    """Where the cycles of a trace went."""
    @property
    def cycles(self) -> int:
        """From the begin of the first command to the end of the last."""
    @property
    def json(self) -> str:
        """As tcp report --json prints it."""
    def text(self, rows: int = ..., ticks: bool = ..., assumptions: bool = ...) -> str:
        """As `tcp report` prints it."""
    def __repr__(self) -> str:
        ...
    def _repr_html_(self) -> str:
        ...
    @property
    def dict(self) -> typing.Dict[str, Any]:
        """The report as records."""

class Skip:
    """No operand for this group: tv.skip."""
    ...

class SliceMask:
    """A set of slices."""
    def __and__(self, other: SliceMask) -> SliceMask:
        ...
    def __contains__(self, slice: int) -> bool:
        ...
    def __len__(self) -> int:
        ...
    @staticmethod
    def all() -> SliceMask:
        ...
    @staticmethod
    def below(n: int) -> SliceMask:
        ...
    def flipped(self) -> SliceMask:
        ...
    @staticmethod
    def none() -> SliceMask:
        ...
    @staticmethod
    def only(slice: int) -> SliceMask:
        ...
    def with_(self, slice: int) -> SliceMask:
        ...
    def without(self, slice: int) -> SliceMask:
        ...

Stash: StashOperand

class StashOperand:
    """What vector_stash kept, as an operand: tv.Stash."""
    ...

class Stream:
    """A stream on its way from the Fetch Engine to its sink. Each call gives what comes out of the next engine."""
    def accumulate(self, kind: str, time: MapLike, packet: MapLike) -> Stream:
        """Stage Accumulate, in main after Contract."""
    def align(self, trf: Tensor, time: MapLike, packet: MapLike) -> Stream:
        """Stage Align, in main after Collect."""
    def cast(self, type: TypeLike, packet: MapLike) -> Stream:
        """Stage Cast, in main after Collect, Contraction, Vector; in sub after Collect, Contraction, Vector."""
    def collect(self, time: MapLike, packet: MapLike) -> Stream:
        """Stage Collect, in main after Fetch, Switch; in sub after Fetch, Switch."""
    @typing.overload
    def commit(self, element: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        """Stage Commit, in main after Collect, Contraction, Vector, Cast, Transpose, CommitCast; in sub after Fetch, Collect, Vector, Cast, CommitCast."""
    @typing.overload
    def commit(self, element: MapLike, address: typing.Optional[int], slices: SliceMask) -> Tensor:
        """Stage Commit, in main after Collect, Contraction, Vector, Cast, Transpose, CommitCast; in sub after Fetch, Collect, Vector, Cast, CommitCast."""
    def commit_cast(self, to: TypeLike) -> Stream:
        """Casts on the way into DM: a commit follows. Stage CommitCast, in main after Collect, Contraction, Vector, Transpose; in sub after Collect, Vector."""
    def commit_cast_relu(self, to: TypeLike) -> Stream:
        """Makes 0 of what is negative, then casts. Stage CommitCastRelu, in main after Collect, Contraction, Vector, Transpose; in sub after Collect, Vector."""
    def commit_packed(self, element: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        """Stage Commit, in main after Collect, Contraction, Vector, Cast, Transpose, CommitCast; in sub after Fetch, Collect, Vector, Cast, CommitCast."""
    @typing.overload
    def commit_view(self, to: Tensor) -> None:
        """Stage Commit, in main after Collect, Contraction, Vector, Cast, Transpose, CommitCast; in sub after Fetch, Collect, Vector, Cast, CommitCast."""
    @typing.overload
    def commit_view(self, to: Tensor, slices: SliceMask) -> None:
        """Stage Commit, in main after Collect, Contraction, Vector, Cast, Transpose, CommitCast; in sub after Fetch, Collect, Vector, Cast, CommitCast."""
    def contract(self, packet: MapLike) -> Stream:
        """Stage Contract, in main after Align."""
    def contract_max(self, packet: MapLike) -> Stream:
        """Stage Contract, in main after Align."""
    @property
    def levels(self) -> Levels:
        """Chip, Cluster, Slice, Row, Time and Packet."""
    def switch_to(self, config: Union[SwitchConfig, str], slice: MapLike, time: MapLike) -> Stream:
        """Stage Switch, in main after Fetch; in sub after Fetch."""
    def to_trf(self, row: MapLike, element: MapLike, address: str) -> Tensor:
        """Stage ToTrf, in main after Collect; in sub after Collect."""
    def to_vrf(self, element: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        """Stage ToVrf, in main after Collect, Vector; in sub after Collect."""
    def transpose(self, time: MapLike, packet: MapLike) -> Stream:
        """Stage Transpose, in main after Collect, Contraction, Vector, Cast; in sub after Collect, Contraction, Vector, Cast."""
    @property
    def type(self) -> str:
        """The type of its elements."""
    def vector_branch_log(self, element: MapLike, address: typing.Optional[int]) -> typing.Tuple[Stream, Tensor]:
        """Writes the execution ids, i32 each. Stage BranchLog, in main after VectorEngine; in sub after VectorEngine."""
    def vector_clip(self, op: str, a: OperandLike, b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of ClipBinaryOpI32 or ClipBinaryOpF32. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_clip_with_mode(self, op: str, mode: str, a: OperandLike = ..., b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of ClipBinaryOpI32 or ClipBinaryOpF32. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_clip_zip(self, op: str) -> Stream:
        """`op` is one of ClipBinaryOpI32 or ClipBinaryOpF32. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_clip_zip_with_mode(self, op: str, mode: str) -> Stream:
        """`op` is one of ClipBinaryOpI32 or ClipBinaryOpF32. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_concat(self, time: MapLike, packet: MapLike) -> Stream:
        """Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    @typing.overload
    def vector_filter(self, keep: OperandGuard, time: MapLike, packet: MapLike) -> Stream:
        """Drops the lanes of all other execution ids and closes up: `time` is an upper bound. Stage Filter, in main after VectorEngine; in sub after VectorEngine."""
    @typing.overload
    def vector_filter(self, keep: OperandGuard, count_address: typing.Optional[int], time: MapLike, packet: MapLike) -> typing.Tuple[Stream, Tensor]:
        """Also writes how many lanes were kept, an i32 in VRF. Stage Filter, in main after VectorEngine; in sub after VectorEngine."""
    def vector_final(self) -> Stream:
        """Stage VectorFinal, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_binary(self, op: str, a: OperandLike, b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of FpBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_binary_with_mode(self, op: str, mode: str, a: OperandLike = ..., b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of FpBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_div(self, op: str, a: OperandLike, b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of FpDivBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_div_with_mode(self, op: str, mode: str, a: OperandLike = ..., b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of FpDivBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_ternary(self, op: str, a: OperandLike, b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of FpTernaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_ternary_with_mode(self, op: str, mode: str, a: OperandLike = ..., b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of FpTernaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_to_fxp(self, int_width: int) -> Stream:
        """Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_unary(self, op: str, groups: str = ...) -> Stream:
        """Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_unary_with_mode(self, op: str, mode: str, groups: str = ...) -> Stream:
        """Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_zip(self, op: str) -> Stream:
        """`op` is one of FpBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fp_zip_with_mode(self, op: str, mode: str) -> Stream:
        """`op` is one of FpBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fxp(self, op: str, a: OperandLike, b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of FxpBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fxp_to_fp(self, int_width: int) -> Stream:
        """Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fxp_with_mode(self, op: str, mode: str, a: OperandLike = ..., b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of FxpBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fxp_zip(self, op: str) -> Stream:
        """`op` is one of FxpBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_fxp_zip_with_mode(self, op: str, mode: str) -> Stream:
        """`op` is one of FxpBinaryOp. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_init(self) -> Stream:
        """Stage VectorInit, in main after Collect, Contraction; in sub after Collect, Contraction."""
    def vector_inter_slice_reduce(self, op: str, slice: MapLike, time: MapLike) -> Stream:
        """Stage InterSliceReduce, in main after VectorEngine; in sub after VectorEngine."""
    @typing.overload
    def vector_intra_slice_branch(self, mode: Union[BranchMode, str]) -> Stream:
        """Stage Branch, in main after VectorEngine; in sub after VectorEngine."""
    @typing.overload
    def vector_intra_slice_branch(self, mode: Union[BranchMode, str], log: Tensor) -> Stream:
        """BranchMode::Vrf: the ids that a branch log wrote in an earlier pass. Stage Branch, in main after VectorEngine; in sub after VectorEngine."""
    def vector_intra_slice_reduce(self, axis: AxisLike, op: str, time: MapLike, packet: MapLike) -> Stream:
        """Folds an axis as far as it is in Time and Packet. Stage IntraSliceReduce, in main after VectorEngine; in sub after VectorEngine."""
    def vector_intra_slice_unzip(self, axis: AxisLike, tile_time: MapLike, split_time: MapLike) -> Stream:
        """Stage Unzip, in main after VectorEngine; in sub after VectorEngine."""
    def vector_logic(self, op: str, a: OperandLike, b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of LogicBinaryOpI32 or LogicBinaryOpF32. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_logic_with_mode(self, op: str, mode: str, a: OperandLike = ..., b: OperandLike = ..., c: OperandLike = ..., d: OperandLike = ...) -> Stream:
        """`op` is one of LogicBinaryOpI32 or LogicBinaryOpF32. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_logic_zip(self, op: str) -> Stream:
        """`op` is one of LogicBinaryOpI32 or LogicBinaryOpF32. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_logic_zip_with_mode(self, op: str, mode: str) -> Stream:
        """`op` is one of LogicBinaryOpI32 or LogicBinaryOpF32. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_pad_way8(self, packet: MapLike) -> Stream:
        """Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_reinterpret(self, to: TypeLike) -> Stream:
        """Takes the bits for the other type of i32 and f32. It costs nothing. Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_split(self, time: MapLike, packet: MapLike) -> Stream:
        """Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_stash(self) -> Stream:
        """Stage Stash, in main after VectorEngine; in sub after VectorEngine."""
    def vector_trim_way4(self, packet: MapLike) -> Stream:
        """Stage VectorOperation, in main after VectorEngine; in sub after VectorEngine."""
    def vector_write_operand(self, vrf: Tensor, guard: OperandGuard = ...) -> Stream:
        """Stage WriteOperand, in main after VectorEngine; in sub after VectorEngine."""
    def __repr__(self) -> str:
        ...

class SwitchConfig:
    """What the Switch Engine is told to do."""
    @staticmethod
    def Broadcast01(slice1: int, slice0: int, time0: int) -> SwitchConfig:
        ...
    @staticmethod
    def Broadcast1(slice1: int, slice0: int) -> SwitchConfig:
        ...
    @staticmethod
    def CustomBroadcast(ring_size: int = ..., extraction: str = ...) -> SwitchConfig:
        """A ring_size of 0 is the one that the mappings need."""
    @staticmethod
    def Forwarding() -> SwitchConfig:
        ...
    @staticmethod
    def InterTranspose(slice1: int, slice0: int, time0: int) -> SwitchConfig:
        ...
    @staticmethod
    def Transpose(slice1: int, slice0: int) -> SwitchConfig:
        ...
    @staticmethod
    def TransposedBroadcast1(slice1: int, slice0: int) -> SwitchConfig:
        ...
    def __init__(self, name: str) -> None:
        ...

class Tensor:
    """A tensor in one of the device's memories, or a view of one. Copying it copies nothing."""
    @property
    def _axes(self) -> typing.List[Any]:
        """The axes that its mappings count, each as far as its live coordinates go."""
    def _download(self, array: Any, host: MapLike) -> None:
        """Into an array's memory, in the layout `host`."""
    @property
    def chip(self) -> Mapping:
        """How it is spread over chips."""
    def chip_shuffle(self, source: typing.List[int], chip: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        """Chip c receives what chip source[c] held."""
    def chip_slice(self, dimension: MapLike, length: int, start: typing.List[int], chip: MapLike, element: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        """Chip c keeps `length` steps of the dimension from start[c] on."""
    def cluster_shuffle(self, source: typing.List[int], cluster: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        """Cluster c receives what cluster source[c] held."""
    def copy_to(self, to: Tensor, time: typing.Optional[MapLike] = ..., packet: typing.Optional[MapLike] = ...) -> None:
        """By DMA into a tensor that is there."""
    @property
    def element(self) -> Mapping:
        """How it is laid out in one memory."""
    def gather_to_dm(self, rows: AxisLike, index: Tensor, cluster: MapLike, slice: MapLike, element: MapLike, address: typing.Optional[int] = ..., keys: str = ..., first: typing.Optional[int] = ...) -> Tensor:
        """The same, into the slices' memory."""
    def gather_to_hbm(self, rows: AxisLike, index: Tensor, element: MapLike, address: typing.Optional[int] = ..., keys: str = ..., first: typing.Optional[int] = ...) -> Tensor:
        """out[x] = this[x, with `rows` = index[x]]."""
    @property
    def levels(self) -> Levels:
        """All of its mappings."""
    @property
    def memory(self) -> str:
        """HBM, DM, TRF, VRF or SPM."""
    def named(self, name: str) -> Tensor:
        """The name that reports show."""
    def reinterpret(self, type: TypeLike) -> Tensor:
        """The bits as another type of the same width."""
    def relabel(self, element: MapLike, chip: MapLike = ..., cluster: typing.Optional[MapLike] = ..., slice: typing.Optional[MapLike] = ...) -> Tensor:
        """All positions under other names, those of padding as well."""
    def reshape(self, element: MapLike) -> Tensor:
        """All positions under other indices."""
    def scatter(self, rows: AxisLike, index: Tensor, table: Tensor, keys: str = ..., first: typing.Optional[int] = ...) -> None:
        """table[x, with `rows` = index[x]] = this[x]; rows that are not named stay."""
    def tile(self, dimension: MapLike, length: int, start: int) -> Tensor:
        """`length` steps of a factor of Element, from `start` on."""
    def tile_as(self, dimension: MapLike, length: int, start: int, part: MapLike) -> Tensor:
        """A tile whose mapping is given."""
    def to_dm(self, cluster: MapLike, slice: MapLike, element: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        """By DMA into the slices' memory."""
    def to_hbm(self, element: MapLike, address: typing.Optional[int] = ..., chip: typing.Optional[MapLike] = ...) -> Tensor:
        """By DMA into HBM; `chip`: under another order of chips."""
    def to_spm(self, cluster: MapLike, pe: MapLike, element: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        """By DMA into SPM."""
    @property
    def type(self) -> str:
        """The type of its elements."""
    def view_mut(self) -> Tensor:
        """A view for writing into."""
    def __array__(self, dtype: Any = ..., copy: Any = ...) -> numpy.ndarray[Any, Any]:
        ...
    def __dlpack__(self, stream: Any = ...) -> Any:
        ...
    def __dlpack_device__(self) -> typing.Tuple[int, int]:
        ...
    def __getitem__(self, key: Any) -> Any:
        """A part of numpy(): all of the tensor is downloaded. Inside a kernel a part is `x.tile(axis, length, start)`."""
    def __iter__(self) -> typing.Iterator[Any]:
        ...
    def __len__(self) -> int:
        ...
    def _repr_html_(self) -> str:
        ...
    @property
    def dtype(self) -> numpy.dtype[Any]:
        """NumPy's type of its elements."""
    def item(self, *at: Any) -> Any:
        """Its one element, or that at an index, as a number of Python."""
    @property
    def nbytes(self) -> int:
        """How many bytes numpy() gives."""
    @property
    def ndim(self) -> int:
        """How many axes it has."""
    def numpy(self, axes: Any = ...) -> numpy.ndarray[Any, Any]:
        """The elements as an array, once the kernels before have run. Its dimensions are the tensor's axes in the order in which the mappings name them, or those of `axes`."""
    @property
    def shape(self) -> typing.Tuple[int, ...]:
        """The sizes of its axes, in the order of numpy()."""
    @property
    def size(self) -> int:
        """How many elements it has."""
    def tolist(self) -> typing.List[Any]:
        """Its elements as numbers of Python, in lists of lists."""

class Trace:
    """A run or a plan of a kernel: when each command ran, and why it waited."""
    def __len__(self) -> int:
        ...
    @property
    def _rows(self) -> typing.List[Any]:
        """Of each command: name, resource, start, end, critical, slack, file, line, text of the line."""
    @property
    def chip(self) -> str:
        """The chip that it was planned for, or ran on."""
    @property
    def complete(self) -> bool:
        """Whether the kernel came to its end."""
    @property
    def cycles(self) -> int:
        """From the begin of the first command to the end of the last."""
    @property
    def hash(self) -> str:
        """Equal programs have equal ones."""
    @property
    def imported(self) -> str:
        """What it was imported from; empty: it is our own."""
    @property
    def json(self) -> str:
        """The file of a trace, as docs/trace.md describes it."""
    @property
    def model(self) -> str:
        """The timing model."""
    @property
    def perfetto(self) -> bytes:
        """The trace for ui.perfetto.dev."""
    @property
    def program(self) -> str:
        """The name of the kernel."""
    def report(self, what_if: bool = ...) -> Any:
        """Where the cycles went; `what_if`: also what would help most."""
    def __repr__(self) -> str:
        ...
    def _repr_html_(self) -> str:
        ...
    @property
    def commands(self) -> typing.List[typing.Dict[str, Any]]:
        """A dict for each command: name, resource, start, end, critical, slack, file, line, text."""
    @property
    def dict(self) -> typing.Dict[str, Any]:
        """All of it, as docs/trace.md describes the file."""
    def save(self, path: Any) -> None:
        """Into a file, which tcp report, tcp diff and tcp view read."""
    def svg(self, width: Any = ...) -> str:
        """The schedule as a picture: a row for each resource, a bar for each command; the critical path has a dark edge."""
    def view(self, before: Any = ..., height: Any = ...) -> Any:
        """The viewer, as `tcp view` shows it; `before`: a trace to compare with."""

class TuContext:
    """A context of the Tensor Unit: passes begin here."""
    def begin(self, tensor: Tensor) -> Begin:
        """A pass over a tensor in DM."""
    def begin_interleaved(self, axis: AxisLike, first: Tensor, second: Tensor) -> Begin:
        """Two tensors that take turns, told apart by an axis of size 2 in Time."""

class When:
    """An operand for some execution ids: tv.when(operand, guard)."""
    def __init__(self, operand: object, guard: OperandGuard) -> None:
        ...

class _Context:
    """The device, for one user at a time."""
    def __init__(self, backend: str, chip: Chip, model: str, reorder: bool, check: bool, threads: int, chips: int, numeric: str, wait: bool, progress: object, dump: str) -> None:
        ...
    def _launch(self, function: object, chips: int, name: str, parameters: typing.List[str], *args: Any, **kwargs: Any) -> Any:
        """Records a kernel, and leaves it to the device."""
    def _record(self, function: object, chips: int, name: str, parameters: typing.List[str], *args: Any, **kwargs: Any) -> Any:
        """Records a kernel, and does not run it."""
    def _upload(self, type: TypeLike, array: Any, host: MapLike, chip: MapLike, element: MapLike, address: typing.Optional[int] = ...) -> Tensor:
        ...
    @property
    def backend(self) -> str:
        """vector, reference, device or plan."""
    @property
    def chip(self) -> Chip:
        """The chip that kernels are checked for."""
    def close(self) -> None:
        """What was launched is finished, and the device is free for the next context."""
    @property
    def closed(self) -> bool:
        """Whether the device was given back."""
    def declared(self, type: TypeLike, element: MapLike, chip: MapLike = ..., address: typing.Optional[int] = ...) -> Tensor:
        """Between kernels: a tensor in HBM without values, an argument of a kernel that is recorded and not run."""
    def dm(self, type: TypeLike, cluster: MapLike, slice: MapLike, element: MapLike, chip: MapLike = ...) -> Tensor:
        """In a kernel: a new tensor in DM."""
    def dm_at(self, address: int, type: TypeLike, cluster: MapLike, slice: MapLike, element: MapLike, chip: MapLike = ...) -> Tensor:
        """In a kernel: whatever is at an address of DM."""
    def hbm(self, type: TypeLike, element: MapLike, chip: MapLike = ...) -> Tensor:
        """In a kernel: a new tensor in HBM, undefined until it is written."""
    def hbm_at(self, address: int, type: TypeLike, element: MapLike, chip: MapLike = ...) -> Tensor:
        """In a kernel: whatever is at an address of HBM."""
    @property
    def main(self) -> TuContext:
        """The main context of the Tensor Unit."""
    @property
    def main_dual(self) -> TuContext:
        """Main with both channels of the switch; the sub context is then occupied."""
    def memset(self, to: Tensor, value: float) -> None:
        """One value into all elements of a tensor in DM, by the sub context."""
    @property
    def recording(self) -> bool:
        """Whether a kernel is being recorded."""
    def region(self, name: str, index: int = ...) -> Region:
        """with ctx.region('tile', 3): what is recorded is one iteration of a region."""
    def round(self, name: str, index: int) -> Region:
        """A region for a round of a loop that is not unrolled."""
    @property
    def sub(self) -> TuContext:
        """The sub context of the Tensor Unit."""
    def traces(self) -> Any:
        """Of every launch so far, with the backends device and plan."""

class _Crate:
    """Kernels written in Rust for the vendor's crate."""
    def cpp(self, name: str, chip: Chip, scalars: typing.Dict[str, float]) -> str:
        """The kernel in typed C++, with its names and loops."""
    @property
    def names(self) -> typing.List[str]:
        ...
    @staticmethod
    def of_text(text: str, name: str = ...) -> _Crate:
        ...
    @staticmethod
    def open(path: str) -> _Crate:
        ...
    def read(self, name: str, chip: Chip, scalars: typing.Dict[str, float]) -> _Module:
        ...

class _Module:
    """A kernel as commands: verified, and all its tensors placed."""
    def __len__(self) -> int:
        ...
    @property
    def _arguments(self) -> typing.List[Any]:
        ...
    @property
    def _results(self) -> typing.List[Any]:
        ...
    def _run(self, arguments: typing.List[numpy.ndarray[Any, Any]], backend: str, check: bool, model: str) -> typing.Tuple[Any, ...]:
        ...
    @property
    def _scalars(self) -> typing.List[str]:
        ...
    @property
    def cpp(self) -> str:
        """The kernel as typed C++."""
    def cycles(self, model: str = ...) -> int:
        ...
    @property
    def name(self) -> str:
        ...
    @property
    def notes(self) -> typing.List[str]:
        """What was assumed when it was read."""
    def same_program(self, other: _Module, names: bool = ...) -> bool:
        """Equal but for source lines; `names=False`: and for names of tensors."""
    @property
    def text(self) -> str:
        """The canonical text form."""
    def trace(self, model: str = ..., reorder: bool = ...) -> Any:
        """When each command runs, and why; nothing is computed."""

class _Recording:
    """A kernel that was recorded: verified, and all its tensors placed."""
    def _argument_order(self, given: typing.List[Tensor]) -> typing.List[int]:
        ...
    @property
    def _arguments(self) -> typing.List[Tensor]:
        """The tensors that it was recorded with, in the order in which it reads them."""
    def _run(self, arguments: typing.List[Tensor]) -> typing.List[Tensor]:
        """With other tensors of the same types, in the module's order."""
    def cycles(self, model: str = ...) -> int:
        """From the begin of the first command to the end of the last."""
    @property
    def text(self) -> str:
        """The text form."""
    def trace(self, model: str = ..., reorder: bool = ...) -> Any:
        """When each command runs, and why, by a timing model; nothing is computed."""
    def __repr__(self) -> str:
        ...
    def _repr_html_(self) -> str:
        ...
    def report(self, model: Any = ...) -> Report:
        ...

def _cast_bits(bits: numpy.ndarray[Any, Any], source: TypeLike, to: TypeLike) -> numpy.ndarray[Any, Any]:
    """Raw bits of one type as another's, each value rounded to the nearest."""

def _parse_all(text: str, name: str, chip: Chip) -> typing.List[_Module]:
    ...

def _read_dump(text: str, file: str, schedule: Trace = ..., chip: str = ..., core_mhz: int = ..., ticks_per_cycle: int = ...) -> Trace:
    ...

def _read_trace(text: str, file: str) -> Trace:
    ...

def _set_up(folder: str, error: object, bug: object) -> None:
    """For the package itself: its folder, and the classes of its exceptions."""

def _viewer_page(page: str, traces: typing.List[Trace], ticks: bool = ...) -> bytes:
    ...

def axis(name: str, size: int) -> Mapping:
    """An axis: a name that begins with an uppercase letter, and a size."""

def diff(before: Trace, after: Trace) -> Diff:
    """What changed from one trace to another."""

class kernels:

    class Activation:
        """SiLU or GELU, element by element, bf16."""
        def __call__(self, ctx: _Context, x: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, function: str, rows: int, columns: int) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...

    class AllGather:
        """The parts side by side, on all chips."""
        def __call__(self, ctx: _Context, parts: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, type: TypeLike, chips: int, rows: int, columns: int, split: str = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def part(self) -> Mapping:
            ...
        @property
        def part_chip(self) -> Mapping:
            ...
        @property
        def whole(self) -> Mapping:
            ...

    class AllReduce:
        """Every chip gets the sum of the matrices of all."""
        def __call__(self, ctx: _Context, x: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, type: TypeLike, chips: int, rows: int, columns: int, moves: str = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def layout(self) -> Mapping:
            ...

    class AttentionSizes:
        """Heads, and the room of the cache of keys and values."""
        def __init__(self, q_heads: int = ..., kv_heads: int = ..., head_dim: int = ..., capacity: int = ..., sequences: int = ...) -> None:
            ...
        @property
        def cache_layout(self) -> Mapping:
            ...
        @property
        def capacity(self) -> int:
            ...
        @property
        def head_dim(self) -> int:
            ...
        @property
        def kv_heads(self) -> int:
            ...
        def new_keys_layout(self, chip: Chip, rows: int) -> Mapping:
            ...
        @property
        def positions(self) -> int:
            ...
        @property
        def q_heads(self) -> int:
            ...
        def query_layout(self, chip: Chip, rows: int) -> Mapping:
            ...
        @property
        def sequences(self) -> int:
            ...

    class Bias:
        """x + bias, the same bias for each row, bf16."""
        def __call__(self, ctx: _Context, x: Tensor, bias: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, rows: int, columns: int) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...

    class BlockIndices:
        """Rows of tokens put together by expert, in blocks of one expert each."""
        def __call__(self, ctx: _Context, choices: Tensor, numbers: Tensor) -> typing.Tuple[Any, ...]:
            """(row, expert): the row of each choice, and the expert of each block."""
        def __init__(self, chip: Chip, tokens: int, experts: int, k: int, block: int) -> None:
            ...
        @property
        def block(self) -> int:
            ...
        @property
        def grid(self) -> int:
            ...
        @property
        def numbers(self) -> int:
            ...

    class Conv2d:
        """2D convolution of images [image, channel, row, column], bf16."""
        def __call__(self, ctx: _Context, image: Tensor, filter: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, images: int, channels: int, filters: int, rows: int, columns: int, filter_rows: int, filter_columns: int, stride: int = ..., dilation: int = ..., padding: int = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def columns(self) -> int:
            ...
        def filter(self, weights: numpy.ndarray[Any, Any]) -> typing.Tuple[Any, ...]:
            """Weights [filters, channels, filter rows, filter columns], bits of bf16, as the kernel wants them: bits, and their layout on the host."""
        @property
        def filter_layout(self) -> Mapping:
            ...
        @property
        def host_layout(self) -> Mapping:
            ...
        @property
        def image_layout(self) -> Mapping:
            ...
        @property
        def result_layout(self) -> Mapping:
            ...
        @property
        def rows(self) -> int:
            ...

    class DecodeAttention:
        """One new token of each sequence against the cache."""
        def __call__(self, ctx: _Context, q: Tensor, k_new: Tensor, v_new: Tensor, k_cache: Tensor, v_cache: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, sizes: kernels.AttentionSizes, lengths: typing.List[int]) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def layout(self) -> Mapping:
            ...
        @property
        def tiling(self) -> str:
            ...

    class Embedding:
        """out[t, :] = table[number[t], :]."""
        def __call__(self, ctx: _Context, table: Tensor, numbers: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, tokens: int, words: int, columns: int, type: TypeLike = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def numbers_layout(self) -> Mapping:
            ...
        @property
        def out_layout(self) -> Mapping:
            ...
        @property
        def table_layout(self) -> Mapping:
            ...

    class FlashAttention:
        """Attention of a prompt: every token to itself and all tokens before it."""
        def __call__(self, ctx: _Context, q: Tensor, k_cache: Tensor, v_cache: Tensor, sequence: int = ...) -> Tensor:
            ...
        def __init__(self, chip: Chip, sizes: kernels.AttentionSizes, tokens: int, past: int = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def layout(self) -> Mapping:
            ...
        @property
        def tiling(self) -> str:
            ...

    class GeGlu:
        """gelu(gate) * up, element by element, bf16."""
        def __call__(self, ctx: _Context, gate: Tensor, up: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, rows: int, columns: int) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...

    class Gemm:
        """C[M, N] = A[M, K] B[K, N]: bf16 and f8 to bf16, i8 to i32; B is given as [N, K]."""
        def __call__(self, ctx: _Context, a: Tensor, b: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, type: TypeLike, m: int, n: int, k: int, batch: int = ...) -> None:
            ...
        @property
        def a_layout(self) -> Mapping:
            ...
        @property
        def b_layout(self) -> Mapping:
            ...
        @property
        def batch(self) -> Mapping:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def c_layout(self) -> Mapping:
            ...
        @property
        def c_type(self) -> str:
            ...
        def chosen(self, ctx: _Context, a: Tensor, table: Tensor, which: Tensor) -> Tensor:
            """C[g] = A[g] B, with B = table[which[g]]."""
        @property
        def k(self) -> Mapping:
            ...
        @property
        def m(self) -> Mapping:
            ...
        @property
        def n(self) -> Mapping:
            ...
        def table_layout(self, count: int) -> Mapping:
            ...
        @property
        def tiling(self) -> str:
            """The decisions, one per line."""

    class GemmOnChips:
        """C = A B over several chips: `over` is 'm', 'n' or 'k'."""
        def __call__(self, ctx: _Context, a: Tensor, b: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, type: TypeLike, m: int, n: int, k: int, chips: int, over: str) -> None:
            ...
        @property
        def a_layout(self) -> Mapping:
            ...
        @property
        def b_layout(self) -> Mapping:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def c_layout(self) -> Mapping:
            ...
        @property
        def chip(self) -> Mapping:
            ...
        @property
        def each(self) -> kernels.Gemm:
            ...
        @property
        def host_a(self) -> Mapping:
            ...
        @property
        def host_b(self) -> Mapping:
            ...
        @property
        def host_c(self) -> Mapping:
            ...

    class LayerNorm:
        """Layer normalisation, row by row, bf16."""
        def __call__(self, ctx: _Context, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, rows: int, columns: int, epsilon: float = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...

    class Llama:
        """Llama 3 from published files: a folder with config.json and safetensors. The weights are in HBM as long as its context is open."""
        def __init__(self, ctx: _Context, folder: str, context: int = ..., progress: object = ...) -> None:
            ...
        def append(self, ids: typing.List[int]) -> numpy.ndarray[Any, Any]:
            """More tokens after those that are there."""
        @property
        def config(self) -> typing.Dict[Any, Any]:
            """The sizes of the model."""
        @property
        def context(self) -> int:
            """Tokens that the caches have room for."""
        def decode(self, id: int) -> numpy.ndarray[Any, Any]:
            """One token more: the logits after it."""
        def generate(self, prompt: typing.List[int], most: int = ..., temperature: float = ..., top_k: int = ..., top_p: float = ..., seed: int = ..., stop_ids: typing.Optional[typing.List[int]] = ...) -> typing.List[int]:
            """The answer to a prompt, as ids; temperature 0 takes the likeliest token."""
        def prefill(self, ids: typing.List[int]) -> numpy.ndarray[Any, Any]:
            """Forgets everything, and begins with these. The logits after the last."""
        @property
        def tokens(self) -> int:
            """Tokens that the caches hold."""

    class MoeFfn:
        """A feed-forward layer of E experts, of which each token goes through K."""
        def __call__(self, ctx: _Context, x: Tensor, router: Tensor, up: Tensor, down: Tensor, numbers: Tensor, gate: typing.Optional[Tensor] = ...) -> Tensor:
            ...
        def __init__(self, chip: Chip, tokens: int, d: int, f: int, experts: int, k: int, block: int = ...) -> None:
            ...
        @property
        def block(self) -> int:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def down(self) -> kernels.Gemm:
            ...
        @property
        def down_layout(self) -> Mapping:
            ...
        @property
        def expert(self) -> Mapping:
            ...
        @property
        def grid(self) -> int:
            ...
        @property
        def numbers(self) -> numpy.ndarray[Any, Any]:
            ...
        @property
        def numbers_layout(self) -> Mapping:
            ...
        @property
        def router(self) -> kernels.Gemm:
            ...
        @property
        def router_layout(self) -> Mapping:
            ...
        @property
        def rows(self) -> Mapping:
            ...
        @property
        def up(self) -> kernels.Gemm:
            ...
        @property
        def up_layout(self) -> Mapping:
            ...

    class PagedRows:
        """A cache whose rows are in pages of a fixed number of rows, any page anywhere."""
        def __init__(self, chip: Chip, type: TypeLike, pages: int, page_rows: int, columns: int) -> None:
            ...
        @property
        def cache_layout(self) -> Mapping:
            ...
        def load(self, ctx: _Context, cache: Tensor, list: Tensor) -> Tensor:
            ...
        def loaded_layout(self, pages: int) -> Mapping:
            ...
        def store(self, ctx: _Context, cache: Tensor, numbers: Tensor, rows: Tensor) -> None:
            ...
        def stored_layout(self, rows: int) -> Mapping:
            ...

    class ReduceScatter:
        """Every chip gets its part of the sum of all."""
        def __call__(self, ctx: _Context, x: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, type: TypeLike, chips: int, rows: int, columns: int, split: str = ..., moves: str = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def part(self) -> Mapping:
            ...
        @property
        def part_chip(self) -> Mapping:
            ...
        @property
        def whole(self) -> Mapping:
            ...

    class Residual:
        """x + y, element by element, bf16."""
        def __call__(self, ctx: _Context, x: Tensor, y: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, rows: int, columns: int) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...

    class RmsNorm:
        """y = x / sqrt(mean of the row's x^2 + epsilon) * weight, row by row, bf16."""
        def __call__(self, ctx: _Context, x: Tensor, weight: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, rows: int, columns: int, epsilon: float = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...

    class Rope:
        """Rotary position embedding: pairs of neighbouring columns of a head are turned."""
        def __call__(self, ctx: _Context, x: Tensor, table: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, tokens: int, heads: int, head: int, positions: int, start: int = ...) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...
        @property
        def table_host(self) -> Mapping:
            """How a host counts the table: [position, pair, f, j]."""
        @property
        def table_layout(self) -> Mapping:
            ...

    class Softmax:
        """y = exp(x - greatest of the row) / sum of these, row by row, bf16."""
        def __call__(self, ctx: _Context, x: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, rows: int, columns: int) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...

    class SwiGlu:
        """silu(gate) * up, element by element, bf16."""
        def __call__(self, ctx: _Context, gate: Tensor, up: Tensor) -> Tensor:
            ...
        def __init__(self, chip: Chip, rows: int, columns: int) -> None:
            ...
        def bound(self, chip: Chip) -> typing.Tuple[Any, ...]:
            """The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM')."""
        @property
        def column(self) -> Mapping:
            ...
        @property
        def column_layout(self) -> Mapping:
            """The layout of what belongs to columns."""
        @property
        def layout(self) -> Mapping:
            """The layout of its matrices in HBM."""
        @property
        def row(self) -> Mapping:
            ...

    class TopK:
        """The K experts that each token goes to, and their weights."""
        def __call__(self, ctx: _Context, scores: Tensor, numbers: Tensor) -> typing.Tuple[Any, ...]:
            """(expert, weight), each [token, K # 8]; numbers: 0, 1, 2, ... in HBM."""
        def __init__(self, chip: Chip, tokens: int, experts: int, k: int) -> None:
            ...
        @property
        def choices_layout(self) -> Mapping:
            ...
        @property
        def scores_layout(self) -> Mapping:
            ...

    @staticmethod
    def append_to_cache(ctx: _Context, sizes: kernels.AttentionSizes, rows: Tensor, tokens: int, cache: Tensor, sequence: int, position: int) -> None:
        """Writes the keys, or the values, of some tokens into the cache, from a position on."""

    @staticmethod
    def rotation_table(positions: int, head: int, base: float = ...) -> numpy.ndarray[Any, Any]:
        """The table of a Rope, [position, pair, f, j], as bits of bf16."""

def map(*args: Any) -> Mapping:
    """Factors, the leftmost the slowest: map(A // 8, B). To operate on the result is to operate on the group."""

names: dict

scalar_types: list

def skew(turning: Mapping, by: Mapping) -> Mapping:
    """An axis that wraps around by the coordinate of another."""

skip: Skip

def slide(*args: Any) -> Mapping:
    """A window, the book's $(W:2, Fw): slide((W, 2), Fw) has the positions 2 w + f."""

def tile(source: MapLike, dimension: MapLike, length: int, start: int) -> typing.Tuple[Any, ...]:
    """Some steps of a factor, seen in place: the mapping of the tile, and how many positions in it begins."""

__version__: str
