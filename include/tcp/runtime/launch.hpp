// launch(kernel, ctx, tensors…): records a kernel by calling it once, hands the recording to the context's backend, and
// goes on.
//
//   auto launched = launch(add_one, ctx, in);            // the host goes on
//   HbmTensor<i32, Chip, m<A>> out = launched.get();     // waits; throws tcp::Refused if the kernel was refused
//
//   auto sums = launch<4>(all_reduce, ctx, parts).get(); // on four chips
//
// A kernel is any callable over (Context&, …). Tensors that it uses are its arguments; tensors in HBM that it returns,
// alone, in tuples or in structs, are its results. Kernels of one context run in the order of their launches.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "tcp/runtime/options.hpp"

namespace tcp {

namespace detail {

class Job;  // one launch

/// Starts a recording. A launch that is refused right away is not open. `kernel` names the kernel's type, as
/// signature_of does.
Job* open_job(Session* session, std::int64_t chips, const char* kernel);
/// The compiler's words for a function of this type: the only place where the name of a type can be read.
template <class Kernel>
constexpr const char* signature_of() {
  return __PRETTY_FUNCTION__;
}
bool is_open(const Job* job);
/// The kernel has returned: checks, places and queues what it did.
void submit_job(Job* job) noexcept;
/// The kernel has thrown, or is not to be run.
void fail_job(Job* job) noexcept;
void wait_for_job(const Job* job);
/// Waits, and throws what went wrong.
void finish_job(const Job* job);
bool is_done(const Job* job);
void retain(Job* job) noexcept;
void release(Job* job) noexcept;

/// Never true: for a launch that is taken for its result.
template <class R>
inline constexpr bool is_waited_for = false;

class JobHandle {
 public:
  explicit JobHandle(Job* taken) : job_(taken) {}
  JobHandle(const JobHandle& o) : job_(o.job_) {
    if (job_ != nullptr) retain(job_);
  }
  JobHandle(JobHandle&& o) noexcept : job_(std::exchange(o.job_, nullptr)) {}
  JobHandle& operator=(JobHandle o) noexcept {
    std::swap(job_, o.job_);
    return *this;
  }
  ~JobHandle() {
    if (job_ != nullptr) release(job_);
  }
  Job* get() const { return job_; }

 private:
  Job* job_;
};

}  // namespace detail

template <std::int64_t Chips = 1, class Kernel, class... Args>
auto launch(Kernel&& kernel, Context& ctx, Args&&... args);

/// A kernel that was launched.
template <class R>
class [[nodiscard]] Launch {
 public:
  explicit Launch(detail::JobHandle job) : job_(std::move(job)) {}
  Launch(detail::JobHandle job, const R& result) : job_(std::move(job)), result_(result) {}

  /// Until the kernel has run, or was refused.
  void wait() const { detail::wait_for_job(job_.get()); }
  bool done() const { return detail::is_done(job_.get()); }
  /// What the kernel returned. Throws tcp::Refused if it was refused.
  R get() {
    detail::finish_job(job_.get());
    return *result_;
  }
  /// Where `.get()` was forgotten.
  operator R() const { static_assert(detail::is_waited_for<R>, "a launch is not its result yet: write launch(...).get()"); }

 private:
  template <std::int64_t Chips, class Kernel, class... Args>
  friend auto launch(Kernel&& kernel, Context& ctx, Args&&... args);

  detail::JobHandle job_;
  std::optional<R> result_;
};
template <>
class [[nodiscard]] Launch<void> {
 public:
  explicit Launch(detail::JobHandle job) : job_(std::move(job)) {}

  void wait() const { detail::wait_for_job(job_.get()); }
  bool done() const { return detail::is_done(job_.get()); }
  void get() { detail::finish_job(job_.get()); }

 private:
  detail::JobHandle job_;
};

namespace detail {

/// What a kernel returns for these arguments.
template <class Kernel, class... Args>
struct KernelResult {
  static_assert(
      std::is_invocable_v<Kernel, Context&, Args...>,
      "the kernel does not take these arguments: after the Context, give it tensors of the types that it declares, in their order");
  struct type {  // whatever is done with it, the sentence above is the one error
    template <class T>
    operator T() const;
  };
};
template <class Kernel, class... Args>
requires std::is_invocable_v<Kernel, Context&, Args...> struct KernelResult<Kernel, Args...> {
  using type = std::remove_cvref_t<std::invoke_result_t<Kernel, Context&, Args...>>;
};

}  // namespace detail

template <std::int64_t Chips, class Kernel, class... Args>
auto launch(Kernel&& kernel, Context& ctx, Args&&... args) {
  using R = typename detail::KernelResult<Kernel, Args...>::type;
  detail::JobHandle const job(detail::open_job(ctx.session(), Chips, detail::signature_of<std::remove_cvref_t<Kernel>>()));
  Launch<R> launched(job);
  if (!detail::is_open(job.get())) return launched;
  try {
    if constexpr (!std::is_invocable_v<Kernel, Context&, Args...>) return launched;  // refused above
    else if constexpr (std::is_void_v<R>) std::forward<Kernel>(kernel)(ctx, std::forward<Args>(args)...);
    else launched.result_.emplace(std::forward<Kernel>(kernel)(ctx, std::forward<Args>(args)...));
    detail::submit_job(job.get());
  } catch (...) {
    detail::fail_job(job.get());
  }
  return launched;
}

}  // namespace tcp
