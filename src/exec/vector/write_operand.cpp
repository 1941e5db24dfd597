// Runs the operations between a read and a write of one operand step by step in Time, lane by lane, because each step
// sees what the steps before it wrote.
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

}  // namespace

Tensor operate_in_time(const std::vector<TimedOp>& ops, const Tensor& stream, const Tensor& ids, OperandGuard guard, Tensor& written,
                       Tensor& stash, const Levels& levels, NumericModel model) {
  std::vector<AxisSize> axes;
  for (const Axis& a : stream.axes) axes.push_back({a.name, a.size});
  ScalarType type = stream.type;
  for (const TimedOp& op : ops) type = type_after(op.step, type);
  Tensor out = fresh(type, axes);
  std::fill_n(out.writable_data(), out.size() * out.width(), std::byte{0});
  track(out);
  Timed const timed(ops, levels, model);
  PlaceMap const from(levels, stream), id_at(levels, ids), to(levels, out), back(levels, written), stashed(levels, stash);
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
