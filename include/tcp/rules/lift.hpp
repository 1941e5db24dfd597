// Fetch lifts (CHIP-26): an axis that a fetch would walk in Time becomes a factor of Slice, Cluster or Chip, in the
// place of copies. Every unit has a whole copy and reads a part of its own, from where a table says: nothing moves.
//
//   source   Slice 4, P         Element A, B      every fourth of the slices holds the same A = 4 rows of B
//   lift     Slice A, P         Element B         slice (a, p) begins at row a of its copy
#pragma once

#include "tcp/mapping/view.hpp"
#include "tcp/rules/collect.hpp"

namespace tcp {

/// How far into its copy a unit begins: unit / inside % size times `stride` elements.
struct LiftStep {
  Level level = Level::slice;
  std::int64_t inside = 1, size = 1, stride = 0;
  std::int64_t copies = 1;  // units that read, of those that `size` counts
};
struct Lifts {
  static constexpr int max_steps = Mapping::max_digits;

  LiftStep step[max_steps]{};
  int count = 0;

  /// The furthest of all beginnings.
  constexpr std::int64_t reach() const {
    std::int64_t far = 0;
    for (int i = 0; i < count; ++i) far += (step[i].copies - 1) * step[i].stride;
    return far;
  }
};

/// A source as the fetch of one unit sees it: Element has what is left to walk.
struct LiftedSource {
  Levels at{};
  Lifts lifts{};
};

namespace detail {

/// The digits of a mapping from the inside out, taken in pieces.
class DigitPieces {
 public:
  constexpr explicit DigitPieces(const Mapping& m) : m_(m), foot_(footprints(m)), next_(m.digits - 1) { take(); }

  constexpr bool done() const { return next_ < -1; }
  constexpr const Digit& piece() const { return piece_; }
  constexpr std::int64_t inside() const { return inside_; }
  constexpr bool copies() const { return piece_.axis == no_axis && piece_.size > 1; }
  constexpr Name name() const { return piece_.axis == no_axis ? Name{} : m_.axis[piece_.axis].name; }

  /// The inner `slot` positions of the piece; the rest comes next. False: it cannot be cut there.
  constexpr bool cut(std::int64_t slot) {
    if (piece_.slot % slot != 0 || piece_.size < slot || (piece_.axis == no_axis && piece_.size % slot != 0)) return false;
    rest_ = piece_;
    rest_.stride *= slot;
    rest_.slot /= slot;
    rest_.size = ceil_div(rest_.size, slot);
    piece_.slot = piece_.size = slot;
    return true;
  }
  constexpr void advance() {
    inside_ *= piece_.slot;
    if (rest_.slot > 1) piece_ = rest_, rest_ = Digit{};
    else take();
  }

 private:
  constexpr void take() {
    if (next_ >= 0) piece_ = m_.digit[next_], inside_ = foot_.inside[next_];
    --next_;
  }

  const Mapping& m_;
  Footprints foot_;
  int next_;
  Digit piece_{}, rest_{};
  std::int64_t inside_ = 1;
};

constexpr Refusal lift_not_copies(Level level, const Mapping& is, const Mapping& becomes, Where at) {
  return refuse("fetch-lift-not-copies", at)
      .what("a fetch makes ", name_of(level), " ", becomes, " of ", name_of(level), " ", is, ", which differs where there are no copies")
      .why("a lift names copies: units that hold the same elements read different parts of them, and nothing moves")
      .help("leave all factors of ", name_of(level), " but the copies, such as the 4 of m![4, P], as they are, or move the elements by a ",
            level == Level::slice ? "switch" : "transfer");
}

/// The steps of Element that a new factor of a level counts: taken out of it, with how far they are apart.
constexpr Verdict lift_piece(LiftedSource& s, Level level, const Mapping& becomes, const DigitPieces& now, std::int64_t copies, Where at) {
  Digit const& piece = now.piece();
  Mapping dimension;
  dimension.digits = dimension.axes = 1;
  dimension.axis[0] = becomes.axis[piece.axis];
  dimension.axis[0].start = 0;
  dimension.digit[0].axis = 0;
  dimension.digit[0].stride = piece.stride;
  dimension.size = dimension.digit[0].size = dimension.digit[0].slot = piece.size;
  Mapping const element = s.at[Level::element];
  TileFactor const found = tile_factor(element, dimension);
  auto const rest = tile(element, dimension, 1, 0, quietly);
  if (found.digit < 0 || !rest || s.lifts.count == Lifts::max_steps)
    return refuse("fetch-lift-not-held", at)
        .what("a fetch lifts ", dimension, " into ", name_of(level), " ", becomes, "; Element ", element, " has no such factor")
        .why("a unit reads a part of its own copy: the steps that tell the parts apart are steps of Element, all of them")
        .help("lift a whole factor of Element, or the blocks of one (A / 8 or A % 8 of A), and leave the rest to Time and Packet");
  s.at.set(Level::element, rest->mapping);
  s.lifts.step[s.lifts.count++] = {level, now.inside(), piece.slot, found.skip * footprints(element).inside[found.digit], copies};
  return accept();
}

constexpr Verdict lift_level(LiftedSource& s, Level level, const Mapping& becomes, Where at) {
  Mapping const is = s.at[level];
  if (!becomes.ok()) return refusal_of(becomes, at);
  if (equivalent(is, becomes)) return accept();
  if (is.size != becomes.size)
    return refuse("fetch-lift-size", at)
        .what("a fetch makes ", name_of(level), " ", becomes, " with ", becomes.size, " positions of ", name_of(level), " ", is, " with ",
              is.size)
        .why("a lift names copies where they are: every unit keeps its place")
        .help("give ", name_of(level), " ", is.size, " positions, with padding after the last step: # ", is.size);
  bool plain = true;
  for (const Mapping* m : {&is, &becomes})
    for (int k = 0; k < m->digits; ++k) plain &= !m->digit[k].in_window() && m->digit[k].skewed_by == no_axis;
  for (int a = 0; a < becomes.axes; ++a) {
    int const before = find_axis(is, becomes.axis[a].name);
    plain &= becomes.axis[a].start == (before < 0 ? 0 : is.axis[before].start);
  }
  DigitPieces was(is), now(becomes);
  for (; plain && !was.done() && !now.done(); was.advance(), now.advance()) {
    std::int64_t const slots = was.piece().slot < now.piece().slot ? was.piece().slot : now.piece().slot;
    plain = was.inside() == now.inside() && (was.piece().slot == slots || was.cut(slots)) && (now.piece().slot == slots || now.cut(slots));
    if (!plain) break;
    Digit const &old = was.piece(), &made = now.piece();
    bool const same = was.name() == now.name() && old.size == made.size && (old.axis == no_axis || old.stride == made.stride);
    if (same) continue;
    plain = was.copies() && made.axis != no_axis && made.size > 1 && made.size <= old.size;
    if (!plain) break;
    if (auto v = lift_piece(s, level, becomes, now, old.size, at); !v) return v;
  }
  if (!plain || !was.done() || !now.done()) return lift_not_copies(level, is, becomes, at);
  s.at.set(level, becomes);
  return accept();
}

}  // namespace detail

/// The source of a fetch that declares other mappings of Chip, Cluster and Slice; null: the source's own.
///
/// Law: wherever the lifted levels are live, the source holds the same element in the same unit, further into Element
/// by the steps of `lifts`.
constexpr Expected<LiftedSource> lifted(const Levels& source, const Mapping* chip, const Mapping* cluster, const Mapping* slice,
                                        Where at = {}) {
  LiftedSource s{source, {}};
  struct {
    Level level;
    const Mapping* becomes;
  } const asked[] = {{Level::chip, chip}, {Level::cluster, cluster}, {Level::slice, slice}};
  for (const auto& each : asked)
    if (each.becomes != nullptr)
      if (auto v = detail::lift_level(s, each.level, *each.becomes, at); !v) return v.refusal();
  return s;
}

}  // namespace tcp
