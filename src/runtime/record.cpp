// Lowers a recorded kernel and puts its commands in time.
#include "tcp/runtime/record.hpp"

#include "tcp/lower/lower.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/refused.hpp"

namespace tcp {

program::Program Recorded::program() const { return value_or_throw(lower::lower(module_)); }

program::Schedule Recorded::schedule(std::string_view model) const {
  return value_or_throw(plan(program(), module_.device(), {.model = model})).schedule;
}

trace::Trace Recorded::trace(const PlanOptions& options) const {
  program::Program const lowered = program();
  return trace_of(lowered, value_or_throw(plan(lowered, module_.device(), options)), module_.device());
}

}  // namespace tcp
