// Checks and conversions for elements of a file: counts that fit into memory, types that match, 4-bit types that
// files keep in whole bytes.
#include <algorithm>

#include "io/elements.hpp"

namespace tcp::io {
namespace {

/// What casts to the type in Python.
const char* in_python(ScalarType type) {
  switch (type) {
    case ScalarType::i4:
    case ScalarType::i8: return "np.int8";
    case ScalarType::i16: return "np.int16";
    case ScalarType::i32: return "np.int32";
    case ScalarType::f16: return "np.float16";
    case ScalarType::f32: return "np.float32";
    case ScalarType::bf16: return "ml_dtypes.bfloat16";
    case ScalarType::f8e4m3: return "ml_dtypes.float8_e4m3fn";
    case ScalarType::f8e5m2: return "ml_dtypes.float8_e5m2";
    case ScalarType::f4e2m1: return "ml_dtypes.float4_e2m1fn";
    default: return "";
  }
}

}  // namespace

std::string shown_shape(const Extents& shape) {
  constexpr std::size_t most = 40;
  std::string out = "(";
  for (std::size_t k = 0; k < shape.size() && out.size() < most; ++k) out += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return out + (out.size() >= most ? ", ...)" : shape.size() == 1 ? ",)" : ")");
}

std::vector<std::byte> packed(const Array& array) {
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes_to_write(array.type, array.size)));
  if (!array.byte_each) {
    std::copy(array.bytes.begin(), array.bytes.end(), memory.begin());
    return memory;
  }
  for (std::int64_t i = 0; i < array.size; ++i) store_scalar_bits(memory.data(), array.type, i, array.bits(i));
  return memory;
}

Expected<std::int64_t> count_elements(const Extents& shape, std::string_view place) {
  constexpr std::int64_t most_bits = 64;  // of an element, in any file
  Checked bits = most_bits;
  bool fits = true;
  for (std::int64_t extent : shape) {
    bits = bits * Checked(extent);
    fits = fits && bits.fits && extent >= 0;
  }
  if (fits) return bits.value / most_bits;
  return refuse("io-shape")
      .what(place, "the shape ", shown_shape(shape), " is that of no array")
      .why("sizes are not negative, and their product is small enough for its bits to be counted in 64-bit numbers")
      .help("give the sizes of the axes, at most ", INT64_MAX / most_bits, " elements in all");
}

Verdict check_in_memory(ScalarType type, std::string_view place) {
  if (scalar_info(type).in_memory) return accept();
  return refuse("io-type-not-in-memory")
      .what(place, "no file holds elements of type ", type)
      .why("i5 and i9 exist only between the subtraction of a zero point and the contraction")
      .help("use ", type == ScalarType::i5 ? "i4" : "i8", ", and have the zero point subtracted on the way");
}

Refusal other_type(std::string_view place, std::string_view held, ScalarType wanted) {
  return refuse("io-other-type")
      .what(place, "holds elements of type ", shown(held, 40), ", where ", wanted, " is wanted")
      .why("a file is read as it is: what a conversion does to values is yours to decide")
      .help("convert it first; in Python: x.astype(", in_python(wanted), ")");
}

Verdict check_four_bits(const Array& array, bool raw, std::string_view place) {
  bool const has_sign = is_integer(array.type);
  for (std::int64_t i = 0; i < array.size; ++i) {
    auto const byte = std::to_integer<unsigned>(array.bytes[static_cast<std::size_t>(i)]);
    bool const is_plain = byte < (has_sign && !raw ? 8 : 16);
    bool const is_negative = has_sign && byte >= 0xf8;
    if (is_plain || is_negative) continue;
    Refusal r = refuse("io-four-bit-range");
    r.what(place, "element ", i, " (counted through all axes) is ");
    if (has_sign) r.what(byte < 128 ? static_cast<int>(byte) : static_cast<int>(byte) - 256);
    else r.what("the byte ", byte);
    return r.what(", which ", array.type, " does not hold")
        .why("a 4-bit element takes a byte of its own in this file, whose upper half says nothing new")
        .help("keep values of ", array.type, " within ", has_sign ? "-8 to 7" : "the bytes 0 to 15");
  }
  return accept();
}

std::vector<std::byte> byte_each(ScalarType type, std::int64_t elements, std::span<const std::byte> memory) {
  std::vector<std::byte> out(static_cast<std::size_t>(elements));
  for (std::int64_t i = 0; i < elements; ++i) {
    std::uint32_t const bits = load_scalar_bits(memory.data(), type, i);
    bool const is_negative = is_integer(type) && bits >= 8;
    out[static_cast<std::size_t>(i)] = static_cast<std::byte>(is_negative ? bits | 0xf0 : bits);
  }
  return out;
}

Expected<std::int64_t> check_to_write(ScalarType type, const Extents& shape, std::span<const std::byte> bytes, std::string_view place) {
  if (auto v = check_in_memory(type, place); !v) return v.refusal();
  auto const elements = count_elements(shape, place);
  if (!elements) return elements;
  std::int64_t const needed = bytes_to_write(type, *elements);
  if (static_cast<std::int64_t>(bytes.size()) == needed) return elements;
  return refuse("io-wrong-byte-count")
      .what(place, "the shape ", shown_shape(shape), " of ", type, " needs ", needed, " bytes, and ", bytes.size(), " are given")
      .why("an array is written from all of its elements, as they are stored in memory")
      .help("give ", needed, " bytes, or the shape of what is there");
}

Refusal not_written(const std::string& path, std::string_view why) {
  return refuse("io-file-not-written")
      .what(shown_file(path), "cannot be written: ", shown(why, 80))
      .why("a file that was there before is left as it was")
      .help("write to a folder that exists and is yours, with room on its disk");
}

}  // namespace tcp::io

// Names and paths from outside as messages print them: cut to length, without unprintable characters.

namespace tcp::io {

std::string shown(std::string_view text, std::size_t room) {
  std::string out;
  for (char c : text.substr(0, room)) out += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > room) out.replace(room - 3, 3, "...");
  return out;
}

std::string shown_file(std::string_view path) {
  constexpr std::size_t room = 50;
  if (path.size() > room) return "..." + shown(path.substr(path.size() - room + 3), room) + ": ";
  return shown(path, room) + ": ";
}

}  // namespace tcp::io
