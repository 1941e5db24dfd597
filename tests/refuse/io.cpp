// Files of tensors: npy and safetensors.
// no kernels: files are read and written by functions, which the page calls
#include "helpers/file_bytes.hpp"
#include "refuse_test.hpp"

using namespace tcp;

// # io-file-not-written
// A file of arrays could not be written; what the system said follows the name. It is written beside its place under another name and then put there as a
// whole, so the folder must be one that you may write to, and a file that was there before is either replaced or left as it was.
//
// Choose a folder that exists, or make it first: `mkdir -p`.
// run time only: files are written when a program runs
namespace io_file_not_written {
using namespace tcp::io_test;
// error[io-file-not-written]: /no/such/folder/y.npy: cannot be written: No such file or directory; help: write to a folder that exists and is yours, with room on its disk
REFUSED_AT_RUN_TIME { return io::write_npy("/no/such/folder/y.npy", ScalarType::i8, {1}, bytes_of("a")).refusal(); }
}  // namespace io_file_not_written

// # io-file-unreadable
// Arrays and programs are read where they are, by mapping the file into memory; so it must be a regular file that may be read. Folders, pipes and devices are none. The
// reason that the system gives follows the name.
//
// Store what a pipe brings in a file first.
// run time only: files are read when a program runs
namespace io_file_unreadable {
using namespace tcp::io_test;
// error[io-file-unreadable]: arrays/no_such_array.npy: cannot be read: No such file or directory; help: check the name, and the folder that the command was started in
REFUSED_AT_RUN_TIME { return io::read_npy("arrays/no_such_array.npy").refusal(); }
}  // namespace io_file_unreadable

// # io-four-bit-range
// npy and safetensors have no 4-bit integers (and npy no 4-bit floats). There each takes a byte of its own, which every reader of the format can look at: an
// `i4` is an 8-bit integer from -8 to 7, an `f4e2m1` a byte from 0 to 15. A byte that is none of these was not meant as one.
//
// Look at the array: perhaps two values were packed into a byte, or the tensor should be `i8`.
// run time only: files are read when a program runs
namespace io_four_bit_range {
using namespace tcp::io_test;
// error[io-four-bit-range]: x.npy: element 2 (counted through all axes) is 33, which i4 does not hold; help: keep values of i4 within -8 to 7
REFUSED_AT_RUN_TIME { return refused_npy(npy_of("|i1", "(3,)", "\x07\x01\x21"), ScalarType::i4); }
}  // namespace io_four_bit_range

// # io-other-type
// A file's elements are taken as they are. Where the tensor has another type, the user must say how values are rounded, wrapped or saturated, and that is not
// the reader of a file.
//
// Convert the array where it is made. In Python `x.astype(np.float32)`; the package `ml_dtypes` has `bfloat16`, `float8_e4m3fn` and `float8_e5m2`.
// run time only: files are read when a program runs
namespace io_other_type {
using namespace tcp::io_test;
// error[io-other-type]: x.npy: holds elements of type <f8, where bf16 is wanted; help: convert it first; in Python: x.astype(ml_dtypes.bfloat16)
REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<f8", "(1,)", "12345678"), ScalarType::bf16); }
}  // namespace io_other_type

// # io-shape
// The sizes of an array's axes are not negative, and the bits of all its elements can be counted in a 64-bit number. No array has other sizes; a file that says
// so is damaged, or was made to mislead.
//
// Write the file again.
// run time only: files are read when a program runs
namespace io_shape {
using namespace tcp::io_test;
// error[io-shape]: x.npy: the shape (4294967296, 4294967296) is that of no array; help: give the sizes of the axes, at most 144115188075855871 elements in all
REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<f4", "(4294967296, 4294967296)", "")); }
}  // namespace io_shape

// # io-type-not-in-memory
// `i5` and `i9` are what is left of `i4` and `i8` when a zero point has been subtracted. They exist on the way from fetch to contraction, never in a memory, and
// so in no file.
//
// Store the values before the subtraction.
// run time only: files are written when a program runs
namespace io_type_not_in_memory {
using namespace tcp::io_test;
// error[io-type-not-in-memory]: x.npy: no file holds elements of type i9; help: use i8, and have the zero point subtracted on the way
REFUSED_AT_RUN_TIME { return io::write_npy("x.npy", ScalarType::i9, {1}, bytes_of("ab")).refusal(); }
}  // namespace io_type_not_in_memory

// # io-wrong-byte-count
// An array is written from its elements as they are in memory: little-endian, without gaps, two 4-bit values to a byte. Fewer bytes would leave elements without a
// value; more are a sign of another shape or type.
// run time only: files are written when a program runs
namespace io_wrong_byte_count {
using namespace tcp::io_test;
// error[io-wrong-byte-count]: x.npy: the shape (2, 3) of bf16 needs 12 bytes, and 6 are given; help: give 12 bytes, or the shape of what is there
REFUSED_AT_RUN_TIME { return io::write_npy("x.npy", ScalarType::bf16, {2, 3}, bytes_of("abcdef")).refusal(); }
}  // namespace io_wrong_byte_count

// # npy-byte-order
// Numbers in the chip and in its files are little-endian: the least byte comes first. NumPy marks such types with `<`, and types of one byte with `|`.
//
// In Python: `x.astype(x.dtype.newbyteorder('<'))`.
// run time only: files are read when a program runs
namespace npy_byte_order {
using namespace tcp::io_test;
// error[npy-byte-order]: x.npy: the elements of type '>f4' are not little-endian; help: in Python: x.astype(x.dtype.newbyteorder('<'))
REFUSED_AT_RUN_TIME { return refused_npy(npy_of(">f4", "(1,)", "abcd")); }
}  // namespace npy_byte_order

// # npy-fortran-order
// The shape of a tensor names its axes from the slowest to the fastest (C order). A file in Fortran order has them the other way round in memory, and would have to be
// reordered on the way; that is done once, where the file is made, and not at each reading.
//
// In Python: `np.save(file, np.ascontiguousarray(x))`. A transposed array `x.T` is in Fortran order if `x` is in C order.
// run time only: files are read when a program runs
namespace npy_fortran_order {
using namespace tcp::io_test;
// error[npy-fortran-order]: x.npy: the elements of (2, 2) are in Fortran order, the first axis counting fastest; help: in Python: np.save(file, np.ascontiguousarray(x))
REFUSED_AT_RUN_TIME { return refused_npy(npy_file("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2)}", "abcd")); }
}  // namespace npy_fortran_order

// # npy-header
// The header of an npy file is a Python dictionary with three keys: `descr`, the type; `fortran_order`, True or False; and `shape`, a tuple of sizes. After it there
// may be blanks. Any other text is refused, because a reader could only guess what it means.
//
//     {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
// run time only: files are read when a program runs
namespace npy_header {
using namespace tcp::io_test;
// error[npy-header]: x.npy: the header has the shape wrong at '), }?'; help: write the file again with numpy.save, or with write_npy
REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<f4", "(2)", "12345678")); }
}  // namespace npy_header

// # npy-header-too-large
// A header says the type and the shape of one array, which takes a few dozen bytes. One of more than 65535 bytes is damaged, or was made to use up the memory
// of the reader.
// run time only: files are read when a program runs
namespace npy_header_too_large {
using namespace tcp::io_test;
// error[npy-header-too-large]: x.npy: the header has 2147483647 bytes, more than 65535; help: write the file again with numpy.save, or with write_npy
REFUSED_AT_RUN_TIME { return refused_npy(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12)); }
}  // namespace npy_header_too_large

// # npy-not-npy
// An npy file begins with the byte 93 (hexadecimal), the letters `NUMPY`, and its version. Other files are not read: neither text nor `npz`, which is a zip archive
// of npy files.
//
// `numpy.save` writes npy files.
// run time only: files are read when a program runs
namespace npy_not_npy {
using namespace tcp::io_test;
// error[npy-not-npy]: x.npy: is not an npy file; help: it looks like an npz archive: unzip it, and give one of the npy files in it
REFUSED_AT_RUN_TIME { return refused_npy("PK\x03\x04"); }
}  // namespace npy_not_npy

// # npy-too-many-axes
// NumPy reads arrays of at most 32 axes, so no more are written.
//
// Join neighbouring axes: the elements of `(2, 3)` and of `(6,)` are stored the same way.
// run time only: files are written when a program runs
namespace npy_too_many_axes {
using namespace tcp::io_test;
// error[npy-too-many-axes]: x.npy: the array has 33 axes; help: join neighbouring axes, until there are at most 32
REFUSED_AT_RUN_TIME { return io::write_npy("x.npy", ScalarType::i8, io::Extents(33, 1), bytes_of("a")).refusal(); }
}  // namespace npy_too_many_axes

// # npy-type
// The types that npy can name and the chip has are the integers `i1`, `i2`, `i4` and the floats `f2`, `f4`. NumPy makes 64-bit numbers unless it is told otherwise;
// strings, records and Python objects are no numbers at all, and reading an object from a file would run a program that is in it.
//
// Convert the array where it is made: `x.astype(np.float32)`.
// run time only: files are read when a program runs
namespace npy_type {
using namespace tcp::io_test;
// error[npy-type]: x.npy: holds elements of type '<i8', which the chip does not have; help: in Python: x.astype(np.int32)
REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<i8", "(1,)", "12345678")); }
}  // namespace npy_type

// # npy-type-unnamed
// npy has no names for `bf16`, the 8-bit floats and the 4-bit types. The Python package `ml_dtypes` writes them as raw bytes, `<V2` and `<V1`, and so does `write_npy`.
// The file does not say which type they have; the caller must.
//
// In C++: `read_npy(path, ScalarType::bf16)`. `tcp run` takes the type from the tensor that the file is given for.
// run time only: files are read when a program runs
namespace npy_type_unnamed {
using namespace tcp::io_test;
// error[npy-type-unnamed]: x.npy: holds elements of type '<V2', raw bits that may be bf16; help: say which type is wanted
REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<V2", "(1,)", "ab")); }
}  // namespace npy_type_unnamed

// # npy-version
// The format has the versions 1.0, 2.0 and 3.0, which differ in how long the header may be and how its text is encoded. What a later version means is not known.
// run time only: files are read when a program runs
namespace npy_version {
using namespace tcp::io_test;
// error[npy-version]: x.npy: has version 4.0 of the format; help: write it in version 1.0, 2.0 or 3.0, as numpy.save does
REFUSED_AT_RUN_TIME {
  std::string file = npy_of("<f4", "(1,)", "abcd");
  file[6] = 4;
  return refused_npy(file);
}
}  // namespace npy_version

// # npy-wrong-size
// Header and elements together have exactly as many bytes as the header says. A file that is shorter was cut off, perhaps by a full disk or a broken copy; one that
// is longer holds something else as well, such as a second array.
// run time only: files are read when a program runs
namespace npy_wrong_size {
using namespace tcp::io_test;
// error[npy-wrong-size]: x.npy: the shape (2, 3) of '<f4' needs 94 bytes, and the file has 78; help: copy or write the file again; it must hold one array and nothing else
REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<f4", "(2, 3)", "12345678")); }
}  // namespace npy_wrong_size

// # safetensors-duplicate-name
// A name occurs in a header once. Where it occurs twice, one reader takes the first tensor and another the last.
// run time only: files are read when a program runs
namespace safetensors_duplicate_name {
using namespace tcp::io_test;
// error[safetensors-duplicate-name]: w.safetensors: the name 'w' occurs twice in the header; help: write the file again, with a name of its own for each tensor
REFUSED_AT_RUN_TIME {
  std::string const entry = R"({"dtype": "I8", "shape": [0], "data_offsets": [0, 0]})";
  return refused_safetensors(safetensors_file("{\"w\": " + entry + ", \"w\": " + entry + "}", ""));
}
}  // namespace safetensors_duplicate_name

// # safetensors-header-syntax
// The header is one JSON object in UTF-8. Each of its keys is the name of a tensor, and its value an object of exactly `dtype`, `shape` and `data_offsets`; the key
// `__metadata__` is for remarks, an object of texts. Anything else is refused, because readers would differ in what they make of it.
//
//     {"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}}
// run time only: files are read when a program runs
namespace safetensors_header_syntax {
using namespace tcp::io_test;
// error[safetensors-header-syntax]: w.safetensors: tensor 'w': a negative number at 'shape' is not what belongs there; help: copy or write the file again; if it is not a safetensors file, give one
REFUSED_AT_RUN_TIME {
  return refused_safetensors(safetensors_file(R"({"w": {"dtype": "I8", "shape": [-1], "data_offsets": [0, 1]}})", "a"));
}
}  // namespace safetensors_header_syntax

// # safetensors-header-too-large
// The first 8 bytes of a file are the length of its header. The format's own implementation refuses more than 100,000,000 bytes, and so do we: a number beyond that was
// never meant as a length.
// run time only: files are read when a program runs
namespace safetensors_header_too_large {
using namespace tcp::io_test;
// error[safetensors-header-too-large]: w.safetensors: the header has 2338328219631577204 bytes, more than 100000000; help: copy or write the file again; if it is not a safetensors file, give one
REFUSED_AT_RUN_TIME { return refused_safetensors("this is no safetensors file"); }
}  // namespace safetensors_header_too_large

// # safetensors-name
// Names of tensors are the keys of a JSON object, so each is there once and is valid UTF-8; `__metadata__` is the key of the author's remarks, whose texts must be
// UTF-8 as well.
// run time only: files are written when a program runs
namespace safetensors_name {
using namespace tcp::io_test;
// error[safetensors-name]: w.safetensors: tensor '__metadata__': it cannot have this name; help: give each tensor a name of its own, in UTF-8
REFUSED_AT_RUN_TIME {
  io::TensorToWrite const tensor{"__metadata__", ScalarType::i8, {1}, bytes_of("a")};
  return io::write_safetensors("w.safetensors", std::span(&tensor, 1)).refusal();
}
}  // namespace safetensors_name

// # safetensors-no-such-tensor
// A file was asked for a tensor that is not in it. Names are exact.
// run time only: files are read when a program runs
namespace safetensors_no_such_tensor {
using namespace tcp::io_test;
// error[safetensors-no-such-tensor]: w.safetensors: there is no tensor 'layer.0.weights'; help: the file has 1: layer.0.weight
REFUSED_AT_RUN_TIME {
  return refused_tensor(safetensors_file(R"({"layer.0.weight": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]}})", "a"),
                        "layer.0.weights");
}
}  // namespace safetensors_no_such_tensor

// # safetensors-offsets
// Tensors are side by side after the header, from its end to that of the file. No byte belongs to two of them, and none to no one: so a file cannot hide anything, and
// a cut or damaged one is noticed.
// run time only: files are read when a program runs
namespace safetensors_offsets {
using namespace tcp::io_test;
// error[safetensors-offsets]: w.safetensors: tensor 'b': it overlaps another: it begins at byte 2 of 6 after the header; those before it end at 4; help: copy or write the file again
REFUSED_AT_RUN_TIME {
  return refused_safetensors(safetensors_file(
      R"({"a": {"dtype": "I8", "shape": [4], "data_offsets": [0, 4]}, "b": {"dtype": "I8", "shape": [4], "data_offsets": [2, 6]}})",
      "abcdef"));
}
}  // namespace safetensors_offsets

// # safetensors-too-short
// A safetensors file begins with 8 bytes, the length of its header; then comes the header. A file that ends before that was cut off, or is something else.
// run time only: files are read when a program runs
namespace safetensors_too_short {
using namespace tcp::io_test;
// error[safetensors-too-short]: w.safetensors: the header ends at byte 508, and the file has 9 bytes; help: copy or write the file again; if it is not a safetensors file, give one
REFUSED_AT_RUN_TIME { return refused_safetensors(little_endian(500, 8) + "{"); }
}  // namespace safetensors_too_short

// # safetensors-type
// A file may hold tensors of types that the chip does not have, such as 64-bit numbers; but they cannot be read.
//
// Convert them where the file is made.
// run time only: files are read when a program runs
namespace safetensors_type {
using namespace tcp::io_test;
// error[safetensors-type]: w.safetensors: tensor 'ids': it has elements of type I64, which the chip does not have; help: convert it to one of I8, I16, I32, F4, F8_E4M3, F8_E5M2, F16, BF16 and F32
REFUSED_AT_RUN_TIME {
  return refused_tensor(safetensors_file(R"({"ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}})", "12345678"), "ids");
}
}  // namespace safetensors_type

// # safetensors-unknown-dtype
// A type whose name is not known has no known size, so it cannot be checked that the file is whole. All types of the published format are known; those that the chip does
// not have may be in a file as long as they are not asked for.
// run time only: files are read when a program runs
namespace safetensors_unknown_dtype {
using namespace tcp::io_test;
// error[safetensors-unknown-dtype]: w.safetensors: tensor 'w': there is no type 'I4'; help: the chip's types are I8, I16, I32, F4, F8_E4M3, F8_E5M2, F16, BF16 and F32
REFUSED_AT_RUN_TIME {
  return refused_safetensors(safetensors_file(R"({"w": {"dtype": "I4", "shape": [2], "data_offsets": [0, 1]}})", "a"));
}
}  // namespace safetensors_unknown_dtype

// # safetensors-wrong-size
// How many bytes a tensor has follows from its shape and type; its `data_offsets` must say the same.
// run time only: files are read when a program runs
namespace safetensors_wrong_size {
using namespace tcp::io_test;
// error[safetensors-wrong-size]: w.safetensors: tensor 'w': the shape (2, 3) of BF16 is 96 bits, and its data_offsets are [0, 6]; help: copy or write the file again
REFUSED_AT_RUN_TIME {
  return refused_safetensors(safetensors_file(R"({"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 6]}})", "abcdef"));
}
}  // namespace safetensors_wrong_size
