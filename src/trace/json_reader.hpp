// JSON as it is read: the caller says what must come next, and gets it or a refusal that names the byte. No tree is
// built, and nothing is skipped, so the work and the depth are those of the records that are asked for.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tcp/support/expected.hpp"
#include "trace/fields.hpp"

namespace tcp::trace {

class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  bool refused() const { return refused_; }
  const Refusal& refusal() const { return refusal_; }

  /// Each of these returns false if it refused; the value is then unspecified.
  bool value(std::string& v);
  bool value(bool& v);
  bool value(std::int64_t& v);
  bool value(std::int32_t& v);
  template <class Unit>
  bool value(Count<Unit>& v) {
    return value(v.value);
  }
  template <class T>
  bool value(std::vector<T>& list);
  /// Written as a list of none or one.
  template <class T>
  bool value(std::optional<T>& v);
  template <class Record>
  bool value(Record& r) requires std::is_class_v<Record> {
    return begin_object() && members(r);
  }

  bool begin_object() { return mark('{', "an object"); }
  /// What follows in the object up to its end. `continued`: members have been read before.
  template <class Record>
  bool members(Record& r, bool continued = false);
  /// The next key of the object with its colon, or none at its end.
  bool key(std::string& name, bool& there, bool first);
  /// Nothing but blanks may be left.
  bool end();

  std::string place() const;

 private:
  /// Takes the values of keys in the order of the fields; several rounds if they are in another.
  struct Round {
    JsonReader& json;
    std::string& name;
    bool& there;
    std::uint64_t& seen;
    int field = 0;
    bool progress = false, ok = true;

    template <class T>
    void operator()(Key key, T& member, const std::type_identity_t<T>& = {}) {
      std::uint64_t const bit = std::uint64_t{1} << field++;
      if (!ok || !there || name != key.name) return;
      if ((seen & bit) != 0) {
        ok = json.key_twice(name);
        return;
      }
      seen |= bit;
      progress = true;
      ok = json.value(member) && json.key(name, there, false);
    }
  };
  struct Missing {
    std::uint64_t seen;
    int field = 0;
    const char* name = nullptr;

    template <class T>
    void operator()(Key key, T&, const std::type_identity_t<T>& = {}) {
      bool const has = (seen >> field++ & 1) != 0;
      if (key.must && !has && name == nullptr) name = key.name;
    }
  };

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool mark(char c, const char* wanted) { return take(c) || wrong_type(wanted); }
  bool escaped(std::string& v);
  bool hex4(std::uint32_t& code);

  bool stop(const Refusal& r);
  bool syntax(std::string_view wanted);
  bool wrong_type(std::string_view wanted);
  bool key_unknown(const std::string& name);
  bool key_twice(const std::string& name);
  bool key_missing(const char* name);

  std::string_view text_, file_;
  std::size_t at_ = 0;
  bool refused_ = false;
  Refusal refusal_;
};

template <class T>
bool JsonReader::value(std::vector<T>& list) {
  if (!mark('[', "a list")) return false;
  list.clear();
  if (take(']')) return true;
  do {
    list.emplace_back();
    if (!value(list.back())) return false;
  } while (take(','));
  return take(']') || syntax("a comma or the end of the list");
}

template <class T>
bool JsonReader::value(std::optional<T>& v) {
  v.reset();
  if (!mark('[', "a list")) return false;
  if (take(']')) return true;
  return value(v.emplace()) && (take(']') || syntax("the end of the list, which has one item at most"));
}

template <class Record>
bool JsonReader::members(Record& r, bool continued) {
  std::string name;
  bool there = false;
  std::uint64_t seen = 0;
  if (!key(name, there, !continued)) return false;
  while (there) {
    Round round{*this, name, there, seen};
    each_field(r, round);
    if (!round.ok) return false;
    if (there && !round.progress) return key_unknown(name);
  }
  Missing missing{seen};
  each_field(r, missing);
  return missing.name == nullptr || key_missing(missing.name);
}

/// Words for a message: a name of the file, printable and short.
std::string shown(std::string_view name);

}  // namespace tcp::trace
