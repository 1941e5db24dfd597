// Runs the operations between a read and a write of one operand step by step in Time, because each step sees what the
// steps before it wrote: all lanes of a step at once where everything is defined, otherwise lane by lane.
#include "exec/vector/write_operand.hpp"

#include <algorithm>

#include "exec/vector/compute.hpp"
#include "exec/vector/places.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::vector {
namespace {

struct StoredElement {
  std::uint32_t bits = 0;
  Origin undefined = 0;
};

StoredElement element_at(const Tensor& t, const Spot& spot) {
  return {load_bits(t.data() + spot.bits * t.width(), t.width()), t.origins ? t.origin_data()[spot.origin] : 0};
}
void set(Tensor& t, const Spot& spot, const StoredElement& e) {
  store_bits(t.writable_data() + spot.bits * t.width(), t.width(), e.bits);
  t.writable_origins()[spot.origin] = e.undefined;
}

/// Where the lanes of a step find an operand.
struct Source {
  const TimedOperand* operand;
  PlaceMap places;
};

struct Op {
  const TimedOp* what;
  std::vector<int> sources;  // by operand; -1: none or an immediate
};

struct Lane {
  Place place{};
  StoredElement id{}, kept{};
};

class Timed {
 public:
  Timed(const std::vector<TimedOp>& ops, const Levels& levels, NumericModel model) : model_(model) {
    for (const TimedOp& op : ops) {
      Op mine{&op, {}};
      for (const TimedOperand& o : op.operands) {
        mine.sources.push_back(o.tensor == nullptr ? -1 : static_cast<int>(sources_.size()));
        if (o.tensor != nullptr) sources_.push_back({&o, PlaceMap(levels, *o.tensor)});
      }
      ops_.push_back(std::move(mine));
    }
  }

  const std::vector<Op>& ops() const { return ops_; }
  bool additive() const {
    return std::all_of(sources_.begin(), sources_.end(), [](const Source& s) { return s.places.additive(); });
  }
  /// Places of all operands, one operation after the other; null: none, or an immediate.
  std::vector<const PlaceMap*> operand_places() const {
    std::vector<const PlaceMap*> all;
    for (const Op& op : ops_)
      for (int source : op.sources) all.push_back(source < 0 ? nullptr : &sources_[static_cast<std::size_t>(source)].places);
    return all;
  }

  StoredElement operate(const Op& op, const StoredElement& x, const StoredElement& id, const Place& place) const {
    const VectorStep& step = op.what->step;
    const auto& operands = op.what->operands;
    std::size_t const each = step.family == OpFamily::FpTernary ? 2 : 1;
    bool const decides = step.groups != Groups::both || (!operands.empty() && operands[0].shape.guard != OperandGuard::always());
    if (decides && id.undefined != 0) return {0, id.undefined};
    bool const second = (id.bits >> OperandGuard::group_bit & 1) != 0;
    if (step.groups != Groups::both && step.groups != (second ? Groups::group1 : Groups::group0)) return x;
    if (operands.empty()) return combined(step, x, {}, {});
    for (std::size_t i = 0; i < operands.size(); i += each) {
      if (!operands[i].shape.guard.holds(static_cast<int>(id.bits))) continue;
      return combined(step, x, operand(op, i, place), each == 2 ? operand(op, i + 1, place) : StoredElement{});
    }
    return x;
  }

 private:
  StoredElement operand(const Op& op, std::size_t i, const Place& place) const {
    const TimedOperand& o = op.what->operands[i];
    if (o.shape.kind == OperandKind::none) return {};
    if (o.shape.kind == OperandKind::immediate) return {o.shape.bits, 0};
    const Source& source = sources_[static_cast<std::size_t>(op.sources[i])];
    Spot spot;
    TCP_BUG_UNLESS(source.places.find(place, spot), "a lane has no operand");
    return element_at(*o.tensor, spot);
  }

  StoredElement combined(const VectorStep& step, const StoredElement& stream, const StoredElement& operand0,
                         const StoredElement& operand1) const {
    StoredElement const sources[3] = {stream, operand0, operand1};
    Arguments const arguments = arguments_of(step);
    StoredElement a[3] = {stream};
    for (int i = 0; i < arguments.count; ++i) a[i] = sources[static_cast<int>(arguments.of[i])];
    for (const StoredElement& one : a)
      if (one.undefined != 0) return {0, one.undefined};
    StoredElement made;
    kernels::compute(op_of(step), {&made.bits, &a[0].bits, {nullptr, a[1].bits}, {nullptr, a[2].bits}, 1}, model_,
                     static_cast<int>(step.int_width));
    return made;
  }

  NumericModel model_;
  std::vector<Source> sources_;
  std::vector<Op> ops_;
};

bool is_defined(const Tensor& t) {
  if (!t.origins) return true;
  const auto* const begin = reinterpret_cast<const Origin*>(t.origins->data());
  return std::all_of(begin, begin + t.origins->size() / static_cast<std::int64_t>(sizeof(Origin)), [](Origin o) { return o == 0; });
}

/// Where the lanes of a step find their elements of a tensor.
class LaneSpots {
 public:
  /// Needs: levels that are independent.
  LaneSpots(const PlaceMap& places, const std::vector<Place>& units, std::int64_t width)
      : places_(&places), in_packet_(static_cast<std::size_t>(width)) {
    for (const Place& unit : units) {
      Spot spot;
      in_unit_.push_back(places.in_unit(unit, spot) ? spot.bits : -1);
    }
  }
  void go_to(std::int64_t step) {
    Place place;
    place.time = step;
    for (std::size_t p = 0; p < in_packet_.size(); ++p) {
      Spot spot;
      place.packet = static_cast<std::int64_t>(p);
      in_packet_[p] = places_->in_memory(place, spot) ? spot.bits : -1;
    }
  }
  /// Below 0: it has none.
  std::int64_t at(std::size_t unit, std::size_t packet) const {
    return in_unit_[unit] < 0 || in_packet_[packet] < 0 ? -1 : in_unit_[unit] + in_packet_[packet];
  }

 private:
  const PlaceMap* places_;
  std::vector<std::int64_t> in_unit_, in_packet_;  // elements; below 0: padding
};

/// All lanes of a step at once. Needs: tensors that are defined everywhere, levels that are independent, no stash
/// that is
/// written.
class StepByStep {
 public:
  struct Maps {
    const PlaceMap &from, &id_at, &to, &back;
    std::vector<const PlaceMap*> operands;  // of each operand of each operation; null: none, or an immediate
  };
  StepByStep(const std::vector<TimedOp>& ops, const Maps& maps, const Levels& levels, OperandGuard guard, NumericModel model)
      : ops_(ops), width_(static_cast<std::size_t>(levels[Level::packet].size)), guard_(guard), model_(model) {
    std::vector<Place> units;
    each_unit(levels, [&units](const Place& unit) { units.push_back(unit); });
    units_ = units.size();
    auto const spots = [&](const PlaceMap& places) { return LaneSpots(places, units, levels[Level::packet].size); };
    from_ = spots_.size(), spots_.push_back(spots(maps.from));
    ids_ = spots_.size(), spots_.push_back(spots(maps.id_at));
    to_ = spots_.size(), spots_.push_back(spots(maps.to));
    back_ = spots_.size(), spots_.push_back(spots(maps.back));
    for (const PlaceMap* places : maps.operands) {
      operand_spots_.push_back(places == nullptr ? 0 : spots_.size());
      if (places != nullptr) spots_.push_back(spots(*places));
    }
  }
  void run(std::int64_t steps, const Tensor& stream, const Tensor& ids, Tensor& written, Tensor& out) {
    for (std::int64_t step = 0; step < steps; ++step) {
      for (LaneSpots& s : spots_) s.go_to(step);
      lanes_.clear();
      for (std::size_t unit = 0; unit < units_; ++unit)
        for (std::size_t packet = 0; packet < width_; ++packet)
          if (spots_[from_].at(unit, packet) >= 0) lanes_.push_back({unit, packet});
      load(stream, from_, made_);
      load(ids, ids_, id_);
      kept_.assign(lanes_.size(), 0);
      std::size_t operand = 0;
      for (const TimedOp& op : ops_) {
        if (op.step.method == VectorMethod::write_operand) kept_ = made_;
        else if (op.step.method != VectorMethod::reinterpret) operate(op, operand);
        operand += op.operands.size();
      }
      store(out, to_, made_, OperandGuard::always());
      store(written, back_, kept_, guard_);
    }
  }

 private:
  struct Lane {
    std::size_t unit, packet;
  };
  using Bits = std::vector<std::uint32_t>;

  void load(const Tensor& t, std::size_t spots, Bits& bits) const {
    bits.resize(lanes_.size());
    const std::byte* const begin = t.data();
    int const width = t.width();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      std::int64_t const at = spots_[spots].at(lanes_[i].unit, lanes_[i].packet);
      bits[i] = at < 0 ? 0 : load_bits(begin + at * width, width);
    }
  }
  void store(Tensor& t, std::size_t spots, const Bits& bits, OperandGuard guard) const {
    std::byte* const begin = t.writable_data();
    int const width = t.width();
    bool const all = guard == OperandGuard::always();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      std::int64_t const at = spots_[spots].at(lanes_[i].unit, lanes_[i].packet);
      if (at >= 0 && (all || guard.holds(static_cast<int>(id_[i])))) store_bits(begin + at * width, width, bits[i]);
    }
  }
  /// `first`: the number of its first operand.
  void operate(const TimedOp& op, std::size_t first) {
    std::size_t const each = op.step.family == OpFamily::FpTernary ? 2 : 1, count = std::max<std::size_t>(op.operands.size(), 1);
    open_.assign(lanes_.size(), 1);
    if (op.step.groups != Groups::both)
      for (std::size_t i = 0; i < lanes_.size(); ++i)
        open_[i] = op.step.groups == ((id_[i] >> OperandGuard::group_bit & 1) != 0 ? Groups::group1 : Groups::group0);
    for (std::size_t o = 0; o < count; o += each) {
      OperandGuard const guard = op.operands.empty() ? OperandGuard::always() : op.operands[o].shape.guard;
      bool const all = guard == OperandGuard::always();
      compute(op, first, o, each);
      if (all && o == 0 && op.step.groups == Groups::both) return made_.swap(result_);
      for (std::size_t i = 0; i < lanes_.size(); ++i)
        if (open_[i] != 0 && (all || guard.holds(static_cast<int>(id_[i])))) {
          made_[i] = result_[i];
          open_[i] = 0;
        }
    }
  }
  void compute(const TimedOp& op, std::size_t first, std::size_t o, std::size_t each) {
    kernels::Argument sources[3] = {{made_.data(), 0}, {}, {}};
    for (std::size_t k = 0; k < each && o + k < op.operands.size(); ++k) {
      const TimedOperand& operand = op.operands[o + k];
      if (operand.shape.kind == OperandKind::immediate) sources[1 + k].value = operand.shape.bits;
      if (operand.tensor == nullptr) continue;
      load(*operand.tensor, operand_spots_[first + o + k], operand_[k]);
      sources[1 + k].lanes = operand_[k].data();
    }
    Arguments const arguments = arguments_of(op.step);
    kernels::Argument a[3] = {sources[0], {}, {}};
    for (int i = 0; i < arguments.count; ++i) a[i] = sources[static_cast<int>(arguments.of[i])];
    if (a[0].lanes == nullptr) {
      same_.assign(lanes_.size(), a[0].value);
      a[0].lanes = same_.data();
    }
    result_.resize(lanes_.size());
    kernels::compute(op_of(op.step), {result_.data(), a[0].lanes, a[1], a[2], lanes_.size()}, model_, static_cast<int>(op.step.int_width));
  }

  const std::vector<TimedOp>& ops_;
  std::size_t width_, units_ = 0;
  OperandGuard guard_;
  NumericModel model_;
  std::vector<LaneSpots> spots_;
  std::size_t from_ = 0, ids_ = 0, to_ = 0, back_ = 0;
  std::vector<std::size_t> operand_spots_;
  std::vector<Lane> lanes_;
  Bits made_, id_, kept_, result_, same_, operand_[2];
  std::vector<std::uint8_t> open_;
};

}  // namespace

Tensor operate_in_time(const std::vector<TimedOp>& ops, const Tensor& stream, const Tensor& ids, OperandGuard guard, Tensor& written,
                       Tensor& stash, const Levels& levels, NumericModel model) {
  std::vector<AxisSize> axes;
  for (const Axis& a : stream.axes) axes.push_back({a.name, a.size});
  ScalarType type = stream.type;
  for (const TimedOp& op : ops) type = type_after(op.step, type);
  Tensor out = fresh(type, axes);
  std::fill_n(out.writable_data(), out.size() * out.width(), std::byte{0});
  Timed const timed(ops, levels, model);
  PlaceMap const from(levels, stream), id_at(levels, ids), back(levels, written), stashed(levels, stash);
  bool at_once = from.additive() && id_at.additive() && back.additive() && timed.additive();
  for (const Tensor* t : {&stream, &ids, static_cast<const Tensor*>(&written)}) at_once = at_once && is_defined(*t);
  for (const TimedOp& op : ops) {
    at_once = at_once && op.step.method != VectorMethod::stash;
    for (const TimedOperand& o : op.operands) at_once = at_once && (o.tensor == nullptr || is_defined(*o.tensor));
  }
  if (PlaceMap const to(levels, out); at_once && to.additive()) {
    StepByStep(ops, {from, id_at, to, back, timed.operand_places()}, levels, guard, model)
        .run(levels[Level::time].size, stream, ids, written, out);
    return out;
  }
  track(out);
  PlaceMap const to(levels, out);
  std::vector<Place> units;
  each_unit(levels, [&units](const Place& unit) { units.push_back(unit); });
  std::int64_t const width = levels[Level::packet].size;
  std::vector<Lane> lanes;
  Spot spot;
  for (std::int64_t step = 0; step < levels[Level::time].size; ++step) {
    lanes.clear();
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(units.size()) * width; ++i) {
      Place place = units[static_cast<std::size_t>(i / width)];
      place.time = step;
      place.packet = i % width;
      if (!from.find(place, spot)) continue;
      Lane lane{place, {}, {}};
      StoredElement made = element_at(stream, spot);
      if (id_at.find(place, spot)) lane.id = element_at(ids, spot);
      for (const Op& op : timed.ops()) {
        if (op.what->step.method == VectorMethod::write_operand) lane.kept = made;
        else if (op.what->step.method == VectorMethod::stash) {
          if (stashed.find(place, spot)) set(stash, spot, made);
        } else if (op.what->step.method != VectorMethod::reinterpret) {
          made = timed.operate(op, made, lane.id, place);
        }
      }
      if (to.find(place, spot)) set(out, spot, made);
      lanes.push_back(lane);
    }
    bool const decides = guard != OperandGuard::always();
    for (const Lane& lane : lanes) {
      if (!back.find(lane.place, spot)) continue;
      if (decides && lane.id.undefined != 0) set(written, spot, {0, lane.id.undefined});
      else if (guard.holds(static_cast<int>(lane.id.bits))) set(written, spot, lane.kept);
    }
  }
  return without_idle_origins(std::move(out));
}

}  // namespace tcp::vector
