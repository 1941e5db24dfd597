// record(kernel, ctx, tensors…): a kernel as it would be launched, without running it: its commands, and the cycles
// that they take by any timing model. Its arguments need no values:
//
//   auto const a = ctx.declared<HbmTensor<bf16, Chip, m<I, K>>>();
//   auto const b = ctx.declared<HbmTensor<bf16, Chip, m<K, J>>>();
//   Recorded const product = record(gemm, ctx, a, b);
//   Cycles const planned = product.cycles("planned");
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "tcp/ir/verify.hpp"
#include "tcp/program/program.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/plan.hpp"

namespace tcp {

/// A kernel that was recorded: verified, and all its tensors placed.
class Recorded {
 public:
  explicit Recorded(ir::Verified module) : module_(std::move(module)) {}

  const ir::Module& module() const { return module_.module(); }
  /// What the simulated chip would be given. Throws tcp::Refused if it does not lower.
  program::Program program() const;
  /// When each command runs, by a timing model: book, planned, calibrated or detailed. Throws tcp::Refused if it does
  /// not lower, or if there is no such model.
  program::Schedule schedule(std::string_view model = "book") const;
  /// A schedule as a trace, for reports, comparisons and the viewer (tcp/trace). Throws as schedule() does.
  trace::Trace trace(const PlanOptions& options = {}) const;
  /// From the begin of the first command to the end of the last.
  Cycles cycles(std::string_view model = "book") const { return schedule(model).makespan; }

 private:
  ir::Verified module_;
};

namespace detail {

/// The kernel has returned: checks and places what it did, and does not run it. Tensors that it made hold nothing.
ir::Verified keep_recording(Job* job);

}  // namespace detail

/// Throws tcp::Refused if the kernel is refused.
template <std::int64_t Chips = 1, class Kernel, class... Args>
[[nodiscard]] Recorded record(Kernel&& kernel, Context& ctx, Args&&... args) {
  using R = typename detail::KernelResult<Kernel, Args...>::type;
  detail::JobHandle const job(detail::open_job(ctx.session(), Chips, detail::signature_of<std::remove_cvref_t<Kernel>>()));
  if (!detail::is_open(job.get())) detail::finish_job(job.get());
  try {
    if constexpr (std::is_void_v<R>) {
      std::forward<Kernel>(kernel)(ctx, std::forward<Args>(args)...);
      return Recorded(detail::keep_recording(job.get()));
    } else {
      // What is returned are the results, as long as it is there.
      [[maybe_unused]] R const results = std::forward<Kernel>(kernel)(ctx, std::forward<Args>(args)...);
      return Recorded(detail::keep_recording(job.get()));
    }
  } catch (...) {
    detail::fail_job(job.get());
    throw;
  }
}

}  // namespace tcp
