// The hash of a program: FNV-1a over all fields but the debug section, so that a comment in the kernel leaves it as it
// is.
#include <concepts>
#include <string_view>
#include <type_traits>
#include <variant>

#include "tcp/program/fields.hpp"
#include "tcp/timeline/timeline.hpp"

namespace tcp::timeline {

namespace {

class Hash {
 public:
  template <class T>
  void value(const T& v) {
    if constexpr (std::same_as<T, program::Debug>) return;
    else if constexpr (program::Record<T>)
      program::each_field(v, [this](const char* name, const auto& member) {
        if (std::string_view(name) != "debug") this->value(member);
      });
    else if constexpr (std::same_as<T, program::SliceSet>) list(v.word);
    else if constexpr (std::is_enum_v<T> || std::integral<T>) number(static_cast<std::uint64_t>(v));
    else list(v);
  }

  std::string text() const {
    std::string out;
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[state_ >> shift & 15];
    return out;
  }

 private:
  template <class... T>
  void list(const std::variant<T...>& v) {
    number(v.index());
    std::visit([this](const auto& each) { this->value(each); }, v);
  }
  template <class T>
  void list(const std::optional<T>& v) {
    number(v ? 1 : 0);
    if (v) value(*v);
  }
  template <class List>
  void list(const List& v) {
    number(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) value(static_cast<typename List::value_type>(v[i]));
  }
  void number(std::uint64_t v) {
    for (int i = 0; i < 8; ++i) state_ = (state_ ^ (v >> (8 * i) & 0xff)) * 0x100000001b3u;
  }

  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace

std::string hash_of(const program::Program& program) {
  Hash h;
  h.value(program);
  return h.text();
}

}  // namespace tcp::timeline
