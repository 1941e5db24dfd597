// The header is taken as the JSON library reports it, without a tree between: it may have a hundred million bytes.
#include "io/safetensors_header.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/elements.hpp"

namespace tcp::io {
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

}  // namespace tcp::io
