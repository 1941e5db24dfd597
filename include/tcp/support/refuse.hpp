// Turns a refusal into a compile error that shows its sentence whole, in the book's notation.
//
//   TCP_REFUSE(check_collect(device, type, packet));      // a constant expression of type Verdict; accepted: nothing happens
//   TCP_REFUSE(check_step(…), check_branch(…));           // the first of them that refuses; a sentence (Text) that is not empty is a refusal, too
//
// It is in a function template, or in a member of a class template: elsewhere g++ looks into the branch that is not
// taken.
//
// Three forms, because compilers differ in which texts they print (measured on g++ 12.2 and clang 19.1):
//   - C++26 static_assert takes a computed text: clang 19 with -std=c++26, as clangd is set up, shows the plain
//     sentence;
//   - g++ prints a char array that is a template argument as a string, whatever its length: one incomplete type with
//     the whole text;
//   - clang prints such a string only if the array is exactly sized, and cuts it after 36 characters: so it is split at
//     blanks into pieces.
#pragma once
// g++ then does not print how the macro below was written, only where it was used.
#pragma GCC system_header

#include <utility>

#include "tcp/support/expected.hpp"

namespace tcp {

/// Never defined: its arguments are the message.
template <auto... Sentence>
struct REFUSED;

namespace detail {

template <std::size_t N>
struct Piece {
  char s[N]{};
};

inline constexpr std::size_t piece_width = 36;

struct Cut {
  std::size_t begin, end;
};

/// The `want`-th piece; past the last one, `begin` is the number of pieces. Breaks at a blank, outside `[ ]` if there
/// is one.
constexpr Cut cut(const Text& t, std::size_t want) {
  std::size_t const n = t.size();
  std::size_t i = 0, k = 0;
  while (i < n) {
    std::size_t e = i + piece_width < n ? i + piece_width : n;
    if (e < n) {
      std::size_t inside = i, outside = i;
      int depth = 0;
      for (std::size_t j = i; j <= e; ++j) {
        if (t.s[j] == '[') ++depth;
        if (t.s[j] == ']') --depth;
        if (t.s[j] == ' ') {
          inside = j;
          if (depth == 0) outside = j;
        }
      }
      if (inside > i) e = outside > i ? outside : inside;
    }
    if (k == want) return {i, e};
    i = e;
    while (i < n && t.s[i] == ' ') ++i;
    ++k;
  }
  return {k, 0};
}
constexpr std::size_t count_pieces(const Text& t) { return cut(t, ~std::size_t{}).begin; }

template <std::size_t N>
constexpr Piece<N> piece_of(const Text& t, std::size_t begin) {
  Piece<N> p;
  for (std::size_t i = 0; i + 1 < N; ++i) p.s[i] = t.s[begin + i];
  p.s[N - 1] = '\0';  // clang's printer needs it assigned, not merely implied
  return p;
}

template <Text T, class Pieces = std::make_index_sequence<count_pieces(T)>>
struct Say;
template <Text T, std::size_t... I>
struct Say<T, std::index_sequence<I...>> {
  using type = REFUSED<piece_of<cut(T, I).end - cut(T, I).begin + 1>(T, cut(T, I).begin)...>;
};

template <class Reason>
inline constexpr bool accepted = false;

constexpr Text sentence_of(const Verdict& v) { return v ? Text{} : v.refusal().sentence(); }
constexpr Text sentence_of(const Text& sentence) { return sentence; }
/// The first of several verdicts that refuses: one mistake, one sentence.
template <class First, class... Rest>
constexpr Text sentence_of(const First& first, const Rest&... rest) requires(sizeof...(Rest) > 0) {
  Text const sentence = sentence_of(first);
  return sentence.n != 0 ? sentence : sentence_of(rest...);
}

}  // namespace detail
}  // namespace tcp

#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
#define TCP_REFUSE(...)                                                           \
  do {                                                                            \
    constexpr ::tcp::Text tcp_sentence = ::tcp::detail::sentence_of(__VA_ARGS__); \
    static_assert(tcp_sentence.n == 0, tcp_sentence);                             \
  } while (false)
#elif defined(__clang__)
#define TCP_REFUSE(...)                                                                                                         \
  do {                                                                                                                          \
    constexpr ::tcp::Text tcp_sentence = ::tcp::detail::sentence_of(__VA_ARGS__);                                               \
    if constexpr (tcp_sentence.n != 0) static_assert(::tcp::detail::accepted<typename ::tcp::detail::Say<tcp_sentence>::type>); \
  } while (false)
#else
#define TCP_REFUSE(...)                                                           \
  do {                                                                            \
    constexpr ::tcp::Text tcp_sentence = ::tcp::detail::sentence_of(__VA_ARGS__); \
    if constexpr (tcp_sentence.n != 0) ::tcp::REFUSED<tcp_sentence> see_sentence; \
  } while (false)
#endif
