"""Types of the chip as NumPy's, and arrays as elements of the chip.

i8, i16, i32, f16 and f32 are NumPy's own. bf16, f8e4m3, f8e5m2, f4e2m1 and i4 are those of the package ml_dtypes where it is installed; elsewhere an array of them has
a type of its own with one field, named after the type, that holds the bits: `np.dtype([("bf16", "<u2")])`, `x["bf16"]` are the bits. `tv.astype` makes such arrays from
numbers, `tv.float32` numbers from them. 4-bit elements have a byte each.
"""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _tcp
from ._errors import mistake

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

TYPES = {name: (bits, packet_bits, floating, in_memory) for name, bits, packet_bits, floating, in_memory in _tcp.scalar_types}
_NUMPY = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f16": np.float16, "f32": np.float32}
_ML = {"bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f4e2m1": "float4_e2m1fn", "i4": "int4"}
SMALL_FLOATS = ("bf16", "f8e4m3", "f8e5m2", "f4e2m1")  # that NumPy has no type for
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32}


def width(type: str) -> int:
    """Bytes of an element in an array."""
    return (TYPES[type][1] + 7) // 8


def dtype(type: str) -> np.dtype:
    """NumPy's type for one of the chip's: `tv.dtype("bf16")`."""
    if type in _NUMPY:
        return np.dtype(_NUMPY[type])
    if type not in _ML:
        raise mistake(f"there is no array of {type}", f"the types in memory are {', '.join([*_NUMPY, *_ML])}", "python-type")
    if ml_dtypes is not None and hasattr(ml_dtypes, _ML[type]):
        return np.dtype(getattr(ml_dtypes, _ML[type]))
    return np.dtype([(type, "<i1" if type == "i4" else "<u2" if type == "bf16" else "<u1")])


def type_name(of: Any) -> str | None:
    """The chip's name of a NumPy type; None: the chip has none such."""
    given = np.dtype(of)
    if given.names:
        own = given.names[0] if len(given.names) == 1 and given.names[0] in TYPES else None
        return own if own is None or given.itemsize == width(own) else None
    names = {np.dtype(v).name: k for k, v in _NUMPY.items()} | {v: k for k, v in _ML.items()}
    return names.get(given.name)


def named(type: Any) -> str:
    """The chip's name of a type that is given by its name, by that of NumPy or ml_dtypes, or as NumPy's type."""
    if isinstance(type, str):
        known = {**{v: k for k, v in _ML.items()}, **{np.dtype(v).name: k for k, v in _NUMPY.items()}}
        found = type if type in TYPES else known.get(type)
    else:
        found = type_name(type)
    if found is None:
        raise mistake(f"the chip has no type {type if isinstance(type, str) else np.dtype(type)}", f"the types in memory are {', '.join([*_NUMPY, *_ML])}", "python-type")
    return found


def _native(x: np.ndarray) -> np.ndarray:
    """In the byte order of this machine, which is the chip's: words are read as they are."""
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def bits_of(x: np.ndarray, type: str) -> np.ndarray:
    """The raw bits of each element, uint32, in C order."""
    words = np.ascontiguousarray(_native(x)).view(_WORDS[width(type)]).astype(np.uint32).reshape(x.shape)
    return words & np.uint32((1 << TYPES[type][0]) - 1)


def from_bits(bits: np.ndarray, type: str) -> np.ndarray:
    """An array of a type of the chip from the raw bits of its elements."""
    words = np.asarray(bits).astype(np.uint32)
    if type == "i4":
        words = np.where(words & 8, words | 0xF0, words & 0xF)
    return np.ascontiguousarray(words.astype(_WORDS[width(type)])).view(dtype(type)).reshape(np.shape(bits))


def astype(x: Any, type: str) -> np.ndarray:
    """Numbers as an array of a type of the chip. Floats are rounded to the nearest value, ties to even; whole numbers must be values of the type."""
    given = array_of(x)
    type = named(type)
    own = type_name(given.dtype)
    if own == type:
        return given
    if own is not None and own not in ("f32", "f16", "i8", "i16", "i32"):
        given = float32(given)
    target = dtype(type)
    if type in ("f32", "f16"):
        return given.astype(target)
    if type in ("i4", "i8", "i16", "i32"):
        low, high = -(1 << TYPES[type][0] - 1), (1 << TYPES[type][0] - 1) - 1
        whole = np.asarray(given)
        if whole.size and (np.any(whole != np.trunc(whole)) or whole.min() < low or whole.max() > high):
            raise mistake(f"not every number is a value of {type}", f"round and clip first: np.clip(np.rint(x), {low}, {high})", "dsl-host-value")
        return from_bits(whole.astype(np.int64) & 0xFFFFFFFF, type) if type == "i4" else whole.astype(target)
    # Exactly: f64 to f32 rounds to odd, so that the second rounding is the only one.
    exact = given.astype(np.float64)
    once = exact.astype(np.float32)
    words = once.view(np.uint32).copy()
    back = once.astype(np.float64)
    off = np.isfinite(once) & (back != exact) & ((words & 1) == 0)
    toward = np.where(np.abs(back) < np.abs(exact), 1, -1).astype(np.int64)
    words = np.where(off, (words.astype(np.int64) + toward).astype(np.uint32), words)
    return from_bits(_tcp._cast_bits(np.ascontiguousarray(words).reshape(-1), "f32", type).reshape(given.shape), type)


def float32(x: Any) -> np.ndarray:
    """The numbers of an array of any type of the chip, each exactly."""
    given = array_of(x)
    own = type_name(given.dtype)
    if own is None or own in _NUMPY:
        return given.astype(np.float32)
    if own == "i4":
        return given.view(np.int8).astype(np.float32)
    words = _tcp._cast_bits(bits_of(given, own).reshape(-1), own, "f32")
    return words.view(np.float32).reshape(given.shape)


# DLPack: https://dmlc.github.io/dlpack, the part that arrays in the host's memory need. NumPy's own reader knows no bf16.

class _DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _DLDevice), ("ndim", ctypes.c_int32), ("dtype", _DLDataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensor(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [("dl_tensor", _DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", _DELETER)]
_CODES = {(0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (2, 16): "f16", (2, 32): "f32", (4, 16): "bf16", (10, 8): "f8e4m3", (12, 8): "f8e5m2"}
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_valid = ctypes.pythonapi.PyCapsule_IsValid
_valid.restype, _valid.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]
_pointer_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_exported: dict[int, Any] = {}


@_DELETER
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _unused(capsule):
    """A capsule that was taken has another name, and its taker calls the deleter."""
    if _valid(capsule, b"dltensor"):
        _exported.pop(_pointer_at(capsule, b"dltensor"), None)


def to_dlpack(x: Any) -> Any:
    """A DLPack capsule of an array of a type of the chip: nothing is copied."""
    array = np.ascontiguousarray(_native(np.asarray(x)))
    type = type_name(array.dtype)
    code = {v: k for k, v in _CODES.items()}.get(type or "")
    if code is None:
        raise mistake(f"DLPack has no type for {type or array.dtype}", "convert it first: tv.float32(x)", "python-type")
    managed = _DLManagedTensor()
    shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    managed.dl_tensor = _DLTensor(array.ctypes.data, _DLDevice(1, 0), array.ndim, _DLDataType(code[0], code[1], 1), shape, None, 0)
    managed.deleter = _delete
    _exported[ctypes.addressof(managed)] = (managed, array, shape)
    return _new_capsule(ctypes.addressof(managed), b"dltensor", ctypes.cast(_unused, ctypes.c_void_p))


class _Taken:
    """Memory that another library lends us."""

    def __init__(self, managed, shape, strides, width):
        self.managed = managed
        self.__array_interface__ = {"version": 3, "typestr": f"|V{width}", "shape": shape, "strides": strides,
                                    "data": (managed.contents.dl_tensor.data + managed.contents.dl_tensor.byte_offset, False)}

    def __del__(self):
        if self.managed.contents.deleter:
            self.managed.contents.deleter(self.managed)


def from_dlpack(x: Any) -> np.ndarray:
    """An array on the memory of another library's tensor, bf16 included; nothing is copied."""
    if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] != 1:
        raise mistake("the tensor is not in the host's memory", "bring it there first: x.cpu()", "python-type")
    capsule = x.__dlpack__() if hasattr(x, "__dlpack__") else x
    managed = ctypes.cast(_pointer(capsule, b"dltensor"), ctypes.POINTER(_DLManagedTensor))
    tensor = managed.contents.dl_tensor
    type = _CODES.get((tensor.dtype.code, tensor.dtype.bits)) if tensor.dtype.lanes == 1 else None
    if type is None or tensor.device.type != 1:
        kinds = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
        said = kinds.get(tensor.dtype.code, "a type of ") + str(tensor.dtype.bits)
        whole = tensor.dtype.code in (0, 1, 6)
        raise mistake(f"the chip has no type {said}" if tensor.device.type == 1 else "the tensor is not in the host's memory",
                      ("convert the tensor: x.int(), or x.to(torch.int8)" if whole else "convert the tensor: x.float(), or x.bfloat16()")
                      if tensor.device.type == 1 else "bring it there first: x.cpu()", "python-type")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] * width(type) for i in range(tensor.ndim)) if tensor.strides else None
    _rename(capsule, b"used_dltensor")
    taken = np.asarray(_Taken(managed, shape, strides, width(type)))
    return taken.view(dtype(type)) if taken.ndim else taken.reshape(1).view(dtype(type)).reshape(())


def array_of(x: Any) -> np.ndarray:
    """NumPy's array of what is like one; of tensors of other libraries their memory."""
    if isinstance(x, np.ma.MaskedArray):
        raise mistake("the array has a mask, and tensors have none", "say which value masked elements have: x.filled(0)")
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__"):
        return np.asarray(x)
    return from_dlpack(x.detach() if hasattr(x, "detach") else x)


def elements(x: Any, type: str | None = None) -> tuple[np.ndarray, str]:
    """An array as elements of the chip, without a copy where its type is one of the chip's."""
    array = array_of(x)
    if type is not None:
        type = named(type)
    if type is not None and type_name(array.dtype) != type:
        array = astype(array, type)
    own = type_name(array.dtype)
    if own is None:
        near = {"f": "np.float32", "i": "np.int32", "u": "np.int32", "b": "np.int8"}.get(array.dtype.kind, "np.float32")
        raise mistake(f"the chip has no type {array.dtype}", f"convert the array: x.astype({near}), or tv.astype(x, 'bf16')", "python-type")
    return _native(array), own
