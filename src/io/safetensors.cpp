// Reads and writes safetensors: checks that header, shapes and offsets agree before any element is handed out.
// The header, a JSON object, is parsed first.
#include "tcp/io/safetensors.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/elements.hpp"
#include "tcp/support/round.hpp"

// The JSON header of a safetensors file as records, each still to be compared with the bytes behind it.

namespace tcp::io {

inline constexpr std::size_t length_bytes = 8;  // of the number before the header
inline constexpr std::string_view metadata_key = "__metadata__";

/// A type by the format's name.
struct Dtype {
  const char* name;
  int bits;
  std::optional<ScalarType> type;  // none: the chip does not have it
};
inline constexpr Dtype dtypes[] = {
    {"I8", 8, ScalarType::i8},
    {"I16", 16, ScalarType::i16},
    {"I32", 32, ScalarType::i32},
    {"F4", 4, ScalarType::f4e2m1},
    {"F8_E4M3", 8, ScalarType::f8e4m3},
    {"F8_E5M2", 8, ScalarType::f8e5m2},
    {"F16", 16, ScalarType::f16},
    {"BF16", 16, ScalarType::bf16},
    {"F32", 32, ScalarType::f32},
    {"BOOL", 8, {}},
    {"U8", 8, {}},
    {"U16", 16, {}},
    {"U32", 32, {}},
    {"U64", 64, {}},
    {"I64", 64, {}},
    {"F64", 64, {}},
    {"C64", 64, {}},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"F8_E8M0", 8, {}},
    {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2FNUZ", 8, {}},
};

struct WrittenEntry {
  std::string name;
  const Dtype* dtype = nullptr;
  Extents shape;
  std::uint64_t begin = 0, end = 0;  // after the header
};
struct WrittenHeader {
  std::vector<WrittenEntry> entries;  // as they stand in the header
  Metadata metadata;                  // by key
};

/// Refuses what is not the JSON of a header: other text, other keys, other kinds of values, a name that stands there
/// twice.
Expected<WrittenHeader> parse_header(std::span<const std::byte> header, std::string_view place);

// The header is taken as the JSON library reports it, without a tree between: it may have a hundred million bytes.
namespace {

constexpr std::string_view form =
    "the header is one JSON object of entries as {\"dtype\": \"BF16\", \"shape\": [2, 3], \"data_offsets\": [0, 12]}, in UTF-8";
constexpr std::string_view another_file = "copy or write the file again; if it is not a safetensors file, give one";

Refusal not_json(std::string_view text, std::size_t characters_read, std::string_view place) {
  constexpr std::size_t most = 40;
  std::string_view last = text.substr(0, characters_read);
  if (last.size() > most) last.remove_prefix(last.size() - most);
  Refusal r = refuse("safetensors-header-syntax");
  r.what(place, "the header is not JSON: ");
  if (characters_read > text.size()) r.what("it ends too early");
  else r.what("reading stopped at its byte ", characters_read, ", after '", shown(last, most), "'");
  return r.why(form).help(another_file);
}

/// Takes the library's reports. One that returns false ends the parse; refusal() then says why.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view place) : text_(text), place_(place) {}

  bool start_object(std::size_t) {
    switch (in_) {
      case In::nothing: in_ = In::header; return true;
      case In::header:
        if (name_ == metadata_key) {
          if (has_metadata_) return wrong_form("a second object of remarks");
          has_metadata_ = true;
          in_ = In::metadata;
          return true;
        }
        in_ = In::entry;
        entry_ = {};
        has_dtype_ = has_shape_ = has_offsets_ = false;
        return true;
      default: return wrong_form("an object");
    }
  }
  bool end_object() {
    switch (in_) {
      case In::metadata: in_ = In::header; return true;
      case In::entry:
        if (!has_dtype_ || !has_shape_ || !has_offsets_) return wrong_form("an entry without dtype, shape and data_offsets");
        entry_.name = std::move(name_);
        header_.entries.push_back(std::move(entry_));
        in_ = In::header;
        return true;
      default: in_ = In::nothing; return true;
    }
  }
  bool key(std::string& v) {
    if (in_ == In::header) {
      name_ = std::move(v);
      key_.clear();
      return true;
    }
    key_ = std::move(v);
    if (in_ != In::entry) return true;
    bool* const seen = key_ == "dtype" ? &has_dtype_ : key_ == "shape" ? &has_shape_ : key_ == "data_offsets" ? &has_offsets_ : nullptr;
    if (seen == nullptr || *seen) return wrong_form("an unknown or repeated key");
    *seen = true;
    return true;
  }
  bool string(std::string& v) {
    if (in_ == In::metadata) {
      header_.metadata.emplace_back(std::move(key_), std::move(v));
      return true;
    }
    if (in_ != In::entry || key_ != "dtype") return wrong_form("a text");
    auto const at = std::find_if(std::begin(dtypes), std::end(dtypes), [&v](const Dtype& d) { return v == d.name; });
    if (at != std::end(dtypes)) {
      entry_.dtype = at;
      return true;
    }
    refusal_ = refuse("safetensors-unknown-dtype")
                   .what(place_, "tensor '", shown(name_, 40), "': there is no type '", shown(v, 40), "'")
                   .why("how many bytes such a tensor takes is not known, so the file cannot be checked")
                   .help("the chip's types are I8, I16, I32, F4, F8_E4M3, F8_E5M2, F16, BF16 and F32");
    return false;
  }
  bool start_array(std::size_t) {
    if (in_ != In::entry || (key_ != "shape" && key_ != "data_offsets")) return wrong_form("a list");
    in_ = key_ == "shape" ? In::shape : In::offsets;
    offsets_ = 0;
    return true;
  }
  bool end_array() {
    if (in_ == In::offsets && offsets_ != 2) return wrong_form("a list of other than two numbers");
    in_ = In::entry;
    return true;
  }
  bool number_unsigned(std::uint64_t v) {
    if (in_ == In::shape) {
      // Saturated: a shape of such a size is refused when its elements are counted.
      entry_.shape.push_back(static_cast<std::int64_t>(std::min(v, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))));
      return true;
    }
    if (in_ != In::offsets || offsets_ == 2) return wrong_form("a number");
    (offsets_++ == 0 ? entry_.begin : entry_.end) = v;
    return true;
  }
  bool number_integer(std::int64_t) { return wrong_form("a negative number"); }
  bool number_float(double, const std::string&) { return wrong_form("a number that is not whole, or too large"); }
  bool null() { return wrong_form("null"); }
  bool boolean(bool) { return wrong_form("true or false"); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // not in a text

  bool parse_error(std::size_t characters_read, const std::string&, const nlohmann::detail::exception&) {
    refusal_ = not_json(text_, characters_read, place_);
    return false;
  }

  const Refusal& refusal() const { return refusal_; }
  WrittenHeader take() { return std::move(header_); }

 private:
  enum class In { nothing, header, metadata, entry, shape, offsets };

  bool wrong_form(std::string_view what) {
    refusal_ = refuse("safetensors-header-syntax").what(place_);
    if (in_ != In::nothing) refusal_.what("tensor '", shown(name_, 40), "': ");
    refusal_.what(what);
    if (!key_.empty()) refusal_.what(" at '", shown(key_, 40), "'");
    refusal_.what(" is not what belongs there").why(form).help(another_file);
    return false;
  }

  std::string_view text_, place_;
  In in_ = In::nothing;
  WrittenHeader header_;
  std::string name_, key_;
  WrittenEntry entry_;
  bool has_metadata_ = false, has_dtype_ = false, has_shape_ = false, has_offsets_ = false;
  int offsets_ = 0;
  Refusal refusal_;
};

Refusal duplicate(std::string_view place, std::string_view name) {
  return refuse("safetensors-duplicate-name")
      .what(place, "the name '", shown(name, 40), "' occurs twice in the header")
      .why("a reader could not tell which of the two is meant")
      .help("write the file again, with a name of its own for each tensor");
}

/// The first of the names that stands there twice; empty if there is none.
std::optional<std::string_view> repeated(std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  auto const at = std::adjacent_find(names.begin(), names.end());
  if (at == names.end()) return {};
  return *at;
}

}  // namespace

Expected<WrittenHeader> parse_header(std::span<const std::byte> bytes, std::string_view place) {
  std::string_view const text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with('{')) return not_json(text, 1, place);  // the library would accept blanks and a byte order mark
  HeaderReader reader(text, place);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) return reader.refusal();
  WrittenHeader header = reader.take();
  std::vector<std::string_view> names, keys;
  for (const WrittenEntry& e : header.entries) names.push_back(e.name);
  for (auto const& [key, value] : header.metadata) keys.push_back(key);
  if (auto const twice = repeated(std::move(names))) return duplicate(place, *twice);
  if (auto const twice = repeated(std::move(keys))) return duplicate(place, *twice);
  std::sort(header.metadata.begin(), header.metadata.end());
  return header;
}

namespace {

std::string place_of(std::string_view file_name, std::string_view tensor) {
  return shown_file(file_name) + "tensor '" + shown(tensor, 40) + "': ";
}

Refusal too_short(std::string_view place, std::string_view part, std::uint64_t needed, std::size_t there) {
  return refuse("safetensors-too-short")
      .what(place, part, " ends at byte ", needed, ", and the file has ", there, " bytes")
      .why("a file begins with the length of its header in 8 bytes, and then the header")
      .help("copy or write the file again; if it is not a safetensors file, give one");
}

Expected<std::span<const std::byte>> header_bytes(std::span<const std::byte> bytes, std::string_view place) {
  constexpr std::uint64_t largest = 100'000'000;
  if (bytes.size() < length_bytes) return too_short(place, "the length of the header", length_bytes, bytes.size());
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  if (length > largest)
    return refuse("safetensors-header-too-large")
        .what(place, "the header has ", length, " bytes, more than ", largest)
        .why("no model has so many tensors; the file is damaged, or not meant well, or no safetensors file")
        .help("copy or write the file again; if it is not a safetensors file, give one");
  if (length > bytes.size() - length_bytes) return too_short(place, "the header", length_bytes + length, bytes.size());
  return bytes.subspan(length_bytes, static_cast<std::size_t>(length));
}

/// That shape, type and offsets say the same. The number of elements.
Expected<std::int64_t> check_size(const WrittenEntry& e, std::string_view place) {
  auto const elements = count_elements(e.shape, place);
  if (!elements) return elements;
  std::int64_t const bits = *elements * e.dtype->bits;
  if (bits % 8 == 0 && e.end - e.begin == static_cast<std::uint64_t>(bits / 8)) return elements;
  Refusal r = refuse("safetensors-wrong-size");
  r.what(place, "the shape ", shown_shape(e.shape), " of ", e.dtype->name, " is ", bits, " bits, and its data_offsets are [", e.begin, ", ",
         e.end, "]");
  return r.why("a tensor has the bytes that its shape and type need, no more and no fewer").help("copy or write the file again");
}

/// That the tensors lie side by side and fill the file.
Verdict check_offsets(std::vector<WrittenEntry>& written, std::uint64_t there, std::string_view file_name) {
  std::sort(written.begin(), written.end(),
            [](const WrittenEntry& a, const WrittenEntry& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  std::uint64_t end = 0;
  auto const refused = [&](const std::string& place, std::string_view what, std::uint64_t at) {
    return refuse("safetensors-offsets")
        .what(place, what, " byte ", at, " of ", there, " after the header; those before it end at ", end)
        .why("tensors are stored side by side, from the first byte after the header to the last, without gaps or overlaps")
        .help("copy or write the file again");
  };
  for (const WrittenEntry& e : written) {
    if (e.begin != end)
      return refused(place_of(file_name, e.name), e.begin < end ? "it overlaps another: it begins at" : "there is a gap: it begins at",
                     e.begin);
    if (e.end < e.begin || e.end > there) return refused(place_of(file_name, e.name), "it ends at", e.end);
    end = e.end;
  }
  if (end != there) return refused(shown_file(file_name), "the file ends at", there);
  return accept();
}

std::string_view dtype_of(ScalarType type) {
  if (type == ScalarType::i4) return "I8";
  for (const Dtype& d : dtypes)
    if (d.type == type) return d.name;
  return "";
}

/// Text in JSON is UTF-8; nlohmann's dump would throw on anything else.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    auto const lead = static_cast<unsigned char>(text[i++]);
    int const more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : -1;
    if (more < 0) return false;
    std::uint32_t point = more == 0 ? lead : lead & (0x3fu >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
      point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
  }
  return true;
}

Refusal bad_name(std::string_view place, std::string_view why) {
  return refuse("safetensors-name").what(place, "it cannot have this name").why(why).help("give each tensor a name of its own, in UTF-8");
}

Verdict check_names(const std::string& path, std::span<const TensorToWrite> tensors, const Metadata& metadata) {
  std::vector<std::string_view> names;
  for (const TensorToWrite& t : tensors) names.push_back(t.name);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == metadata_key) return bad_name(place_of(path, names[i]), "the name __metadata__ is that of the author's remarks");
    if (!is_utf8(names[i])) return bad_name(place_of(path, names[i]), "names are stored as JSON, which is UTF-8");
    if (i > 0 && names[i] == names[i - 1]) return bad_name(place_of(path, names[i]), "another tensor has it already");
  }
  for (auto const& [key, value] : metadata)
    if (!is_utf8(key) || !is_utf8(value)) return bad_name(place_of(path, metadata_key), "remarks are stored as JSON, which is UTF-8");
  return accept();
}

/// What goes into the file for one tensor.
struct StoredPart {
  const TensorToWrite* tensor = nullptr;
  std::vector<std::byte> spread;  // i4: a byte each
  std::span<const std::byte> bytes;
};

std::string header_of(const std::vector<StoredPart>& parts, const Metadata& metadata) {
  auto header = nlohmann::ordered_json::object();
  for (auto const& [key, value] : metadata) header[std::string(metadata_key)][key] = value;
  std::size_t at = 0;
  for (const StoredPart& p : parts) {
    header[p.tensor->name] = {{"dtype", dtype_of(p.tensor->type)}, {"shape", p.tensor->shape}, {"data_offsets", {at, at + p.bytes.size()}}};
    at += p.bytes.size();
  }
  std::string const text = header.dump();
  std::string out;
  auto const padded = static_cast<std::size_t>(round_up(std::ssize(text), 8));  // so that the elements are aligned
  for (std::size_t i = 0; i < length_bytes; ++i) out += static_cast<char>(padded >> (8 * i) & 0xff);
  return out + text + std::string(padded - text.size(), ' ');
}

}  // namespace

const SafetensorsEntry* Safetensors::find(std::string_view name) const {
  auto const at =
      std::lower_bound(entries.begin(), entries.end(), name, [](const SafetensorsEntry& e, std::string_view n) { return e.name < n; });
  return at != entries.end() && at->name == name ? &*at : nullptr;
}

Expected<Array> Safetensors::read(std::string_view name, std::optional<ScalarType> wanted) const {
  std::string const place = place_of(file_name, name);
  if (wanted)
    if (auto v = check_in_memory(*wanted, place); !v) return v.refusal();
  const SafetensorsEntry* const e = find(name);
  if (e == nullptr) {
    Refusal r = refuse("safetensors-no-such-tensor");
    r.what(shown_file(file_name), "there is no tensor '", shown(name, 40), "'").why("names are exact, and upper and lower case differ");
    if (entries.empty()) return r.help("there is none at all in this file");
    r.help("the file has ", entries.size(), ": ");
    for (std::size_t i = 0; i < entries.size() && i < 4; ++i) r.help(i > 0 ? ", " : "", shown(entries[i].name, 24));
    return r.help(entries.size() > 4 ? ", ..." : "");
  }
  Array array{wanted.value_or(e->type.value_or(ScalarType::i8)), e->shape, e->size, e->bytes, false, file};
  if (wanted == ScalarType::i4 && e->type == ScalarType::i8) {
    array.byte_each = true;
    if (auto v = check_four_bits(array, false, place); !v) return v.refusal();
    return array;
  }
  if (wanted && wanted != e->type) return other_type(place, e->dtype, *wanted);
  if (e->type) return array;
  return refuse("safetensors-type")
      .what(place, "it has elements of type ", shown(e->dtype, 20), ", which the chip does not have")
      .why("a file is read as it is: what a conversion does to values is yours to decide")
      .help("convert it to one of I8, I16, I32, F4, F8_E4M3, F8_E5M2, F16, BF16 and F32");
}

Expected<Safetensors> parse_safetensors(std::span<const std::byte> bytes, std::string_view file_name) {
  std::string const place = shown_file(file_name);
  auto const header = header_bytes(bytes, place);
  if (!header) return header.refusal();
  auto parsed = parse_header(*header, place);
  if (!parsed) return parsed.refusal();
  WrittenHeader written = *std::move(parsed);
  Safetensors out;
  out.metadata = std::move(written.metadata);
  out.file_name = std::string(file_name);
  std::span<const std::byte> const elements = bytes.subspan(length_bytes + header->size());
  if (auto v = check_offsets(written.entries, elements.size(), file_name); !v) return v.refusal();
  out.entries.reserve(written.entries.size());
  for (WrittenEntry& e : written.entries) {
    auto const size = check_size(e, place_of(file_name, e.name));
    if (!size) return size.refusal();
    std::span<const std::byte> const own = elements.subspan(static_cast<std::size_t>(e.begin), static_cast<std::size_t>(e.end - e.begin));
    out.entries.push_back({std::move(e.name), e.dtype->name, e.dtype->type, std::move(e.shape), *size, own});
  }
  std::sort(out.entries.begin(), out.entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name < b.name; });
  return out;
}

Expected<Safetensors> open_safetensors(const std::string& path) {
  auto const file = MappedFile::open(path);
  if (!file) return file.refusal();
  auto parsed = parse_safetensors((*file)->bytes(), path);
  if (!parsed) return parsed;
  Safetensors out = *std::move(parsed);
  out.file = *file;
  return out;
}

Verdict write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors, const Metadata& metadata) {
  if (auto v = check_names(path, tensors, metadata); !v) return v;
  std::vector<StoredPart> parts;
  for (const TensorToWrite& t : tensors) {
    std::string const place = place_of(path, t.name);
    auto const elements = check_to_write(t.type, t.shape, t.bytes, place);
    if (!elements) return elements.refusal();
    // The format packs F4 as memory does, and has no half bytes either.
    if (auto v = verdict(packed_size(t.type == ScalarType::i4 ? ScalarType::i8 : t.type, Elements{*elements})); !v) return v;
    StoredPart part{&t, {}, t.bytes};
    if (t.type == ScalarType::i4) part.spread = byte_each(t.type, *elements, t.bytes);
    parts.push_back(std::move(part));
    if (t.type == ScalarType::i4) parts.back().bytes = parts.back().spread;
  }
  // Wide types first, so that each tensor is aligned to its elements; then by name: the same tensors make the same
  // file.
  std::sort(parts.begin(), parts.end(), [](const StoredPart& a, const StoredPart& b) {
    int const wide_a = scalar_info(a.tensor->type).packet_bits, wide_b = scalar_info(b.tensor->type).packet_bits;
    return wide_a != wide_b ? wide_a > wide_b : a.tensor->name < b.tensor->name;
  });
  std::string const header = header_of(parts, metadata);
  std::vector<std::span<const std::byte>> content{std::as_bytes(std::span(header))};
  for (const StoredPart& p : parts) content.push_back(p.bytes);
  if (auto const error = write_whole(path, content)) return not_written(path, error.message());
  return accept();
}

}  // namespace tcp::io
