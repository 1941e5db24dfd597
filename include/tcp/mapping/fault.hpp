// The sentence for each way in which a mapping cannot be. One wording, for the compiler and for run time.
#pragma once

#include "tcp/mapping/print.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/round.hpp"

namespace tcp {
namespace detail {

/// How many factors are beside each other, not counting those inside a group or a window.
constexpr int factors(const Mapping& m) {
  int n = 0, t = 0;
  for (int a = 0; a < m.axes; ++a) n += coarsest_digit(m, a) < 0 && m.axis[a].start != 0;
  for (int k = 0; k < m.digits; ++k) {
    if (m.digit[k].joined) continue;
    ++n;
    if (t < m.tails && m.tail[t].first == k) k = m.tail[t].last;
    while (t < m.tails && m.tail[t].first <= k) ++t;
  }
  return n;
}

/// The operand in a sentence, grouped if an operator follows it.
struct ShownOperand {
  const Mapping& m;
  friend constexpr Text& operator<<(Text& out, const ShownOperand& o) {
    bool const group = factors(o.m) > 1;
    if (group) out << "[";
    print(out, o.m);
    return group ? out << "]" : out;
  }
};

struct Sign {
  char operation;
  friend constexpr Text& operator<<(Text& out, Sign s) {
    switch (s.operation) {
      case 'z': return out << "#z";
      case '!': return out << "#!";
      case '<': return out << "#<";
      default: return out << s.operation;
    }
  }
};

/// How to get whole blocks: by padding, if that is possible, else by a size that divides.
constexpr Refusal help_to_blocks(Refusal r, Mapping m, char operation) {
  std::int64_t const n = m.fault.number, size = m.fault.other;
  m.fault = Fault{};
  std::int64_t const padded = round_up(size, n);
  Mapping const whole = pad_to(m, padded, Pad::top);
  if (padded != INT64_MAX && divide_by(whole, n).ok()) {
    r.help("pad to whole blocks first: ", ShownOperand{m}, " # ", padded, " ", operation, " ", n);
  } else {
    std::int64_t divisor = n < size ? n : size;
    for (int tries = 0; divisor > 1 && size % divisor != 0 && tries < 4096; ++tries) --divisor;
    r.help("use a number that divides, such as ", size % divisor == 0 ? divisor : 1, ", or pad the axes by themselves");
  }
  if (operation == '%' && n < size && resize_to(m, n).ok()) r.help(", or keep the first ", n, ": ", ShownOperand{m}, " = ", n);
  return r;
}

}  // namespace detail

/// Why m cannot be; asked only of a mapping with a fault.
constexpr Refusal refusal_of(const Mapping& m, Where at = {}) {
  Fault const& f = m.fault;
  detail::ShownOperand const operand{m};
  detail::Sign const sign{f.operation};
  switch (f.kind) {
    case FaultKind::none: break;
    case FaultKind::stride_not_divisor:
      return detail::help_to_blocks(refuse("mapping-stride-not-divisor", at)
                                        .what(operand, " / ", f.number, ": ", f.number, " does not divide the ", f.other, " positions")
                                        .why("E / n counts blocks of n positions, and there must be a whole number of them"),
                                    m, '/');
    case FaultKind::modulo_not_divisor: {
      Refusal r = refuse("mapping-modulo-not-divisor", at);
      r.what(operand, " % ", f.number, ": ", f.number, " does not divide the ", f.other, " positions")
          .why("E % n counts inside a block of n positions, and there must be a whole number of blocks; `=` shortens without that");
      return detail::help_to_blocks(r, m, '%');
    }
    case FaultKind::pad_below_size:
      return refuse("mapping-pad-below-size", at)
          .what(operand, " ", sign, " ", f.number, ": there are ", f.other, " positions already")
          .why("# n pads to n positions; it neither adds n nor shortens")
          .help("pad to ", f.other, " or more",
                f.number < 1 ? Text{} : text(", or keep the first ", f.number, ": ", operand, " = ", f.number));
    case FaultKind::resize_above_size:
      return refuse("mapping-resize-above-size", at)
          .what(operand, " = ", f.number, ": there are only ", f.other, " positions")
          .why("= n keeps the first n positions")
          .help("lengthen with padding: ", operand, " # ", f.number);
    case FaultKind::cut_inside_digit: {
      Refusal r = refuse("mapping-cut-inside-digit", at);
      r.what(operand, " ", sign, " ", f.number, ": the cut falls inside a factor");
      if (!(f.name == Name{})) r.what(" of ", f.name);
      r.what(", which has ", f.other, " positions");
      return r.why("a factor is cut only where a whole number of its steps, or its padding, is on both sides")
          .help("cut each axis by itself, or pad the inner axes to a multiple of the cut");
    }
    case FaultKind::cut_through_tail:
      return refuse("mapping-cut-through-tail", at)
          .what(operand, " ", sign, " ", f.number, ": the cut falls inside a group that is padded as a whole to ", f.other, " positions")
          .why("the group's padding is no multiple of its inner factors, so it has no blocks to cut into")
          .help("pad the outermost axis inside the group instead of the group");
    case FaultKind::cut_through_window:
      return refuse("mapping-cut-through-window", at)
          .what(operand, " ", sign, " ", f.number, ": the cut falls inside a window of ", f.other, " positions")
          .why("the positions of a window belong to several elements, so blocks of them are no digits")
          .help("take the filter's digits out of the window in Time or Packet instead");
    case FaultKind::number_below_one:
      return refuse("mapping-number-below-one", at)
          .what(f.operation == ' ' ? Text{"a bare number"} : text("the number after '", sign, "'"), " must be ",
                f.operation == '@' || f.operation == '<' ? 0 : 1, " or more; it is ", f.number)
          .why("sizes and steps are counted; only a start and padding in front may be 0")
          .help("write a positive number");
    case FaultKind::axis_name:
      return refuse("mapping-axis-name", at)
          .what("'", f.name, "' is no name for an axis")
          .why("names are at most 16 characters: an uppercase letter, then letters, digits and underscores")
          .help("use a short name that begins with an uppercase letter");
    case FaultKind::axis_size:
      return refuse("mapping-axis-size", at)
          .what("axis ", f.name, " is declared with size ", f.number)
          .why("an axis without positions has no elements, and nothing can be laid out")
          .help("an axis has at least one position: ", f.name, " = 1");
    case FaultKind::axis_twice:
      return refuse("mapping-axis-twice", at)
          .what("axis ", f.name, " is counted twice: steps of ", f.number, " and steps of ", f.other, " overlap")
          .why("each step of an axis may be counted by one factor only, else positions and elements no longer correspond")
          .help("split the axis: ", f.name, " / n in one place and ", f.name, " % n in the other");
    case FaultKind::axis_two_sizes:
      return refuse("mapping-axis-two-sizes", at)
          .what("two axes are named ", f.name, ": one of size ", f.number, ", one of size ", f.other)
          .why("axes are told apart by their names alone")
          .help("rename one of them");
    case FaultKind::size_overflow:
      return refuse("mapping-size-overflow", at)
          .what("the number of positions does not fit into 64 bits (at '", sign, "' with ", f.number, " and ", f.other, ")")
          .why("positions, strides and addresses are 64-bit numbers")
          .help("make the axes or the padding smaller");
    case FaultKind::too_many_digits:
      return refuse("mapping-too-many-digits", at)
          .what("the mapping needs ", f.number, " factors; at most ", f.other, " are kept")
          .why("a mapping is kept in a fixed room, so that it can be a constant of the compiler")
          .help("join factors of one axis, or split the mapping over levels");
    case FaultKind::too_many_tails:
      return refuse("mapping-too-many-tails", at)
          .what("the mapping pads ", f.number, " groups to no multiple of their inner part; at most ", f.other, " are kept")
          .why("a mapping is kept in a fixed room, so that it can be a constant of the compiler")
          .help("pad the outermost axis inside a group instead of the group");
    case FaultKind::too_many_axes:
      return refuse("mapping-too-many-axes", at)
          .what("the mapping uses more than ", f.number, " axes")
          .why("a mapping is kept in a fixed room, so that it can be a constant of the compiler")
          .help("join axes that always go together into one");
    case FaultKind::start_many_axes:
      return refuse("mapping-start-many-axes", at)
          .what(operand, " @ ", f.number, ": a start needs an expression over exactly one axis")
          .why("@ k moves along one axis; an expression over several, or over none (such as B = 1), does not say which")
          .help("put @ right after the axis: B @ 5 = 1");
    case FaultKind::start_beyond_axis:
      return refuse("mapping-start-beyond-axis", at)
          .what("axis ", f.name, " would start at ", f.number, ", at or beyond its end: it has ", f.other, " positions")
          .why("nothing of the axis would be left")
          .help("start inside the axis");
    case FaultKind::start_not_outermost:
      return refuse("mapping-start-not-outermost", at)
          .what("axis ", f.name, " gets padding of ", -f.number, " in front from one factor and is padded at its end in another")
          .why("the padding in front would move padding at the end into the axis")
          .help("write both on one factor: ", f.name, " #< ", -f.number, " # n");
    case FaultKind::left_pad_inner:
      return refuse("mapping-left-pad-inner", at)
          .what(operand, " #< ", f.number, ": padding in front needs a whole axis, or the outer part of one")
          .why("inside a block there is no front: the positions before it belong to the block before")
          .help("put #< right after the axis and cut afterwards: B #< 2 #z 96 / 32");
    case FaultKind::window_part:
      return refuse("mapping-window-part", at)
          .what("a window cannot slide ", operand, ": each member is one unpadded factor of one axis, without a start")
          .why("a position of a window is the sum of its members' steps, so each must be plain steps")
          .help("slide whole axes or their blocks: $(W:2, Fw), and pad the window as a whole");
    case FaultKind::window_axis_twice:
      return refuse("mapping-window-axis-twice", at)
          .what("axis ", f.name, " slides twice in one window: steps of ", f.number, " and steps of ", f.other, " overlap")
          .why("the element of a position would no longer say which of the two steps it came from")
          .help("slide each axis once");
    case FaultKind::window_cut_and_padded:
      return refuse("mapping-window-cut-and-padded", at)
          .what(operand, " # ", f.number, ": the window is cut already, and takes one of # and = only")
          .why("the places that were cut off would come back as padding in the middle of the window")
          .help("pad the whole window, or leave out its cut");
    case FaultKind::skew_part:
      return refuse("mapping-skew-part", at)
          .what("skew needs a whole axis and another axis to count from")
          .why("a skewed axis turns around as a whole, by the coordinate of another axis")
          .help("write skew(B, A) for B = (B' + A) mod the size of B");
  }
  raise_bug("m.fault.kind != FaultKind::none", "a refusal was asked of a mapping without a fault", Where(std::source_location::current()));
}

constexpr Verdict check(const Mapping& m, Where at = {}) {
  if (!m.ok()) return refusal_of(m, at);
  return accept();
}

}  // namespace tcp
