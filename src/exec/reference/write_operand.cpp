// Operations that read what they wrote in earlier time steps: a running sum is add(x, written), then written := the
// sum.
//
// Each step of Time goes through all operations before the next begins. Within a step every read comes before every
// write, wherever the two stand; lanes write in their order, so of several that share a place the last one stays.
#include "tcp/exec/reference/vector.hpp"

namespace tcp::reference {
namespace {

struct Lane {
  Index index{};
  Element id{}, kept{};  // kept: what vector_write_operand takes
};

/// The lanes of one step, of all chips, clusters and slices, in their order.
void lanes_of(const Levels& levels, std::int64_t step, const Value& execution_ids, std::vector<Lane>& lanes) {
  std::int64_t const width = levels[Level::packet].size, slices = levels[Level::slice].size, clusters = levels[Level::cluster].size;
  lanes.clear();
  for (std::int64_t i = 0; i < levels[Level::chip].size * clusters * slices * width; ++i) {
    Place const place{.chip = i / width / slices / clusters,
                      .cluster = i / width / slices % clusters,
                      .slice = i / width % slices,
                      .time = step,
                      .packet = i % width};
    if (Cell const c = cell(levels, place); c.live()) lanes.push_back({c.index, execution_ids.at(c.index), {}});
  }
}

}  // namespace

Value operate_in_time(const std::vector<VectorOp>& ops, const Value& stream, const Value& execution_ids, OperandGuard guard, Value& written,
                      Value& stash, const Levels& levels, NumericModel model) {
  Value out(stream.type, stream.axes());
  for (const VectorOp& op : ops) out.type = type_after(op.step, out.type);
  std::vector<Lane> lanes;
  for (std::int64_t step = 0; step < levels[Level::time].size; ++step) {
    lanes_of(levels, step, execution_ids, lanes);
    for (Lane& lane : lanes) {
      Element made = stream.at(lane.index);
      for (const VectorOp& op : ops) {
        if (op.step.method == VectorMethod::write_operand) lane.kept = made;
        else if (op.step.method == VectorMethod::stash) stash.at(lane.index) = made;
        else made = operate(op, made, lane.id, lane.index, model);
      }
      out.at(lane.index) = made;
    }
    for (const Lane& lane : lanes) {
      bool const decides = guard != OperandGuard::always();
      if (decides && lane.id.undefined != 0) written.at(lane.index) = {0, lane.id.undefined};
      else if (guard.holds(static_cast<int>(lane.id.bits))) written.at(lane.index) = lane.kept;
    }
  }
  return out;
}

}  // namespace tcp::reference
