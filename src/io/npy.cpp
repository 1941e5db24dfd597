// An npy file is a magic word, a version, the length of a header, the header (a Python dictionary of three keys, blanks
// and a newline after it), and then the elements without a gap.
#include "tcp/io/npy.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/elements.hpp"

namespace tcp::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 65535;  // what version 1.0 can say; no array of numbers needs more
constexpr std::size_t most_axes = 32;          // that NumPy reads

struct Header {
  std::string_view type;  // empty: a record of several
  bool fortran = false;
  Extents shape;
  std::size_t end = 0;  // where the elements begin
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t v = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) v = v << 8 | static_cast<unsigned char>(bytes[i]);
  return v;
}

/// The words of a Python literal, one after the other. Each member reads what it names, after blanks, or says no and
/// stays.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool quoted(std::string_view& word) {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    std::size_t const end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) return false;
    word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }
  bool number(std::int64_t& v) {
    skip_blanks();
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
    if (error != std::errc() || v < 0) return false;
    at_ = static_cast<std::size_t>(end - text_.data());
    take("L");  // Python 2 wrote it
    return true;
  }
  bool ended() {
    skip_blanks();
    return at_ == text_.size();
  }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size()); }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool read_shape(Literal& literal, Extents& shape) {
  if (!literal.take("(")) return false;
  while (!literal.take(")")) {
    std::int64_t extent = 0;
    if (!literal.number(extent)) return false;
    shape.push_back(extent);
    bool const separated = literal.take(",");
    if (separated) continue;
    return shape.size() > 1 && literal.take(")");  // in Python (3) is a number, and (3,) a shape
  }
  return true;
}

Refusal no_header(std::string_view place, const Literal& literal, std::string_view expected) {
  return refuse("npy-header")
      .what(place, "the header has ", expected, " wrong at '", shown(literal.rest(), 40), "'")
      .why("it is a Python dictionary of the keys descr, fortran_order and shape, each once, and blanks after it")
      .help("write the file again with numpy.save, or with write_npy");
}

Expected<Header> read_dictionary(std::string_view text, std::string_view place) {
  Header h;
  Literal literal(text);
  bool has_type = false, has_order = false, has_shape = false;
  if (!literal.take("{")) return no_header(place, literal, "its beginning");
  while (!literal.take("}")) {
    std::string_view key;
    if (!literal.quoted(key) || !literal.take(":")) return no_header(place, literal, "a key");
    bool* const seen = key == "descr" ? &has_type : key == "fortran_order" ? &has_order : key == "shape" ? &has_shape : nullptr;
    if (seen == nullptr || *seen) return no_header(place, literal, "an unknown or repeated key, with its value");
    *seen = true;
    if (key == "descr") {
      if (literal.take("[") || literal.take("(")) return h;  // a record; its type is refused, whatever else there is
      if (!literal.quoted(h.type) || h.type.empty()) return no_header(place, literal, "the type");
    } else if (key == "fortran_order") {
      h.fortran = literal.take("True");
      if (!h.fortran && !literal.take("False")) return no_header(place, literal, "the order");
    } else if (!read_shape(literal, h.shape)) {
      return no_header(place, literal, "the shape");
    }
    if (literal.take(",")) continue;
    if (literal.take("}")) break;
    return no_header(place, literal, "a comma or bracket");
  }
  if (!literal.ended()) return no_header(place, literal, "its end");
  if (!has_type || !has_order || !has_shape) return no_header(place, literal, "too few keys; nothing");
  return h;
}

Refusal not_npy(std::string_view place, std::string_view text) {
  Refusal r = refuse("npy-not-npy");
  r.what(place, "is not an npy file").why("an npy file begins with the byte 93 (hexadecimal) and the letters NUMPY");
  if (text.empty()) return r.help("it is empty: write it again with numpy.save");
  if (text.starts_with("PK")) return r.help("it looks like an npz archive: unzip it, and give one of the npy files in it");
  return r.help("write it with numpy.save, or with write_npy");
}

Refusal wrong_size(std::string_view place, std::string_view promised, std::uint64_t needed, std::size_t there) {
  return refuse("npy-wrong-size")
      .what(place, promised, " needs ", needed, " bytes, and the file has ", there)
      .why("what is missing was cut off, and what is left over was never meant")
      .help("copy or write the file again; it must hold one array and nothing else");
}

Expected<Header> read_header(std::string_view text, std::string_view place) {
  if (!text.starts_with(magic)) return not_npy(place, text);
  if (text.size() < 10) return wrong_size(place, "the beginning", 10, text.size());
  unsigned const major = static_cast<unsigned char>(text[6]), minor = static_cast<unsigned char>(text[7]);
  if (major < 1 || major > 3 || minor != 0)
    return refuse("npy-version")
        .what(place, "has version ", major, ".", minor, " of the format")
        .why("later versions may mean something else by the same bytes")
        .help("write it in version 1.0, 2.0 or 3.0, as numpy.save does");
  std::size_t const width = major == 1 ? 2 : 4, begin = 8 + width;
  if (text.size() < begin) return wrong_size(place, "the beginning", begin, text.size());
  std::uint64_t const length = little_endian(text.substr(8, width));
  if (length > longest_header)
    return refuse("npy-header-too-large")
        .what(place, "the header has ", length, " bytes, more than ", longest_header)
        .why("the type and shape of an array fit into far less; the file is damaged, or not meant well")
        .help("write the file again with numpy.save, or with write_npy");
  if (length > text.size() - begin) return wrong_size(place, "the header", begin + length, text.size());
  auto header = read_dictionary(text.substr(begin, length), place);
  if (!header) return header;
  Header h = *header;
  h.end = begin + length;
  return h;
}

/// A type of the file and how its bytes may be read.
struct Reading {
  std::string_view in_file;  // without the byte order
  ScalarType type;
  bool named = true;       // the file says it: no need to want it
  bool byte_each = false;  // a 4-bit element in a byte of its own
  bool raw = true;         // ... whose bits are given, and not its value
};
constexpr Reading readings[] = {
    {"i1", ScalarType::i8},
    {"i2", ScalarType::i16},
    {"i4", ScalarType::i32},
    {"f1", ScalarType::f8e5m2},
    {"f2", ScalarType::f16},
    {"f4", ScalarType::f32},
    {"V1", ScalarType::f8e4m3, false},
    {"V1", ScalarType::f8e5m2, false},
    {"u1", ScalarType::f8e4m3, false},
    {"u1", ScalarType::f8e5m2, false},
    {"V2", ScalarType::bf16, false},
    {"u2", ScalarType::bf16, false},
    {"i1", ScalarType::i4, false, true, false},
    {"V1", ScalarType::i4, false, true},
    {"V1", ScalarType::f4e2m1, false, true},
    {"u1", ScalarType::f4e2m1, false, true},
};

Refusal no_such_type(std::string_view place, std::string_view type) {
  Refusal r = refuse("npy-type");
  char const kind = type.size() > 1 ? type[1] : '?';
  r.what(place, "holds elements of type ", type.empty() ? "record" : "'" + shown(type, 20) + "'", ", which the chip does not have");
  if (kind == 'O')
    return r.why("Python objects are stored as a program that makes them, and reading runs it").help("store an array of numbers");
  r.why("the types of npy that are one of the chip's are i1, i2, i4, f2 and f4; raw bytes (V1, V2) can hold bf16 and 8-bit floats");
  if (type == "<f8") return r.help("in Python: x.astype(np.float32)");
  if (type == "<i8") return r.help("in Python: x.astype(np.int32)");
  if (kind == 'b' || kind == 'u') return r.help("in Python: x.astype(np.int8), or np.int32 for large numbers");
  return r.help("store an array of such numbers");
}

Verdict check_byte_order(std::string_view place, std::string_view type) {
  bool const has_order = type.size() != 3 || type[2] != '1', is_number = type.substr(1).find_first_of("iufc") == 0;
  if (type[0] == '<' || (type[0] == '|' && !(is_number && has_order))) return accept();
  return refuse("npy-byte-order")
      .what(place, "the elements of type '", shown(type, 20), "' are not little-endian")
      .why("numbers in the chip are little-endian, and bytes are never swapped on the way")
      .help("in Python: x.astype(x.dtype.newbyteorder('<'))");
}

Expected<Reading> find_reading(std::string_view place, std::string_view type, std::optional<ScalarType> wanted) {
  if (type.empty()) return no_such_type(place, type);
  if (auto v = check_byte_order(place, type); !v) return v.refusal();
  std::string_view const in_file = type.substr(1);
  const Reading *own = nullptr, *any = nullptr;
  for (const Reading& r : readings) {
    if (r.in_file != in_file) continue;
    if (wanted == r.type) return r;
    if (r.named) own = &r;
    any = &r;
  }
  if (any == nullptr && (!wanted || in_file.starts_with("O"))) return no_such_type(place, type);
  if (wanted) return other_type(place, own != nullptr ? scalar_info(own->type).name : type, *wanted);
  if (own != nullptr) return *own;
  Refusal r = refuse("npy-type-unnamed");
  r.what(place, "holds elements of type '", shown(type, 20), "', raw bits that may be");
  const char* separator = " ";
  for (const Reading& each : readings)
    if (each.in_file == in_file) r.what(std::exchange(separator, " or "), each.type);
  return r.why("npy has no names for these types").help("say which type is wanted");
}

std::string_view as_text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// As NumPy and ml_dtypes write it.
std::string_view type_in_file(ScalarType type) {
  switch (type) {
    case ScalarType::i4:
    case ScalarType::i8: return "|i1";
    case ScalarType::i16: return "<i2";
    case ScalarType::i32: return "<i4";
    case ScalarType::f16: return "<f2";
    case ScalarType::f32: return "<f4";
    case ScalarType::bf16: return "<V2";
    default: return "<V1";
  }
}

/// Padded so that the elements begin at a multiple of 64 bytes.
std::string header_of(ScalarType type, const Extents& shape) {
  std::string text = "{'descr': '" + std::string(type_in_file(type)) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t k = 0; k < shape.size(); ++k) text += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  text += shape.size() == 1 ? ",), }" : "), }";
  constexpr std::size_t before = 10, multiple = 64;
  text.append(multiple - 1 - (before + text.size()) % multiple, ' ');
  text += '\n';
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace

Expected<Array> parse_npy(std::span<const std::byte> bytes, std::string_view file_name, std::optional<ScalarType> wanted) {
  std::string const place = shown_file(file_name);
  if (wanted)
    if (auto v = check_in_memory(*wanted, place); !v) return v.refusal();
  auto const header = read_header(as_text(bytes), place);
  if (!header) return header.refusal();
  auto const reading = find_reading(place, header->type, wanted);
  if (!reading) return reading.refusal();
  if (header->fortran)
    return refuse("npy-fortran-order")
        .what(place, "the elements of ", shown_shape(header->shape), " are in Fortran order, the first axis counting fastest")
        .why("tensors are read in C order, the last axis counting fastest, and never reordered on the way")
        .help("in Python: np.save(file, np.ascontiguousarray(x))");
  auto const elements = count_elements(header->shape, place);
  if (!elements) return elements.refusal();
  Array array{reading->type, header->shape, *elements, bytes.subspan(header->end), reading->byte_each, {}};
  auto const needed = static_cast<std::size_t>(array.byte_each ? *elements : bytes_to_write(array.type, *elements));
  if (array.bytes.size() != needed)
    return wrong_size(place, "the shape " + shown_shape(array.shape) + " of '" + shown(header->type, 20) + "'", header->end + needed,
                      bytes.size());
  if (array.byte_each)
    if (auto v = check_four_bits(array, reading->raw, place); !v) return v.refusal();
  return array;
}

Expected<Array> read_npy(const std::string& path, std::optional<ScalarType> wanted) {
  auto const file = MappedFile::open(path);
  if (!file) return file.refusal();
  auto parsed = parse_npy((*file)->bytes(), path, wanted);
  if (!parsed) return parsed;
  Array array = *std::move(parsed);
  array.file = *file;
  return array;
}

Verdict write_npy(const std::string& path, ScalarType type, const Extents& shape, std::span<const std::byte> bytes) {
  auto const elements = check_to_write(type, shape, bytes, shown_file(path));
  if (!elements) return elements.refusal();
  if (shape.size() > most_axes)
    return refuse("npy-too-many-axes")
        .what(shown_file(path), "the array has ", shape.size(), " axes")
        .why("NumPy reads arrays of at most ", most_axes, " axes")
        .help("join neighbouring axes, until there are at most ", most_axes);
  std::string const header = header_of(type, shape);
  std::vector<std::byte> spread;
  if (scalar_info(type).packet_bits == 4) {
    spread = byte_each(type, *elements, bytes);
    bytes = spread;
  }
  std::span<const std::byte> const parts[] = {std::as_bytes(std::span(header)), bytes};
  if (auto const error = write_whole(path, parts)) return not_written(path, error.message());
  return accept();
}

}  // namespace tcp::io
