// Mappings as kernels write them: axes are constexpr variables, expressions are constexpr values, m<…> is a type.
//
//   TCP_AXES(A = 2048, B = 512);
//   using Slice = m<(A / 8).pad(256)>;                        // m![A / 8 # 256]
//   using Tile  = m<A, (B / 32).resize(2).pad(16), B % 32>;   // m![A, B / 32 = 2 # 16, B % 32]
//   using Both  = m<Slice{}, B>;                              // m![{ Slice }, B]
//   using Idle  = m<one.pad(2)>;                              // m![1 # 2]
//   using Conv  = m<slide(W.by(2), Fw)>;                      // m![$(W:2, Fw)]
//
// The identity of the type is the mapping's canonical text, so that mappings that mean the same are one type, and every
// message, hover and dump shows the book's notation. A mapping that cannot be does not compile, and the error is our
// sentence.
#pragma once

#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/support/refuse.hpp"

namespace tcp {

/// An expression as it was written, with the axes it names: what C++ operators build up and m<…> reads.
///
/// It is text on purpose. A template argument is printed in every message about it, and this one reads
/// `Expr{"A / 7", "A = 2048"}`.
struct Expr {
  static constexpr int room = 256;

  char written[room]{};
  char axes[room]{};

  constexpr Expr() = default;
  constexpr Expr(std::string_view expression, std::string_view declared) {
    append(written, expression);
    append(axes, declared);
  }

  constexpr Expr pad(std::int64_t n) const { return then(" # ", n); }
  constexpr Expr pad_zero(std::int64_t n) const { return then(" #z ", n); }
  constexpr Expr pad_bottom(std::int64_t n) const { return then(" #! ", n); }
  constexpr Expr pad_left(std::int64_t n) const { return then(" #< ", n); }
  constexpr Expr resize(std::int64_t n) const { return then(" = ", n); }
  constexpr Expr from(std::int64_t k) const { return then(" @ ", k); }
  constexpr Expr by(std::int64_t step) const { return then(":", step); }  // only inside slide()
  friend constexpr Expr operator/(const Expr& e, std::int64_t n) { return e.then(" / ", n); }
  friend constexpr Expr operator%(const Expr& e, std::int64_t n) { return e.then(" % ", n); }

  /// The element at position i, for an expression of few digits: (B / 64).at(2) is i![B / 64: 2].
  constexpr Index at(std::int64_t i) const { return cell(*this, i).index; }

  constexpr Expected<Mapping> mapping(Where at = {}) const;
  /// The meaning, with its fault if it has none.
  constexpr operator Mapping() const;

  constexpr Expr& operator<<(std::string_view text) {
    append(written, text);
    return *this;
  }
  /// Adds another expression's text, and those of its axes that are not declared yet.
  constexpr Expr& operator<<(const Expr& e) {
    append(written, std::string_view(e.written));
    std::string_view rest(e.axes);
    while (!rest.empty()) {
      std::size_t end = rest.find(", ");
      std::string_view const one = rest.substr(0, end);
      rest = end == rest.npos ? std::string_view() : rest.substr(end + 2);
      if (declares(one)) continue;
      if (axes[0] != '\0') append(axes, ", ");
      append(axes, one);
    }
    return *this;
  }

 private:
  static constexpr void append(char (&to)[room], std::string_view text) {
    std::size_t n = 0;
    while (to[n] != '\0') ++n;
    for (char c : text)
      if (n + 1 < room) to[n++] = c;
  }
  constexpr Expr then(std::string_view sign, std::int64_t n) const {
    Expr e = *this;
    append(e.written, sign);
    append(e.written, text(n).view());
    return e;
  }
  constexpr bool declares(std::string_view one) const {
    std::string_view const all(axes);
    for (std::size_t at = all.find(one); at != all.npos; at = all.find(one, at + 1)) {
      bool const begins = at == 0 || all[at - 1] == ' ';
      bool const ends = at + one.size() == all.size() || all[at + one.size()] == ',';
      if (begins && ends) return true;
    }
    return false;
  }
};

namespace detail {

/// The text of an axis's declaration, "A = 2048"; only the name is read from it.
template <std::size_t N>
struct Declaration {
  char s[N]{};

  constexpr Declaration(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) s[i] = text[i];
  }
  constexpr std::string_view name() const {
    std::size_t n = 0;
    while (n + 1 < N && s[n] != ' ' && s[n] != '=' && s[n] != '\t' && s[n] != '{' && s[n] != '(') ++n;
    return {s, n};
  }
};

/// The operators, for what converts to an expression.
template <class Self>
struct Notation {
  constexpr Expr pad(std::int64_t n) const { return expr().pad(n); }
  constexpr Expr pad_zero(std::int64_t n) const { return expr().pad_zero(n); }
  constexpr Expr pad_bottom(std::int64_t n) const { return expr().pad_bottom(n); }
  constexpr Expr pad_left(std::int64_t n) const { return expr().pad_left(n); }
  constexpr Expr resize(std::int64_t n) const { return expr().resize(n); }
  constexpr Expr from(std::int64_t k) const { return expr().from(k); }
  constexpr Expr by(std::int64_t step) const { return expr().by(step); }
  constexpr Index at(std::int64_t i) const { return expr().at(i); }
  constexpr operator Mapping() const { return expr(); }

  friend constexpr Expr operator/(const Self& e, std::int64_t n) { return Expr(e) / n; }
  friend constexpr Expr operator%(const Self& e, std::int64_t n) { return Expr(e) % n; }

 private:
  constexpr Expr expr() const { return static_cast<const Self&>(*this); }
};

}  // namespace detail

/// An axis: a name with a size. Declared by TCP_AXES.
template <detail::Declaration D>
struct Axis : detail::Notation<Axis<D>> {
  std::int64_t size;

  constexpr Axis(std::int64_t n) : size(n) {}
  constexpr operator Expr() const { return Expr(D.name(), text(D.name(), " = ", size)); }
};

/// m![1]: one position, no axis.
inline constexpr Expr one{"1", ""};

namespace detail {

constexpr Expr as_expr(std::int64_t n) { return Expr(text(n), ""); }
constexpr Expr as_expr(int n) { return Expr(text(n), ""); }
constexpr Expr as_expr(const Expr& e) { return e; }

template <class... E>
constexpr Expr listed(const E&... e) {
  Expr all;
  ((all << (all.written[0] == '\0' ? "" : ", ") << as_expr(e)), ...);
  return all;
}

/// Room that ran out is the one fault that an expression can have and a text cannot.
constexpr bool is_cut(const Expr& e) { return e.written[Expr::room - 2] != '\0' || e.axes[Expr::room - 2] != '\0'; }

}  // namespace detail

/// [E, F, …], to be operated on as a whole.
template <class... E>
constexpr Expr group(const E&... e) {
  Expr all;
  return all << "[" << detail::listed(e...) << "]";
}

/// $(E:n, F): positions n·e + f. Each argument is an expression, or an expression `.by(n)`.
template <class... E>
constexpr Expr slide(const E&... e) {
  Expr all;
  return all << "$(" << detail::listed(e...) << ")";
}

/// i![A: 2, B: 3], written index(A.at(2), B.at(3)).
constexpr Index index() { return {}; }
template <class... Rest>
constexpr Index index(Index first, const Rest&... rest) {
  Index const others = index(rest...);
  for (int i = 0; i < others.n; ++i) first.add(others.axis[i], others.at[i]);
  return first;
}

constexpr Expected<Mapping> Expr::mapping(Where at) const {
  if (detail::is_cut(*this))
    return refuse("mapping-expression-too-long", at)
        .what("the expression ", std::string_view(written).substr(0, 60), "... is longer than ", room - 2, " characters")
        .why("an expression is a template argument, kept in a fixed room")
        .help("name its parts as types and splice them: m<Outer{}, Inner{}>");
  auto const declared = detail::declared_axes(axes, at);
  if (!declared) return declared.refusal();
  return parse(written, *declared, at);
}
constexpr Expr::operator Mapping() const {
  auto const declared = detail::declared_axes(axes, {});
  Axes const none;
  return detail::Parser(written, declared ? *declared : none, nullptr, 0, {}).whole_or_fault();
}

/// A mapping as a type. Text and Axes, both canonical, are its identity; Size follows from them, and is there for the
/// eye: editors show the type.
template <auto Text, auto Axes, std::int64_t Size>
struct Map : detail::Notation<Map<Text, Axes, Size>> {
  static constexpr const char* text = Text.s;
  static constexpr const char* axes = Axes.s;
  static constexpr Mapping mapping = Expr(Text.s, Axes.s);
  static constexpr std::int64_t size = Size;

  constexpr operator Expr() const {
    Expr e;
    return e << "[" << Expr(Text.s, Axes.s) << "]";
  }
};

template <class T>
inline constexpr bool is_map = false;
template <auto Text, auto Axes, std::int64_t Size>
inline constexpr bool is_map<Map<Text, Axes, Size>> = true;

/// Any m<…>.
template <class T>
concept MapType = is_map<T>;

namespace detail {

/// The type of a mapping that was computed: Source::meaning.
template <class Source>
struct MapOf {
  static constexpr const Mapping& meaning = Source::meaning;
  static constexpr std::size_t text_room = length_of(meaning) + 1;
  static constexpr std::size_t axes_room = axes_length_of(meaning) + 1;
  static constexpr Piece<text_room> written() {
    Piece<text_room> p;
    Into into{p.s};
    print(into, meaning);
    p.s[text_room - 1] = '\0';
    return p;
  }
  static constexpr Piece<axes_room> axes() {
    Piece<axes_room> p;
    Into into{p.s};
    print_axes(into, meaning);
    p.s[axes_room - 1] = '\0';
    return p;
  }
  using type = Map<written(), axes(), meaning.size>;
};

template <Expr E>
struct MakeMap {
  static constexpr auto checked() {
    TCP_REFUSE(verdict(E.mapping()));
    return true;
  }
  using Checked = decltype(checked());  // deducing the type is what makes the compiler look inside, once

  static constexpr Mapping meaning = E;
  using type = typename MapOf<MakeMap>::type;
};

}  // namespace detail

template <auto... E>
using m = typename detail::MakeMap<detail::listed(E...)>::type;

}  // namespace tcp

// TCP_AXES(A = 2048, B = 512);            at namespace or block scope; up to 16 at once
// TCP_AXES_IN_CLASS(A = N, B = 2 * N);    in a class, for kernels generic in their sizes
#define TCP_DETAIL_AXIS(PREFIX, D) PREFIX constexpr ::tcp::Axis<#D> D
#define TCP_DETAIL_AXES1(P, a) TCP_DETAIL_AXIS(P, a)
#define TCP_DETAIL_AXES2(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);            \
  TCP_DETAIL_AXES1(P, __VA_ARGS__)
#define TCP_DETAIL_AXES3(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);            \
  TCP_DETAIL_AXES2(P, __VA_ARGS__)
#define TCP_DETAIL_AXES4(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);            \
  TCP_DETAIL_AXES3(P, __VA_ARGS__)
#define TCP_DETAIL_AXES5(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);            \
  TCP_DETAIL_AXES4(P, __VA_ARGS__)
#define TCP_DETAIL_AXES6(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);            \
  TCP_DETAIL_AXES5(P, __VA_ARGS__)
#define TCP_DETAIL_AXES7(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);            \
  TCP_DETAIL_AXES6(P, __VA_ARGS__)
#define TCP_DETAIL_AXES8(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);            \
  TCP_DETAIL_AXES7(P, __VA_ARGS__)
#define TCP_DETAIL_AXES9(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);            \
  TCP_DETAIL_AXES8(P, __VA_ARGS__)
#define TCP_DETAIL_AXES10(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);             \
  TCP_DETAIL_AXES9(P, __VA_ARGS__)
#define TCP_DETAIL_AXES11(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);             \
  TCP_DETAIL_AXES10(P, __VA_ARGS__)
#define TCP_DETAIL_AXES12(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);             \
  TCP_DETAIL_AXES11(P, __VA_ARGS__)
#define TCP_DETAIL_AXES13(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);             \
  TCP_DETAIL_AXES12(P, __VA_ARGS__)
#define TCP_DETAIL_AXES14(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);             \
  TCP_DETAIL_AXES13(P, __VA_ARGS__)
#define TCP_DETAIL_AXES15(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);             \
  TCP_DETAIL_AXES14(P, __VA_ARGS__)
#define TCP_DETAIL_AXES16(P, a, ...) \
  TCP_DETAIL_AXIS(P, a);             \
  TCP_DETAIL_AXES15(P, __VA_ARGS__)
#define TCP_DETAIL_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, N, ...) N
#define TCP_DETAIL_AXES(P, ...)                                                                                                 \
  TCP_DETAIL_PICK(__VA_ARGS__, TCP_DETAIL_AXES16, TCP_DETAIL_AXES15, TCP_DETAIL_AXES14, TCP_DETAIL_AXES13, TCP_DETAIL_AXES12,   \
                  TCP_DETAIL_AXES11, TCP_DETAIL_AXES10, TCP_DETAIL_AXES9, TCP_DETAIL_AXES8, TCP_DETAIL_AXES7, TCP_DETAIL_AXES6, \
                  TCP_DETAIL_AXES5, TCP_DETAIL_AXES4, TCP_DETAIL_AXES3, TCP_DETAIL_AXES2, TCP_DETAIL_AXES1, 0)(P, __VA_ARGS__)
#define TCP_AXES(...) TCP_DETAIL_AXES(, __VA_ARGS__)
#define TCP_AXES_IN_CLASS(...) TCP_DETAIL_AXES(static, __VA_ARGS__)
