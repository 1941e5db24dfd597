// Fetch: the adapter's table, cast and zero points, element by element; and two sources that take turns.
#include "tcp/exec/reference/operations.hpp"

#include "exec/reference/stages.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/zero_point.hpp"

namespace tcp::reference {

Value interleave(const Value& first, const Value& second, Name axis) {
  std::vector<Value::Axis> axes = first.axes();
  axes.push_back({axis, 2});
  Value out(first.type, std::move(axes));
  for (std::int64_t i = 0; i < out.size(); ++i) {
    Index const index = out.index_of(i);
    out[i] = (index.get(axis) == 0 ? first : second).at(index);
  }
  return out;
}

Value fetch(const Value& source, const Adapter& adapter, NumericModel model) {
  Value out = source;
  for (std::int64_t i = 0; i < out.size(); ++i) {
    Element& e = out[i];
    ScalarType type = source.type;
    if (adapter.table != nullptr) {
      e.bits = (*adapter.table)[e.bits & scalar_mask(type)];
      type = adapter.table_type;
    }
    if (adapter.zero_points.empty()) {
      if (type != adapter.to) e.bits = scalar_cast_bits(type, adapter.to, e.bits, model);
    } else {
      std::size_t const which = adapter.zero_points.size() > 1 ? static_cast<std::size_t>(out.index_of(i).get(adapter.turns)) : 0;
      e.bits = subtract_zero_point_bits(e.bits, *zero_point(type, adapter.zero_points[which]), adapter.to);
    }
  }
  out.type = adapter.to;
  return out;
}

Verdict apply(const ir::Fetch& f, PassRun& run) {
  Adapter adapter;
  if (f.table != ir::none) {
    adapter.table = &run.module.tables[static_cast<std::size_t>(f.table)].bits;
    adapter.table_type = run.module.tables[static_cast<std::size_t>(f.table)].to;
  }
  adapter.zero_points = f.zero_points;
  adapter.turns = run.pass.turns;
  adapter.to = run.stage->out.type;
  run.stream = restrict_to(run.out, fetch(repeated(run.levels, run.out, run.stream), adapter, run.module.numeric));
  return accept();
}

}  // namespace tcp::reference
