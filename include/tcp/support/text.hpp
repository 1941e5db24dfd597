// Text that can be built in a constant expression: fixed room, no allocation, no exceptions.
//
// Every sentence we show a user is built with it, so that the compiler can print the very sentence that a running
// program prints. It is a structural type: a Text may be a template argument, which is how the compiler is made to
// print it (refuse.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace tcp {

struct Text {
  static constexpr int room = 400;

  char s[room + 1]{};  // public, because a template argument must be structural; always ends in NUL
  int n = 0;

  constexpr Text() = default;
  constexpr Text(std::string_view v) { *this << v; }
  constexpr Text(const char* v) { *this << std::string_view(v); }

  constexpr std::string_view view() const { return {s, static_cast<std::size_t>(n)}; }
  constexpr operator std::string_view() const { return view(); }
  constexpr const char* data() const { return s; }  // with size(): what static_assert of C++26 asks for
  constexpr std::size_t size() const { return static_cast<std::size_t>(n); }
  constexpr bool empty() const { return n == 0; }

  /// What does not fit is cut, and the cut is visible: the last three characters become dots.
  constexpr Text& operator<<(std::string_view v) {
    for (char c : v) {
      if (n == room) {
        s[room - 1] = s[room - 2] = s[room - 3] = '.';
        break;
      }
      s[n++] = c;
    }
    return *this;
  }
  constexpr Text& operator<<(const char* v) { return *this << std::string_view(v); }
  constexpr Text& operator<<(char c) { return *this << std::string_view(&c, 1); }
  constexpr Text& operator<<(const Text& v) { return *this << v.view(); }
  template <std::integral Int>
  constexpr Text& operator<<(Int v) {
    char digits[24]{};
    int k = 0;
    bool const negative = v < 0;
    auto rest = static_cast<std::uint64_t>(v);
    if (negative) rest = ~rest + 1;  // also right for the smallest value
    do digits[k++] = static_cast<char>('0' + rest % 10);
    while (rest /= 10);
    if (negative) digits[k++] = '-';
    while (k > 0) *this << digits[--k];
    return *this;
  }

  constexpr bool operator==(const Text& o) const { return view() == o.view(); }
};

namespace detail {
/// Adds a part: what `<<` means for a type is asked once, not in each sentence.
template <class Part>
constexpr void put(Text& t, const Part& part) {
  t << part;
}
}  // namespace detail

/// Joins its parts; a part is anything that `Text <<` accepts. Here and in refusals they are taken by value: literals
/// become pointers, and sentences with parts of the same types are one function. There are over a thousand sentences in
/// the headers that a kernel includes, and this is a tenth of its compilation.
template <class... Parts>
constexpr Text text(Parts... parts) {  // NOLINT(performance-unnecessary-value-param): as said above
  Text t;
  (detail::put<Parts>(t, parts), ...);
  return t;
}

}  // namespace tcp
