// Mappings: the expressions from which layouts are made; and drawings of layouts, `tcp layout`.
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/mapping/draw.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/mapping/view.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # axes-declared-twice
// An axis is declared once, with one size. Two declarations of one name would leave open which of the two sizes holds.
namespace axes_declared_twice {
constexpr const char* before = R"(
tcp layout --axes "A = 8, B = 512, A = 16" "A, B"
)";
constexpr const char* after = R"(
tcp layout --axes "A = 8, B = 512, C = 16" "A, B"
)";
// error[axes-declared-twice]: axis A is declared twice, with size 8 and with size 16; help: give each axis one size
REFUSED_AT_RUN_TIME { return commanded(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return commanded(after); }
REFUSED(parse_axes("A = 8, B = 512, A = 16"));
}  // namespace axes_declared_twice

// # axes-too-many
// At most 64 axes can be declared beside a text form; a mapping uses at most 16 of them.
// no kernel: the page makes the axes by a loop
namespace axes_too_many {
struct Declarations {
  char s[65 * 9]{};
  constexpr Declarations() {
    std::size_t n = 0;
    for (int i = 0; i < 65; ++i)
      for (char c : {i > 0 ? ',' : ' ', 'A', static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10), ' ', '=', ' ', '2', ' '})
        s[n++] = c;
  }
};
constexpr Declarations declarations;
constexpr std::string_view many() { return {declarations.s, sizeof declarations.s}; }
// error[axes-too-many]: more than 64 axes are declared; help: declare only the axes that are used
REFUSED(parse_axes(many()));
}  // namespace axes_too_many

// # levels-axis-twice
// A tensor is spread over the levels of the machine, and the coordinates of a place are summed over them. Each step of an axis belongs to
// one level: here slices count blocks of 8 along A, and the elements of a slice count 16 steps of A, so that two slices would hold the same
// elements under different names.
//
// Let the levels follow on each other: `A / 8` in Slice and `A % 8` in Element.
namespace levels_axis_twice {
TCP_AXES(A = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // error[levels-axis-twice]: axis A is counted by Slice = m![A / 8] and by Element = m![A % 16] at once; help: split the axis: A / n on one level, A % n on the other
  return in.to_dm<Cluster, m<A / 8>, m<A % 16>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) { return in.to_dm<Cluster, m<A / 8>, m<A % 8>>(ctx.tdma, 0); }
#endif
REFUSED(check_levels(Levels{}.set(Level::slice, m<A / 8>::mapping).set(Level::element, m<A % 16>::mapping)));
}  // namespace levels_axis_twice

// # levels-axis-two-sizes
// Axes are told apart by their names alone. On two levels of one tensor, one name stands for axes of two sizes.
//
// Rename one of them, or declare it once and use that declaration on both levels.
namespace levels_axis_two_sizes {
TCP_AXES(L = 2048);
namespace mine {
TCP_AXES(K = 64);
}
namespace yours {
TCP_AXES(K = 128);
}
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i32, Chip, m<mine::K>>& in) {
  // error[levels-axis-two-sizes]: axis K has size 64 in Slice and size 128 in Element; help: rename one of them
  return in.to_dm<Cluster, m<(mine::K / 8).pad(256)>, m<yours::K % 8>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i32, Chip, m<mine::K>>& in) {
  return in.to_dm<Cluster, m<(mine::K / 8).pad(256)>, m<mine::K % 8>>(ctx.tdma, 0);
}
#endif
REFUSED(check_levels(Levels{}.set(Level::slice, m<mine::K / 8>::mapping).set(Level::element, m<yours::K % 8>::mapping)));
}  // namespace levels_axis_two_sizes

// # levels-too-deep
// The levels of a tensor have at most 64 factors together (16 in each), after neighbours that count as one have been joined.
// no kernel: the page makes the factors by a loop
namespace levels_too_deep {
/// Sixteen rows of two copies with a gap after them.
constexpr Mapping sixteen() {
  Mapping all;
  for (int i = 0; i < 16; ++i) all = pair(all, copies(2).pad(3));
  return all;
}
constexpr Levels five_times_sixteen() {
  Levels levels;
  for (Level l : {Level::chip, Level::cluster, Level::slice, Level::row, Level::element}) levels.set(l, sixteen());
  return levels;
}
// error[levels-too-deep]: the levels have 80 factors together; at most 64 are kept; help: join factors of one axis
REFUSED(check_levels(five_times_sixteen()));
}  // namespace levels_too_deep

// # mapping-axis-name
// Axes are named as in the book: an uppercase letter, then letters, digits and underscores, at most 16 characters in all. The text form
// tells axes from numbers and words by the first letter, and a name is kept in two machine words, so that mappings are compared quickly.
namespace mapping_axis_name {
TCP_AXES(tokens = 128, T = 128);
#if TCP_AT_COMPILE_TIME
// error[mapping-axis-name]: 'tokens' is no name for an axis; help: use a short name that begins with an uppercase letter
using before = m<tokens>;
using after = m<T>;
#endif
REFUSED_AT_RUN_TIME { return Expr(tokens).mapping().refusal(); }
}  // namespace mapping_axis_name

// # mapping-axis-size
// An axis has at least one position. A tensor with an axis of size 0 has no elements, and nothing about it can be laid out or moved.
//
// Often the size was computed, as `K / 64` for a K below 64. An axis that is not used is left out of the mapping rather than given size 0.
namespace mapping_axis_size {
TCP_AXES(A = 0, B = 1);
#if TCP_AT_COMPILE_TIME
// error[mapping-axis-size]: axis A is declared with size 0; help: an axis has at least one position: A = 1
using before = m<A>;
using after = m<B>;
#endif
REFUSED_AT_RUN_TIME { return Expr(A).mapping().refusal(); }
}  // namespace mapping_axis_size

// # mapping-axis-twice
// Each step of an axis may be counted by one factor only. In `A, A / 2` both factors move along the same steps: position (3, 1) would be
// element 3 + 2 of A, and so would (5, 0). Then a position no longer says which element it holds, and an element not where it is.
//
// The factors of one axis must follow on each other: `A / 2` counts blocks of two, `A % 2` inside of them, and the two together, in any
// order and with other axes between them, count A once. If you wanted the data twice, a bare number makes copies: `2, A`.
namespace mapping_axis_twice {
TCP_AXES(A = 8);
#if TCP_AT_COMPILE_TIME
// error[mapping-axis-twice]: axis A is counted twice: steps of 1 and steps of 2 overlap; help: split the axis: A / n in one place and A % n in the other
using before = m<A, A / 2>;
using after = m<A % 2, A / 2>;
#endif
REFUSED_AT_RUN_TIME { return group(A, A / 2).mapping().refusal(); }
}  // namespace mapping_axis_twice

// # mapping-axis-two-sizes
// Axes are told apart by their names alone, so two axes of one name must have one size. Here the names come from two places, each with its
// own idea of how large K is.
//
// Rename one of them, or declare it once and use that declaration in both places.
namespace mapping_axis_two_sizes {
namespace mine {
TCP_AXES(K = 64);
}
namespace yours {
TCP_AXES(K = 128);
}
#if TCP_AT_COMPILE_TIME
// error[mapping-axis-two-sizes]: two axes are named K: one of size 64, one of size 128; help: rename one of them
using before = m<mine::K, yours::K>;
using after = m<mine::K>;
#endif
REFUSED_AT_RUN_TIME { return group(mine::K, yours::K).mapping().refusal(); }
}  // namespace mapping_axis_two_sizes

// # mapping-cut-inside-digit
// A mapping is kept as factors, like the digits of a number, and `/`, `%` and `=` cut between two factors or between two steps of one. For
// axes X of 2 and Y of 3, `[X, Y] / 2` would cut Y after two of its three steps: every second block would hold the end of one row of Y and
// the begin of the next, which no factor counts.
//
// Going from the inside out, the number must be a multiple of each inner factor that it passes. What is left of it must divide the factor
// it falls into, unless only padding is beyond. Cut each axis by itself, or pad the inner one so that it divides: `[X, Y # 4] / 2`.
namespace mapping_cut_inside_digit {
TCP_AXES(X = 2, Y = 3);
#if TCP_AT_COMPILE_TIME
// error[mapping-cut-inside-digit]: [X, Y] / 2: the cut falls inside a factor of Y, which has 3 positions; help: cut each axis by itself, or pad the inner axes to a multiple of the cut
using before = m<group(X, Y) / 2>;
using after = m<group(X, Y.pad(4)) / 2>;
#endif
REFUSED_AT_RUN_TIME { return group(group(X, Y) / 2).mapping().refusal(); }
}  // namespace mapping_cut_inside_digit

// # mapping-cut-through-tail
// A group can be padded to any number of positions, also to one that is not a multiple of its inner factors: `[X, Y, Z] # 32` for 2 * 3 * 5 =
// 30 positions. The two positions at the end belong to no step of X, so there is no even way to cut such a group into blocks.
//
// Cut first and pad then, or pad a factor inside the group so that all is whole steps of it: `[X # 4, Y, Z]` has 60 positions and can be
// cut after every 15.
namespace mapping_cut_through_tail {
TCP_AXES(X = 2, Y = 3, Z = 5);
#if TCP_AT_COMPILE_TIME
// error[mapping-cut-through-tail]: [X, Y, Z] # 32 / 4: the cut falls inside a group that is padded as a whole to 32 positions; help: pad the outermost axis inside the group instead of the group
using before = m<group(X, Y, Z).pad(32) / 4>;
using after = m<group(X, Y, Z.pad(8)) / 4>;
#endif
REFUSED_AT_RUN_TIME { return group(group(X, Y, Z).pad(32) / 4).mapping().refusal(); }
}  // namespace mapping_cut_through_tail

// # mapping-cut-through-window
// A window `$(N, F:2)` is one run of positions that is counted by several axes at once: position = n + 2f. Most of its positions belong to
// several pairs of n and f, so a block of them is not a factor, and `/` and `%` have nothing to count.
//
// In a stream a window is taken apart by the axes of the filter instead: `F`, or blocks of it, in Time, where the fetch walks the window
// once for each step of F.
namespace mapping_cut_through_window {
TCP_AXES(N = 5, F = 3);
#if TCP_AT_COMPILE_TIME
// error[mapping-cut-through-window]: $(F:2, N) / 3: the cut falls inside a window of 9 positions; help: take the filter's digits out of the window in Time or Packet instead
using before = m<slide(N, F.by(2)) / 3>;
using after = m<N, F>;
#endif
REFUSED_AT_RUN_TIME { return Expr(slide(N, F.by(2)) / 3).mapping().refusal(); }
}  // namespace mapping_cut_through_window

// # mapping-expression-too-long
// An expression in C++ is kept as its text, in a template argument, with room for 254 characters and as many for the declarations of its
// axes.
//
// Name its parts as types and splice them: a type is kept in its canonical form, which is usually much shorter than what was written.
namespace mapping_expression_too_long {
TCP_AXES(A_long_axis_name = 64);
constexpr Expr ten(const Expr& e) { return group(e, 1, 1, 1, 1, 1, 1, 1, 1, 1); }
#if TCP_AT_COMPILE_TIME
// error[mapping-expression-too-long]: the expression [[[[[[[[[A_long_axis_name, 1, 1, 1, 1, 1, 1, 1, 1, 1], 1, 1,... is longer than 254 characters; help: name its parts as types and splice them: m<Outer{}, Inner{}>
using before = m<ten(ten(ten(ten(ten(ten(ten(ten(ten(A_long_axis_name)))))))))>;
using after = m<A_long_axis_name>;
#endif
REFUSED_AT_RUN_TIME { return Expr(ten(ten(ten(ten(ten(ten(ten(ten(ten(A_long_axis_name)))))))))).mapping().refusal(); }
}  // namespace mapping_expression_too_long

// # mapping-left-pad-inner
// `E #< n` puts n positions of padding before an axis. Before a factor that counts inside blocks there is no room: before the
// first position of a block is the last one of the block before.
//
// Pad the axis first and cut it afterwards, as the fetch does for a convolution: `B #< 2 #z 96 / 32` and `B #< 2 #z 96 % 32`. In C++:
// `B.pad_left(2).pad_zero(96)`.
namespace mapping_left_pad_inner {
TCP_AXES(B = 90);
#if TCP_AT_COMPILE_TIME
// error[mapping-left-pad-inner]: B % 10 #< 2: padding in front needs a whole axis, or the outer part of one; help: put #< right after the axis and cut afterwards: B #< 2 #z 96 / 32
using before = m<(B % 10).pad_left(2)>;
using after = m<B.pad_left(2).pad(96) % 32>;
#endif
REFUSED_AT_RUN_TIME { return group((B % 10).pad_left(2)).mapping().refusal(); }
}  // namespace mapping_left_pad_inner

// # mapping-modulo-not-divisor
// `E % n` counts the positions inside one block of n, so E must be a whole number of blocks: n divides the size of E. An axis of 61 has no
// whole number of blocks of 4.
//
// Pad the axis to whole blocks first, and use the same padding on both sides of the cut: `D # 64 / 16, D # 64 % 16` is `D # 64`. If only
// the first n positions are wanted, and no blocks, `=` keeps them: `D = 4`. In C++: `D.pad(64) % 4`, `D.resize(4)`.
namespace mapping_modulo_not_divisor {
TCP_AXES(D = 61);
#if TCP_AT_COMPILE_TIME
// error[mapping-modulo-not-divisor]: D % 4: 4 does not divide the 61 positions; help: pad to whole blocks first: D # 64 % 4, or keep the first 4: D = 4
using before = m<D % 4>;
using after = m<D.pad(64) % 4>;
#endif
REFUSED_AT_RUN_TIME { return Expr(D % 4).mapping().refusal(); }
}  // namespace mapping_modulo_not_divisor

// # mapping-number-below-one
// The number after an operator is a count of positions: blocks of 0 do not exist, nor does a size of 0. Only a start (`@`) and padding in
// front (`#<`) may be 0.
//
// Often the number was computed, and the division that made it rounded down to 0.
namespace mapping_number_below_one {
TCP_AXES(A = 8);
#if TCP_AT_COMPILE_TIME
// error[mapping-number-below-one]: the number after '/' must be 1 or more; it is 0; help: write a positive number
using before = m<A / 0>;
using after = m<A / 1>;
#endif
REFUSED_AT_RUN_TIME { return group(A / 0).mapping().refusal(); }
}  // namespace mapping_number_below_one

// # mapping-pad-below-size
// `E # n` pads E **to** n positions; it does not add n positions, and it never shortens. Eight positions cannot be padded to four.
//
// To shorten, write `=`: `A = 4`, in C++ `A.resize(4)`. To add padding at the end, count what is there already: `A # 12` adds four. To add
// padding before an axis there is `#<`, which does count what it adds.
namespace mapping_pad_below_size {
TCP_AXES(A = 8);
#if TCP_AT_COMPILE_TIME
// error[mapping-pad-below-size]: A # 4: there are 8 positions already; help: pad to 8 or more, or keep the first 4: A = 4
using before = m<A.pad(4)>;
using after = m<A.resize(4)>;
#endif
REFUSED_AT_RUN_TIME { return Expr(A.pad(4)).mapping().refusal(); }
}  // namespace mapping_pad_below_size

// # mapping-resize-above-size
// `E = n` keeps the first n positions of E and forgets the others. It cannot make positions that are not there: an axis of 3 has no fourth.
//
// To have more positions than elements, pad: `D # 4`, in C++ `D.pad(4)`. The kind of padding says what may be assumed about it: `#`
// undefined, `#z` zero, `#!` not to be touched.
namespace mapping_resize_above_size {
TCP_AXES(D = 3);
#if TCP_AT_COMPILE_TIME
// error[mapping-resize-above-size]: D = 4: there are only 3 positions; help: lengthen with padding: D # 4
using before = m<D.resize(4)>;
using after = m<D.pad(4)>;
#endif
REFUSED_AT_RUN_TIME { return Expr(D.resize(4)).mapping().refusal(); }
}  // namespace mapping_resize_above_size

// # mapping-size-overflow
// The number of positions of a mapping, padding included, must fit into a signed 64-bit number. No memory comes near that size; most often
// two sizes have been multiplied that do not belong together, or a size was given in bytes instead of elements.
namespace mapping_size_overflow {
TCP_AXES(Rows = 1'099'511'627'776, Columns = 1'073'741'824, Row = 4096);
#if TCP_AT_COMPILE_TIME
// error[mapping-size-overflow]: the number of positions does not fit into 64 bits (at ',' with 1099511627776 and 1073741824); help: make the axes or the padding smaller
using before = m<Rows, Columns>;
using after = m<Row, Columns>;
#endif
REFUSED_AT_RUN_TIME { return group(Rows, Columns).mapping().refusal(); }
}  // namespace mapping_size_overflow

// # mapping-skew-part
// `skew(B, A)` is the axis B turned by A: at step b' of row a it holds B = (b' + a) mod the size of B. So B is a whole axis, and A another
// one.
namespace mapping_skew_part {
constexpr const char* before = R"(
axes A = 8, B = 512
hbm x: i8 Element[A, skew(B, B)] at 0
)";
constexpr const char* after = R"(
axes A = 8, B = 512
hbm x: i8 Element[A, B] at 0
)";
// error[mapping-skew-part]: skew needs a whole axis and another axis to count from; help: write skew(B, A) for B = (B' + A) mod the size of B
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(parse("A, skew(B, B)", *parse_axes("A = 8, B = 512")));
}  // namespace mapping_skew_part

// # mapping-start-beyond-axis
// `E @ k` reads E from its position k on. A start at or after the end of the axis leaves nothing to read.
//
// The start counts steps of the expression, not of the axis: `A / 2 @ 3` starts at A = 6.
namespace mapping_start_beyond_axis {
TCP_AXES(A = 8);
#if TCP_AT_COMPILE_TIME
// error[mapping-start-beyond-axis]: axis A would start at 8, at or beyond its end: it has 8 positions; help: start inside the axis
using before = m<A.from(8)>;
using after = m<A.from(7)>;
#endif
REFUSED_AT_RUN_TIME { return group(A.from(8)).mapping().refusal(); }
}  // namespace mapping_start_beyond_axis

// # mapping-start-many-axes
// `E @ k` reads E from its position k on, by moving the start of an axis. So it needs an expression over exactly one axis. Of `A, B` it
// would not be clear which axis starts later; a bare number has no axis; and `B = 1` has none any more, because one position is counted by
// nothing.
//
// Put `@` right after the axis: `A @ 3, B`, or `B @ 5 = 1` for the one element B = 5. In C++: `B.from(5).resize(1)`.
namespace mapping_start_many_axes {
TCP_AXES(A = 8, B = 512);
#if TCP_AT_COMPILE_TIME
// error[mapping-start-many-axes]: [A, B] @ 3: a start needs an expression over exactly one axis; help: put @ right after the axis: B @ 5 = 1
using before = m<group(A, B).from(3)>;
using after = m<A, B.from(3)>;
#endif
REFUSED_AT_RUN_TIME { return group(group(A, B).from(3)).mapping().refusal(); }
}  // namespace mapping_start_many_axes

// # mapping-start-not-outermost
// Padding before an axis is a start below 0: all coordinates are counted from there. If another factor of the same axis has been
// padded at the end of the axis, that padding would move into the axis and come alive. Here `A # 8 / 4` ends at A = 6, and the padding in
// front of the other factor would push two more elements into view.
//
// Put the padding before the whole axis before you cut it, and use the two sides of that cut: with `A #< 2 # 8`, write `A #< 2 # 8 /
// 4` and `A #< 2 # 8 % 4`.
namespace mapping_start_not_outermost {
TCP_AXES(A = 6);
#if TCP_AT_COMPILE_TIME
// error[mapping-start-not-outermost]: axis A gets padding of 2 in front from one factor and is padded at its end in another; help: write both on one factor: A #< 2 # n
using before = m<A.pad(8) / 4, A.pad_left(2).resize(4)>;
using after = m<A.pad_left(2).pad(8) / 4, A.pad_left(2).pad(8) % 4>;
#endif
REFUSED_AT_RUN_TIME { return group(A.pad(8) / 4, A.pad_left(2).resize(4)).mapping().refusal(); }
}  // namespace mapping_start_not_outermost

// # mapping-stride-not-divisor
// `E / n` counts blocks of n positions, so there must be a whole number of blocks: n divides the size of E. An axis of 61 has no whole
// number of blocks of 4.
//
// Pad the axis to whole blocks first. The last block then overshoots the axis, and what is beyond its end is padding: `D # 64 / 4` counts
// 16 blocks. In C++: `D.pad(64) / 4`.
namespace mapping_stride_not_divisor {
TCP_AXES(D = 61);
#if TCP_AT_COMPILE_TIME
// error[mapping-stride-not-divisor]: D / 4: 4 does not divide the 61 positions; help: pad to whole blocks first: D # 64 / 4
using before = m<D / 4>;
using after = m<D.pad(64) / 4>;
#endif
REFUSED_AT_RUN_TIME { return Expr(D / 4).mapping().refusal(); }
}  // namespace mapping_stride_not_divisor

// # mapping-text-number
// Numbers in a mapping are counts of positions and must fit into a signed 64-bit number.
namespace mapping_text_number {
constexpr const char* before = R"(
axes A = 8
hbm x: i8 Element[A # 9223372036854775808] at 0
)";
constexpr const char* after = R"(
axes A = 8
hbm x: i8 Element[A # 16] at 0
)";
// error[mapping-text-number]: 9223372036854775808 does not fit into 64 bits; help: the largest number is 9223372036854775807
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(parse("A # 9223372036854775808", *parse_axes("A = 8, B = 512")));
}  // namespace mapping_text_number

// # mapping-text-syntax
// A mapping in the text form is a comma list of axes, numbers and groups, each followed by any number of operators, and after each
// operator comes a whole number:
//
//     A / 8 # 256, [B, C] % 32, 1 # 2
//
// All operators bind equally, from left to right, and tighter than the comma. `[ ]` and `( )` group, `{ Name }` splices a mapping that was
// named before, `$(W:2, Fw)` is a window.
namespace mapping_text_syntax {
constexpr const char* before = R"(
axes A = 8, B = 512
hbm x: i8 Element[A / , B] at 0
)";
constexpr const char* after = R"(
axes A = 8, B = 512
hbm x: i8 Element[A / 2, B] at 0
)";
// error[mapping-text-syntax]: at column 5: a whole number is needed, but found ', B'; help: as in A / 8 # 256, B % 32
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(parse("A / , B", *parse_axes("A = 8, B = 512")));
}  // namespace mapping_text_syntax

// # mapping-text-too-deep
// Groups may be nested 64 deep. A text that goes deeper was most likely made by a program that adds brackets at each step; since `[[E]]` is
// `[E]`, they can be left out.
// no kernel: the page makes the brackets by a loop
namespace mapping_text_too_deep {
struct Brackets {
  char s[10'001]{};
  constexpr Brackets() {
    for (char& c : s) c = '[';
  }
};
constexpr Brackets brackets;
constexpr std::string_view deep() { return {brackets.s, sizeof brackets.s}; }
// error[mapping-text-too-deep]: groups are nested more than 64 deep; help: name an inner part and splice it in: { Inner }
REFUSED(parse(deep(), *parse_axes("A = 8")));
}  // namespace mapping_text_too_deep

// # mapping-text-unknown-axis
// A text form does not declare axes; it uses those that were declared beside it, with their sizes. This name is not among them: it is
// missing, or misspelt.
namespace mapping_text_unknown_axis {
constexpr const char* before = R"(
tcp layout --axes "A = 8, B = 512" "A, C / 2"
)";
constexpr const char* after = R"(
tcp layout --axes "A = 8, B = 512, C = 8" "A, C / 2"
)";
// error[mapping-text-unknown-axis]: there is no axis C; declared are A, B; help: declare it with its size: C = 8
REFUSED_AT_RUN_TIME { return commanded(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return commanded(after); }
REFUSED(parse("A, C / 2", *parse_axes("A = 8, B = 512")));
}  // namespace mapping_text_unknown_axis

// # mapping-text-unknown-splice
// `{ Name }` puts a mapping into another one, as a group. The name must have been given to a mapping before.
namespace mapping_text_unknown_splice {
constexpr const char* before = R"(
tcp layout --axes "A = 8, B = 512" "{ Slice }, B"
)";
constexpr const char* after = R"(
tcp layout --axes "A = 8, B = 512" "A, B"
)";
// error[mapping-text-unknown-splice]: there is no mapping named 'Slice' to splice in; help: define it first, or write it out
REFUSED_AT_RUN_TIME { return commanded(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return commanded(after); }
REFUSED(parse("{ Slice }, B", *parse_axes("A = 8, B = 512")));
}  // namespace mapping_text_unknown_splice

// # mapping-too-many-axes
// A mapping uses at most 16 axes. It is kept in a fixed room, because it is a constant of the compiler and part of types.
//
// Axes that are always used together, in the same order, can be one axis: `HW` of 196 instead of `H` of 14 and `W` of 14. Its parts are `HW
// / 14` and `HW % 14`.
namespace mapping_too_many_axes {
TCP_AXES(A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2, AB = 4);
TCP_AXES(J = 2, K = 2, L = 2, M = 2, N = 2, O = 2, P = 2, Q = 2);
#if TCP_AT_COMPILE_TIME
// error[mapping-too-many-axes]: the mapping uses more than 16 axes; help: join axes that always go together into one
using before = m<A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q>;
using after = m<AB, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q>;
#endif
REFUSED_AT_RUN_TIME { return group(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q).mapping().refusal(); }
}  // namespace mapping_too_many_axes

// # mapping-too-many-digits
// A mapping has at most 16 factors after neighbours that count as one have been joined (64 over all levels of a tensor). It is kept in a
// fixed room, because it is a constant of the compiler and part of types.
//
// Factors of one axis that follow on each other count as one: write them side by side and in order, and they join.
namespace mapping_too_many_digits {
TCP_AXES(A = 131'072);
#if TCP_AT_COMPILE_TIME
// error[mapping-too-many-digits]: the mapping needs 17 factors; at most 16 are kept; help: join factors of one axis, or split the mapping over levels
using before = m<A / 65'536, 2, A / 32'768 % 2, 2, A / 16'384 % 2, 2, A / 8192 % 2, 2, A / 4096 % 2, 2, A / 2048 % 2, 2, A / 1024 % 2, 2,
                 A / 512 % 2, 2, A / 256 % 2, 2>;
using after = m<A / 65'536, 2, A / 32'768 % 2, 2, A / 16'384 % 2, 2, A / 8192 % 2, 2, A / 4096 % 2, 2, A / 2048 % 2, 2, A / 256 % 8, 2>;
#endif
REFUSED_AT_RUN_TIME {
  return group(A / 65'536, 2, A / 32'768 % 2, 2, A / 16'384 % 2, 2, A / 8192 % 2, 2, A / 4096 % 2, 2, A / 2048 % 2, 2, A / 1024 % 2, 2,
               A / 512 % 2, 2, A / 256 % 2, 2)
      .mapping()
      .refusal();
}
}  // namespace mapping_too_many_digits

// # mapping-too-many-tails
// A group that is padded to no multiple of its inner factors, as `[A, 3] # 7`, is kept with a tail: a remark that after these factors one
// position of padding follows. A mapping has room for four of them.
//
// Pad the outermost factor inside the group instead: `A # 3, 3` has nine positions and no tail.
namespace mapping_too_many_tails {
TCP_AXES(A = 2, B = 2, C = 2, D = 2, E = 2);
#if TCP_AT_COMPILE_TIME
// error[mapping-too-many-tails]: the mapping pads 5 groups to no multiple of their inner part; at most 4 are kept; help: pad the outermost axis inside a group instead of the group
using before = m<group(A, 3).pad(7), group(B, 3).pad(7), group(C, 3).pad(7), group(D, 3).pad(7), group(E, 3).pad(7)>;
using after = m<A, 3, B, 3, C, 3, D, 3, group(E, 3).pad(7)>;
#endif
REFUSED_AT_RUN_TIME {
  return group(group(A, 3).pad(7), group(B, 3).pad(7), group(C, 3).pad(7), group(D, 3).pad(7), group(E, 3).pad(7)).mapping().refusal();
}
}  // namespace mapping_too_many_tails

// # mapping-window-axis-twice
// The members of a window move along different steps: of one position, the element must say how far each member went. With one axis in two
// members, 2w + w, only the sum would be left.
//
// Different blocks of one axis may slide together, `$(W / 3:2, W % 3)`, because they count different steps of it.
namespace mapping_window_axis_twice {
TCP_AXES(W = 9, F = 3);
#if TCP_AT_COMPILE_TIME
// error[mapping-window-axis-twice]: axis W slides twice in one window: steps of 1 and steps of 1 overlap; help: slide each axis once
using before = m<slide(W.by(2), W)>;
using after = m<slide(W.by(2), F)>;
#endif
REFUSED_AT_RUN_TIME { return group(slide(W.by(2), W)).mapping().refusal(); }
}  // namespace mapping_window_axis_twice

// # mapping-window-cut-and-padded
// A window is followed by at most one of `#`, `#z` and `=`. Cut to fewer positions and then padded, it would have padding where the window
// goes on.
//
// Pad the whole window, or cut it and leave it at that.
namespace mapping_window_cut_and_padded {
TCP_AXES(N = 5, F = 3);
#if TCP_AT_COMPILE_TIME
// error[mapping-window-cut-and-padded]: $(F:2, N) = 6 # 12: the window is cut already, and takes one of # and = only; help: pad the whole window, or leave out its cut
using before = m<slide(N, F.by(2)).resize(6).pad(12)>;
using after = m<slide(N, F.by(2)).pad(12)>;
#endif
REFUSED_AT_RUN_TIME { return group(slide(N, F.by(2)).resize(6).pad(12)).mapping().refusal(); }
}  // namespace mapping_window_cut_and_padded

// # mapping-window-part
// A window `$(W:2, Fw)` adds up steps: position = 2w + f. Each member is one factor of one axis without padding and without a start, so
// that its steps are 0, 1, 2, ...
//
// Padding belongs after the window as a whole: `$(W:2, Fw) # 32`. Blocks of an axis may slide, as `W / 2`.
namespace mapping_window_part {
TCP_AXES(W = 9, Fw = 3);
#if TCP_AT_COMPILE_TIME
// error[mapping-window-part]: a window cannot slide W # 16: each member is one unpadded factor of one axis, without a start; help: slide whole axes or their blocks: $(W:2, Fw), and pad the window as a whole
using before = m<slide(W.pad(16).by(2), Fw)>;
using after = m<slide(W.by(2), Fw).pad(32)>;
#endif
REFUSED_AT_RUN_TIME { return group(slide(W.pad(16).by(2), Fw)).mapping().refusal(); }
}  // namespace mapping_window_part

// # mapping-window-too-many
// A window slides at most eight members. A convolution needs two for each of its dimensions that slide, and each of these is better a
// window of its own: `$(H, Fh), $(W, Fw)`.
namespace mapping_window_too_many {
TCP_AXES(A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2);
#if TCP_AT_COMPILE_TIME
// error[mapping-window-too-many]: a window slides more than 8 members; help: slide fewer axes at once
using before = m<slide(A, B, C, D, E, F, G, H, I)>;
using after = m<slide(A, B, C, D, E, F, G, H), I>;
#endif
REFUSED_AT_RUN_TIME { return group(slide(A, B, C, D, E, F, G, H, I)).mapping().refusal(); }
}  // namespace mapping_window_too_many

// # tile-beyond-axis
// Coordinates of a view count from the begin of its tile. Where an axis of 61 is counted by two factors, in blocks of 16, the last block
// ends beyond the axis; seen from 0 on it would look whole, and three places of padding would be taken for elements. An axis in one
// factor, `D # 64`, has tiles of blocks: the last is `D = 13 # 64`.
namespace tile_beyond_axis {
constexpr const char* before = R"(
axes A = 2, D = 61
hbm x: i8 Element[D # 64 / 16, A, D # 64 % 16] at 0
hbm last: i8 Element[D @ 48 # 64 / 16 = 1 # 4, A, D # 64 % 16] = x.tile([D # 64 / 16], length: 1, start: 3)
)";
constexpr const char* after = R"(
axes A = 2, D = 61
hbm x: i8 Element[D # 64 / 16, A, D # 64 % 16] at 0
hbm first: i8 Element[D # 64 / 16 = 1 # 4, A, D # 64 % 16] = x.tile([D # 64 / 16], length: 1, start: 0)
)";
// error[tile-beyond-axis]: a tile of Element counts D from 48 to 63, by several factors; its elements are 0 to 60; help: keep D in one factor of Element, padded at its end, or let the tile end before the padding
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 2, D = 61);
REFUSED(tile(m<D.pad(64) / 16, A, D.pad(64) % 16>::mapping, D.pad(64) / 16, 1, 3));
}  // namespace tile_beyond_axis

// # tile-not-in-source
// A tile shows some steps of one dimension of a tensor, in place. The dimension is a factor of the tensor's mapping, or a block of one: of
// `A, B` it may be `A`, `B`, `B / 32`, `B % 32` or `B / 32 % 2`. Here the tensor has no such factor.
namespace tile_not_in_source {
TCP_AXES(A = 8, B = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B / 2>>& in) {
  // error[tile-not-in-source]: the tile dimension m![B % 2] is no factor of m![A, B / 2]; help: tile along an axis of the tensor, or a block of one: B, B / 32
  return in.tile<m<B % 2>, 1>(0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B / 2>>& in) { return in.tile<m<B / 2>, 1>(0); }
#endif
REFUSED(tile(m<A, B / 2>::mapping, B % 2, 1, 0));
}  // namespace tile_not_in_source

// # tile-out-of-range
// A tile of n steps that starts at k covers the steps k to k + n - 1 of its dimension, and all of them must exist. The start is a
// coordinate, not the number of a tile: tiles may overlap, and the last start is the number of steps minus n.
namespace tile_out_of_range {
TCP_AXES(A = 8, B = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B>>& in) {
  // error[tile-out-of-range]: a tile of 20 steps at 500 does not fit into the 512 steps of m![B]; help: let start run from 0 to 492
  return in.slice<B, 500, 520>();
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B>>& in) { return in.slice<B, 492, 512>(); }
#endif
// error[tile-out-of-range]: a tile of 2 steps at 15 does not fit into the 16 steps of m![B / 32]; help: let start run from 0 to 14
REFUSED(tile(m<A, B>::mapping, B / 32, 2, 15));
}  // namespace tile_out_of_range

// # tile-too-deep
// The view of a tile may need two factors more than the tensor: the blocks outside of the tile's dimension and those inside. A mapping has
// room for 16 factors.
// no kernel: the page makes the factors by a loop
namespace tile_too_deep {
TCP_AXES(A = 64);
/// A, and fifteen rows of two copies with a gap after them.
constexpr Mapping wide() {
  Mapping all = A;
  for (int i = 0; i < 15; ++i) all = pair(all, copies(2).pad(3));
  return all;
}
// error[tile-too-deep]: the view of m![A, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3, 2 # 3] needs more than 16 factors; help: tile a tensor with fewer factors
REFUSED(tile(wide(), A / 2 % 4, 2, 0));
}  // namespace tile_too_deep

// # tile-wrong-result
// The mapping of a tile is determined by the tensor and the dimension: the steps that the tile leaves out stay in their place as padding,
// so that all strides remain. A tile of two elements of B out of 512 is `B = 2 # 512`: two live positions in the room of 512. With `# 4`
// the rows would be 4 apart instead of 512.
namespace tile_wrong_result {
TCP_AXES(A = 8, B = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B>>& in) {
  // error[tile-wrong-result]: a tile of 2 steps along m![B] of m![A, B] is m![A, B = 2 # 512], not m![A, B % 2 # 4]; help: write m![A, B = 2 # 512]
  return in.tile<m<B>, 2, m<A, B.resize(2).pad(4)>>(0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B>>& in) { return in.tile<m<B>, 2, m<A, B.resize(2).pad(512)>>(0); }
#endif
REFUSED(tile_as(m<A, B>::mapping, B, 2, 0, m<A, B.resize(2).pad(4)>::mapping));
}  // namespace tile_wrong_result

// # draw-no-such-place
// A table or a picture shows places from one on, and there must be such a place: the positions of a mapping are counted from 0 to its
// size less one, those of a tensor spread over levels in one row, the innermost level first.
//
// `tcp layout --from I` and `--limit N` choose the part; without them all of it is shown, in few lines if it is large.
// run time only: tables and pictures are texts that a running program makes
// no kernel: drawings are made by functions and by `tcp layout`
namespace draw_no_such_place {
TCP_AXES(A = 8, B = 512);
// error[draw-no-such-place]: place 5000 is not there: there are 4096; help: show from a place between 0 and 4095, and at least one
REFUSED_AT_RUN_TIME { return draw_cells(spread(group(A, B)), {.from = 5000}).refusal(); }
}  // namespace draw_no_such_place

// # draw-window-too-long
// A place of a window holds an element for every way to write it as a sum of the members' steps: in `$(W:2, Fw)` place 4 belongs to W 1 with
// Fw 2, and to W 2 with Fw 0. Tables and pictures find these ways by trying all steps of all members but the last, which then is what
// is left. With very long members that would take too long, and is refused.
//
// To see such a window, declare a shorter axis: a window looks the same at every step of its longest member.
// run time only: tables and pictures are texts that a running program makes
// no kernel: drawings are made by functions and by `tcp layout`
namespace draw_window_too_long {
TCP_AXES(W = 1000000, Fw = 3);
// error[draw-window-too-long]: what is stored at a place of $(W:2, Fw) takes more than 65536 steps to find out; help: declare a shorter axis: a window looks the same at every step of its longest member
REFUSED_AT_RUN_TIME { return draw_cells(spread(slide(W.by(2), Fw)), {}).refusal(); }
}  // namespace draw_window_too_long
