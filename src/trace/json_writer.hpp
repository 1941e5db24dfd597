// JSON as it is written: texts are made valid UTF-8, large lists have one entry per line, and the text goes out in
// pieces.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "trace/fields.hpp"

namespace tcp::trace {

class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;
  ~JsonWriter() { flush(); }

  /// As it is: punctuation and numbers.
  void raw(std::string_view text) {
    text_ += text;
    if (text_.size() > piece) flush();
  }
  void text(std::string_view t);

  void value(const std::string& v) { text(v); }
  void value(bool v) { raw(v ? "true" : "false"); }
  template <std::integral Int>
  void value(Int v) requires(!std::same_as<Int, bool>) {
    raw(std::to_string(v));
  }
  template <class Unit>
  void value(Count<Unit> v) {
    raw(std::to_string(v.value));
  }
  template <class T>
  void value(const std::vector<T>& list) {
    raw("[");
    bool const records = std::is_class_v<T> && depth_ == 1 && !std::same_as<T, std::string>;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) raw(",");
      if (records) raw("\n");
      value(list[i]);
    }
    raw(records && !list.empty() ? "\n]" : "]");
  }
  /// As a list of none or one.
  template <class T>
  void value(const std::optional<T>& v) {
    bool const record = depth_ == 1;
    raw("[");
    if (v && record) raw("\n");
    if (v) value(*v);
    raw(v && record ? "\n]" : "]");
  }
  template <class Record>
  void value(const Record& r) requires std::is_class_v<Record> {
    raw("{");
    ++depth_;
    FieldWriter fields{*this};
    each_field(r, fields);
    --depth_;
    raw("}");
  }

  /// The outermost object: format and version first, one key per line.
  template <class Record>
  void file(const char* format_name, const Record& r) {
    raw("{\"format\":\"");
    raw(format_name);
    raw("\",\"version\":" + std::to_string(version));
    ++depth_;
    FieldWriter fields{*this, false};
    each_field(r, fields);
    --depth_;
    raw("\n}\n");
  }

 private:
  struct FieldWriter {
    JsonWriter& json;
    bool first = true;

    template <class T>
    void operator()(Key key, const T& member, const std::type_identity_t<T>& fallback = {}) {
      if (!key.must && member == fallback) return;
      if (!first) json.raw(",");
      first = false;
      json.raw(json.depth_ == 1 ? "\n\"" : "\"");
      json.raw(key.name);
      json.raw("\":");
      json.value(member);
    }
  };
  static constexpr std::size_t piece = 1 << 16;

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace tcp::trace
