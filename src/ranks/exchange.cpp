// Walks over the places of a transfer's destination, and finds for each the place of the source that holds the same
// element: by a table for each axis, for coordinates add up. The innermost factor is walked in runs.
#include "ranks/exchange.hpp"

#include <algorithm>
#include <map>

#include "tcp/rules/dma.hpp"
#include "tcp/support/round.hpp"

namespace tcp::ranks {
namespace {

constexpr Level levels_of_memory[] = {Level::chip, Level::cluster, Level::slice, Level::element};

/// How the tensor behind a view lies in a chip's part: elements from one position of a level to the next.
struct Geometry {
  std::int64_t step[level_count]{};
  std::int64_t width = 1;  // bytes of an element
};
Geometry geometry_of(const ir::Module& module, ir::TensorId root) {
  Levels const levels = module.levels(module.tensor(root));
  Geometry g;
  g.width = scalar_info(module.tensor(root).type).packet_bits / 8;
  g.step[static_cast<int>(Level::element)] = 1;
  g.step[static_cast<int>(Level::slice)] = levels[Level::element].size;
  g.step[static_cast<int>(Level::cluster)] = levels[Level::element].size * levels[Level::slice].size;
  return g;
}

/// A tensor or a view as one side of a transfer.
struct TransferSide {
  TransferSide(const ir::Module& module, ir::TensorId id)
      : root(module.root_of(id)), levels(module.levels(module.tensor(id))), geometry(geometry_of(module, root)) {
    Place const first = module.first_unit(id);
    first_chip = first.chip;
    begin = first.cluster * geometry.step[static_cast<int>(Level::cluster)] + first.slice * geometry.step[static_cast<int>(Level::slice)];
    for (ir::TensorId each = id; module.tensor(each).view; each = module.tensor(each).view->tensor)
      if (auto const view = ir::seen_by(module, module.tensor(each))) begin += view->offset;
    host = module.tensor(root).memory == Memory::Host;
  }
  std::int64_t step(Level level) const { return geometry.step[static_cast<int>(level)]; }

  ir::TensorId root;
  Levels levels;
  Geometry geometry;
  std::int64_t first_chip = 0, begin = 0;  // elements
  bool host = false;
};

bool is_plain(const Levels& levels) {
  for (const Mapping& m : levels.at)
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].in_window() || m.digit[k].joined || m.digit[k].skewed_by != no_axis) return false;
  return true;
}

/// Coordinates along the axes of a destination, added up from level to level.
using Coordinates = std::vector<std::int64_t>;

/// The positions of one level that hold something, and what they add to the coordinates.
struct LevelPosition {
  std::int64_t position = 0;
  Coordinates at;
};

class CountedAxes {
 public:
  explicit CountedAxes(const Levels& levels) {
    for (const Mapping& m : levels.at)
      for (int a = 0; a < m.axes; ++a)
        if (find(m.axis[a].name) < 0) all_.push_back(m.axis[a]);
  }
  int find(Name name) const {
    auto const at = std::find_if(all_.begin(), all_.end(), [name](const AxisUse& a) { return a.name == name; });
    return at == all_.end() ? -1 : static_cast<int>(at - all_.begin());
  }
  std::size_t size() const { return all_.size(); }
  const AxisUse& operator[](std::size_t i) const { return all_[i]; }

  /// Every `stride`-th position of a level that its own factors do not pad.
  std::vector<LevelPosition> positions(const Mapping& m, std::int64_t stride = 1) const {
    std::vector<LevelPosition> out;
    for (std::int64_t p = 0; p < m.size; p += stride) {
      tcp::detail::Sum sum;
      tcp::detail::add_position(sum, m, p, 0);
      if (sum.pad != Pad::none) continue;
      LevelPosition each{p, Coordinates(all_.size(), 0)};
      for (int i = 0; i < sum.axes; ++i)
        if (int const a = find(sum.axis[i].name); a >= 0) each.at[static_cast<std::size_t>(a)] += sum.axis[i].at;
      out.push_back(std::move(each));
    }
    return out;
  }

 private:
  std::vector<AxisUse> all_;
};

/// Where the coordinates of one axis lie in a source.
struct AxisTable {
  static constexpr std::int64_t nowhere = -1;
  std::vector<std::int64_t> chip, at;  // by coordinate; chip `nowhere`: the source does not hold it
};
AxisTable table_of(const TransferSide& side, const AxisUse& axis) {
  struct Counting {
    Digit digit;
    Level level;
    std::int64_t inside = 1;
  };
  std::vector<Counting> digits;
  std::int64_t start = 0;
  bool there = false;
  for (Level level : levels_of_memory) {
    const Mapping& m = side.levels[level];
    int const a = find_axis(m, axis.name);
    if (a < 0) continue;
    there = true;
    start += m.axis[a].start;
    Footprints const foot = footprints(m);
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == a) digits.push_back({m.digit[k], level, foot.inside[k]});
  }
  std::sort(digits.begin(), digits.end(), [](const Counting& x, const Counting& y) { return x.digit.stride > y.digit.stride; });
  AxisTable t;
  t.chip.assign(static_cast<std::size_t>(axis.extent), 0);
  t.at.assign(static_cast<std::size_t>(axis.extent), 0);
  if (!there) return t;
  for (std::int64_t x = 0; x < axis.extent; ++x) {
    std::int64_t left = x - start;
    auto const i = static_cast<std::size_t>(x);
    for (const Counting& c : digits) {
      std::int64_t const step = left < 0 ? c.digit.size : left / c.digit.stride;
      if (step >= c.digit.size) t.chip[i] = AxisTable::nowhere;
      if (t.chip[i] == AxisTable::nowhere) break;
      left -= step * c.digit.stride;
      if (c.level == Level::chip) t.chip[i] += step * c.inside;
      else t.at[i] += step * c.inside * side.step(c.level);
    }
    if (left != 0) t.chip[i] = AxisTable::nowhere;
  }
  return t;
}

/// For each chip of a source those that hold the same elements.
std::vector<std::vector<std::int64_t>> chips_alike(const Mapping& chip) {
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(chip.size));
  for (std::int64_t c = 0; c < chip.size; ++c)
    for (std::int64_t d = 0; d < chip.size; ++d) {
      Cell const one = cell(chip, c), two = cell(chip, d);
      if (one.live() && two.live() && one.index == two.index) all[static_cast<std::size_t>(c)].push_back(d);
    }
  return all;
}

/// The innermost factor of Element as a run: every `slot` positions it begins anew.
struct Innermost {
  std::int64_t size = 1, slot = 1, stride = 0;  // stride along the axis
  int axis = -1;                                // none: one element, or copies
};
Innermost innermost_of(const Mapping& element, const CountedAxes& axes) {
  Innermost inner;
  if (element.digits == 0) return inner;
  Digit const d = element.digit[element.digits - 1];
  for (int t = 0; t < element.tails; ++t)
    if (element.tail[t].last == element.digits - 1) return inner;
  if (d.axis == no_axis || element.size % d.slot != 0) return inner;
  return {d.size, d.slot, d.stride, axes.find(element.axis[d.axis].name)};
}

/// Calls visit(chip, at, coordinates, inner) for each run of places of a side that hold elements: `inner.size`
/// neighbours from `at` on, of which the first has these coordinates. False: not by runs.
template <class Visit>
void each_run(const TransferSide& side, const CountedAxes& axes, Visit&& visit) {
  const Mapping& element = side.levels[Level::element];
  Innermost const inner = innermost_of(element, axes);
  auto const chips = axes.positions(side.levels[Level::chip]), clusters = axes.positions(side.levels[Level::cluster]),
             slices = axes.positions(side.levels[Level::slice]), elements = axes.positions(element, inner.slot);
  Coordinates sum(axes.size());
  for (const LevelPosition& chip : chips)
    for (const LevelPosition& cluster : clusters)
      for (const LevelPosition& slice : slices)
        for (const LevelPosition& e : elements) {
          bool inside = true;
          for (std::size_t a = 0; a < sum.size(); ++a) {
            sum[a] = chip.at[a] + cluster.at[a] + slice.at[a] + e.at[a];
            if (static_cast<int>(a) != inner.axis) inside &= sum[a] >= 0 && sum[a] < axes[a].extent;
          }
          if (!inside) continue;
          std::int64_t const at =
              side.begin + cluster.position * side.step(Level::cluster) + slice.position * side.step(Level::slice) + e.position;
          std::int64_t first = 0, end = inner.size;
          if (inner.axis >= 0) {
            auto const a = static_cast<std::size_t>(inner.axis);
            if (sum[a] < 0) first = ceil_div(-sum[a], inner.stride);
            end = std::min(end, sum[a] >= axes[a].extent ? 0 : (axes[a].extent - 1 - sum[a]) / inner.stride + 1);
            sum[a] += first * inner.stride;
          }
          if (first < end) visit(chip.position, at + first, sum, end - first, inner);
        }
}

/// Collects runs by the chips that they connect.
class Pieces {
 public:
  Pieces(std::int64_t width_from, std::int64_t width_to) : width_from_(width_from), width_to_(width_to) {}

  void add(std::int64_t from_chip, std::int64_t from, std::int64_t to_chip, std::int64_t to, std::int64_t elements) {
    Piece& p = all_[{to_chip, from_chip}];
    p.from = from_chip;
    p.to = to_chip;
    Run const run{from * width_from_, to * width_to_, elements * width_to_};
    p.bytes += run.bytes;
    if (!p.runs.empty() && p.runs.back().from + p.runs.back().bytes == run.from && p.runs.back().to + p.runs.back().bytes == run.to)
      p.runs.back().bytes += run.bytes;
    else p.runs.push_back(run);
  }
  std::vector<Piece> take() {
    std::vector<Piece> out;
    for (auto& [chips, piece] : all_) out.push_back(std::move(piece));
    return out;
  }

 private:
  std::int64_t width_from_, width_to_;
  std::map<std::pair<std::int64_t, std::int64_t>, Piece> all_;
};

bool has_whole_bytes(const ir::Module& module, ir::TensorId id) { return scalar_info(module.tensor(id).type).packet_bits % 8 == 0; }

/// Every element from the chip that holds it; of several, from the destination's own, else from one of the same rank.
std::optional<std::vector<Piece>> moved(const TransferSide& from, const TransferSide& to, const Shares& shares, std::string& why) {
  CountedAxes const axes(to.levels);
  std::vector<AxisTable> tables;
  for (std::size_t a = 0; a < axes.size(); ++a) tables.push_back(table_of(from, axes[a]));
  auto const alike = chips_alike(from.levels[Level::chip]);
  Pieces pieces(from.geometry.width, to.geometry.width);
  bool found = true;
  // Along axes that the destination does not count, it holds coordinate 0, which a padded start puts elsewhere.
  std::int64_t begin_chip = 0, begin = from.begin;
  CountedAxes const source_axes(from.levels);
  for (std::size_t a = 0; a < source_axes.size(); ++a) {
    if (axes.find(source_axes[a].name) >= 0) continue;
    AxisTable const table = table_of(from, source_axes[a]);
    if (table.chip[0] == AxisTable::nowhere) found = false;
    begin_chip += table.chip[0];
    begin += table.at[0];
  }
  auto const source_chip = [&](std::int64_t seen, std::int64_t to_chip) {
    if (from.host) return on_host;
    std::int64_t best = seen + from.first_chip;
    if (to_chip == on_host) return best;
    for (std::int64_t each : alike[static_cast<std::size_t>(seen)]) {
      std::int64_t const chip = each + from.first_chip;
      if (chip == to_chip) return chip;
      if (shares.rank_of(chip) == shares.rank_of(to_chip) && shares.rank_of(best) != shares.rank_of(to_chip)) best = chip;
    }
    return best;
  };
  each_run(to, axes, [&](std::int64_t chip, std::int64_t at, const Coordinates& first, std::int64_t length, const Innermost& inner) {
    std::int64_t const to_chip = to.host ? on_host : chip + to.first_chip;
    std::int64_t base_chip = begin_chip, base = begin;
    for (std::size_t a = 0; a < first.size(); ++a) {
      if (static_cast<int>(a) == inner.axis) continue;
      auto const x = static_cast<std::size_t>(first[a]);
      if (tables[a].chip[x] == AxisTable::nowhere) {
        found = false;
        return;
      }
      base_chip += tables[a].chip[x];
      base += tables[a].at[x];
    }
    if (inner.axis < 0) return pieces.add(source_chip(base_chip, to_chip), base, to_chip, at, length);
    const AxisTable& along = tables[static_cast<std::size_t>(inner.axis)];
    std::int64_t const x0 = first[static_cast<std::size_t>(inner.axis)];
    for (std::int64_t i = 0; i < length;) {
      auto const x = static_cast<std::size_t>(x0 + i * inner.stride);
      if (along.chip[x] == AxisTable::nowhere) {
        found = false;
        return;
      }
      std::int64_t n = 1;
      while (i + n < length) {
        auto const y = static_cast<std::size_t>(x0 + (i + n) * inner.stride);
        if (along.chip[y] != along.chip[x] || along.at[y] != along.at[x] + n) break;
        ++n;
      }
      pieces.add(source_chip(base_chip + along.chip[x], to_chip), base + along.at[x], to_chip, at + i, n);
      i += n;
    }
  });
  if (!found) {
    why = "a transfer reads elements that its source does not hold";
    return std::nullopt;
  }
  return pieces.take();
}

/// Place by place, the same place of another chip.
std::vector<Piece> shuffled(const TransferSide& from, const TransferSide& to, const std::vector<std::int64_t>& permutation) {
  CountedAxes const axes(to.levels);
  Pieces pieces(from.geometry.width, to.geometry.width);
  each_run(to, axes, [&](std::int64_t chip, std::int64_t at, const Coordinates&, std::int64_t length, const Innermost&) {
    pieces.add(permutation[static_cast<std::size_t>(chip)] + from.first_chip, at - to.begin + from.begin, chip + to.first_chip, at, length);
  });
  return pieces.take();
}

}  // namespace

std::int64_t bytes_on_chip(const ir::Module& module, ir::TensorId root) {
  Levels const levels = module.levels(module.tensor(root));
  std::int64_t const memory = ceil_div(levels[Level::element].size * scalar_info(module.tensor(root).type).packet_bits, 8);
  return memory * levels[Level::cluster].size * levels[Level::slice].size;
}
std::int64_t chips_of(const ir::Module& module, ir::TensorId root) { return module.map(module.tensor(root).chip).size; }

bool is_exchange(const ir::Command& command, const ir::CommandFacts& facts) {
  if (std::holds_alternative<ir::HostTransfer>(command.what)) return true;
  const auto* const t = std::get_if<ir::Transfer>(&command.what);
  if (t == nullptr) return false;
  if (t->kind == ir::Transfer::Kind::chip_shuffle) return true;
  const auto* const plan = facts.if_found<DmaPlan>();
  return t->kind == ir::Transfer::Kind::move && plan != nullptr && plan->crosses_chips;
}

std::optional<Exchange> exchange_of(const ir::Module& module, const ir::Command& command, const Shares& shares, std::string& why) {
  const auto* const transfer = std::get_if<ir::Transfer>(&command.what);
  const auto* const host = std::get_if<ir::HostTransfer>(&command.what);
  ir::TensorId const source = transfer != nullptr ? transfer->source : host->source;
  ir::TensorId const destination = transfer != nullptr ? transfer->destination : host->destination;
  if (!has_whole_bytes(module, source) || !has_whole_bytes(module, destination)) {
    why = "a transfer of elements of which two share a byte";
    return std::nullopt;
  }
  TransferSide const from(module, source), to(module, destination);
  if (!is_plain(from.levels) || !is_plain(to.levels)) {
    why = "a transfer of a window or a skewed factor";
    return std::nullopt;
  }
  Exchange e{from.root, to.root, {}};
  if (transfer != nullptr && transfer->kind == ir::Transfer::Kind::chip_shuffle) {
    e.pieces = shuffled(from, to, transfer->permutation);
    return e;
  }
  auto pieces = moved(from, to, shares, why);
  if (!pieces) return std::nullopt;
  e.pieces = *std::move(pieces);
  return e;
}

std::optional<std::vector<Run>> live_runs_of(const ir::Module& module, ir::TensorId root, std::int64_t chip) {
  TransferSide const side(module, root);
  if (!has_whole_bytes(module, root) || !is_plain(side.levels)) return std::nullopt;
  CountedAxes const axes(side.levels);
  std::vector<Run> out;
  each_run(side, axes, [&](std::int64_t on, std::int64_t at, const Coordinates&, std::int64_t length, const Innermost&) {
    if (on == chip) out.push_back({0, at * side.geometry.width, length * side.geometry.width});
  });
  std::sort(out.begin(), out.end(), [](const Run& a, const Run& b) { return a.to < b.to; });
  return out;
}

}  // namespace tcp::ranks
