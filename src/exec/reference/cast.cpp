// The Cast Engine: each element in another type.
#include "tcp/scalar/cast.hpp"

#include "exec/reference/stages.hpp"
#include "tcp/exec/reference/operations.hpp"

namespace tcp::reference {

Value cast(const Value& value, ScalarType to, NumericModel model) {
  Value out = value;
  out.type = to;
  if (to != value.type)
    for (std::int64_t i = 0; i < out.size(); ++i) out[i].bits = scalar_cast_bits(value.type, to, out[i].bits, model);
  return out;
}

Verdict apply(const ir::Cast&, PassRun& run) {
  run.stream = cast(run.stream, run.stage->out.type, run.module.numeric);
  return accept();
}

Verdict apply(const ir::CommitCast&, PassRun& run) { return apply(ir::Cast{}, run); }

Verdict apply(const ir::CommitCastRelu&, PassRun& run) {
  for (std::int64_t i = 0; i < run.stream.size(); ++i) run.stream[i].bits = relu_bits(run.stream.type, run.stream[i].bits);
  return apply(ir::Cast{}, run);
}

}  // namespace tcp::reference
