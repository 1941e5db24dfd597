// Operations that read what they wrote in earlier time steps: a running sum is add(x, written), then written := the sum.
#include "tcp/exec/reference/vector.hpp"

namespace tcp::reference {

Value operate_in_time(const std::vector<VectorOp>& ops, const Value& stream, const Value& execution_ids, OperandGuard guard, Value& written,
                      const Levels& levels, NumericModel model) {
  Value out = stream;
  for (const VectorOp& op : ops) out.type = type_after(op.step, out.type);
  std::int64_t const lanes = levels[Level::packet].size, slices = levels[Level::slice].size, clusters = levels[Level::cluster].size;
  for (std::int64_t step = 0; step < levels[Level::time].size; ++step) {
    // All slices and lanes work on this step at once; what they store is seen from the next step on.
    for (int storing = 0; storing < 2; ++storing) {
      for (std::int64_t i = 0; i < levels[Level::chip].size * clusters * slices * lanes; ++i) {
        Place const place{.chip = i / lanes / slices / clusters,
                          .cluster = i / lanes / slices % clusters,
                          .slice = i / lanes % slices,
                          .time = step,
                          .packet = i % lanes};
        Cell const lane = cell(levels, place);
        if (!lane.live()) continue;
        Element const id = execution_ids.at(lane.index);
        Element& made = out.at(lane.index);
        if (storing == 0) {
          made = stream.at(lane.index);
          for (const VectorOp& op : ops) made = operate(op, made, id, lane.index, model);
        } else if (id.undefined != 0) {
          written.at(lane.index) = {0, id.undefined};
        } else if (guard.holds(static_cast<int>(id.bits))) {
          written.at(lane.index) = made;
        }
      }
    }
  }
  return out;
}

}  // namespace tcp::reference
