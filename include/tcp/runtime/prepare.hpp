// prepare(kernel, ctx, tensors…): a kernel that is recorded, checked and placed once, and then launched as often as
// wanted. A launch costs its data.
//
//   auto const product = prepare(gemm, ctx, a, b);
//   for (const auto& x : inputs) results.push_back(product.launch(x, b).get());
//
// Later launches take tensors of the same types and layouts, wherever they are. The kernel itself is called only once:
// numbers among its arguments must be what they were then, and so should be all else that it looks at. Its results are
// new tensors at each launch; where the kernel gives a result an address, they are there, each in place of the last.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tcp/dsl/dynamic.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/runtime/launch.hpp"

namespace tcp {

/// Whether tensors are all that a type holds, so that a prepared launch sees everything that has changed in it. A
/// structure of tensors may say so: template <> inline constexpr bool tcp::holds_tensors_only<Weights> = true;
template <class T>
inline constexpr bool holds_tensors_only = false;
template <Scalar D, MapType Chip, MapType Element>
inline constexpr bool holds_tensors_only<HbmTensor<D, Chip, Element>> = true;
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
inline constexpr bool holds_tensors_only<DmTensor<D, Chip, Cluster, Slice, Element>> = true;
template <>
inline constexpr bool holds_tensors_only<dyn::Tensor> = true;
template <class... T>
inline constexpr bool holds_tensors_only<std::tuple<T...>> = (holds_tensors_only<T> && ...);
template <class A, class B>
inline constexpr bool holds_tensors_only<std::pair<A, B>> = holds_tensors_only<A> && holds_tensors_only<B>;
template <class T, std::size_t N>
inline constexpr bool holds_tensors_only<std::array<T, N>> = holds_tensors_only<T>;
template <class T>
inline constexpr bool holds_tensors_only<std::vector<T>> = holds_tensors_only<T>;
template <class T>
inline constexpr bool holds_tensors_only<std::optional<T>> = holds_tensors_only<T>;

namespace detail {

/// The tensors in something, in the order in which a copy of it copies them.
class FoundHandles final : public HandleCopies {
 public:
  template <class... T>
  static std::vector<Handle> in(const T&... all) {
    FoundHandles found;
    (found.look_at(all), ...);
    return std::move(found.handles_);
  }
  Node* instead_of(Node* node) noexcept override;

 private:
  template <class T>
  void look_at(const T& of) {
    [[maybe_unused]] T const copy(of);
  }

  std::vector<Handle> handles_;
};

/// Gives the tensors in a copy others in their order.
class ReplacedHandles final : public HandleCopies {
 public:
  explicit ReplacedHandles(const std::vector<Handle>& by) : by_(by) {}
  Node* instead_of(Node* node) noexcept override;

 private:
  const std::vector<Handle>& by_;
  std::size_t next_ = 0;
};

/// What was recorded, and how later arguments and results take the places of the first.
class PreparedKernel;
struct PreparedLaunch {
  JobHandle job;
  std::vector<Handle> result;  // what takes the place of each tensor in the first result
};

/// The kernel has returned. `given` are the tensors of its arguments, `returned` those of its result.
std::shared_ptr<PreparedKernel> prepare_job(Job* job, const std::vector<Handle>& given, const std::vector<Handle>& returned);
/// Throws tcp::Refused: other tensors than the kernel was prepared for, a context that has gone.
PreparedLaunch launch_prepared(PreparedKernel& kernel, const std::vector<Handle>& given);
[[noreturn]] void refuse_other_number(int argument);

/// A number that the kernel was given when it was recorded; nothing of other arguments.
template <class T>
struct GivenNumber {
  explicit GivenNumber(const T&) {}
  bool is(const T&) const { return true; }
};
template <class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) struct GivenNumber<T> {
  explicit GivenNumber(const T& given) : value(given) {}
  bool is(const T& now) const { return now == value; }
  T value;
};

template <class T>
inline constexpr bool can_be_prepared = holds_tensors_only<T> || std::is_arithmetic_v<T> || std::is_enum_v<T>;

}  // namespace detail

/// A kernel that is ready to be launched. Copies share what was recorded.
template <class R, class... Args>
class Prepared {
 public:
  /// What launch(kernel, ctx, args…) does. Throws tcp::Refused if these are not tensors that the kernel was prepared
  /// for.
  Launch<R> launch(const Args&... args) const {
    check_numbers(std::index_sequence_for<Args...>(), args...);
    detail::PreparedLaunch made = detail::launch_prepared(*kernel_, detail::FoundHandles::in(args...));
    if constexpr (std::is_void_v<R>) {
      return Launch<R>(std::move(made.job));
    } else {
      detail::ReplacedHandles const fresh(made.result);
      return Launch<R>(std::move(made.job), *result_);
    }
  }

 private:
  template <std::int64_t Chips, class Kernel, class... Given>
  friend auto prepare(Kernel&& kernel, Context& ctx, const Given&... args);

  struct Nothing {};
  using Result = std::conditional_t<std::is_void_v<R>, Nothing, R>;

  explicit Prepared(const Args&... args) : numbers_(detail::GivenNumber<Args>(args)...) {}

  template <std::size_t... I>
  void check_numbers(std::index_sequence<I...>, const Args&... args) const {
    ((std::get<I>(numbers_).is(args) ? void() : detail::refuse_other_number(static_cast<int>(I))), ...);
  }

  std::shared_ptr<detail::PreparedKernel> kernel_;
  std::shared_ptr<const Result> result_;  // the first, which holds no values
  std::tuple<detail::GivenNumber<Args>...> numbers_;
};

/// Records a kernel to be launched later. Throws tcp::Refused if it is refused.
template <std::int64_t Chips = 1, class Kernel, class... Args>
[[nodiscard]] auto prepare(Kernel&& kernel, Context& ctx, const Args&... args) {
  static_assert(
      (detail::can_be_prepared<Args> && ...),
      "a prepared kernel sees the tensors of its arguments, and compares numbers: where a type of yours holds tensors only, say so "
      "with tcp::holds_tensors_only");
  using R = typename detail::KernelResult<Kernel, const Args&...>::type;
  Prepared<R, Args...> prepared(args...);
  detail::JobHandle const job(detail::open_job(ctx.session(), Chips, detail::signature_of<std::remove_cvref_t<Kernel>>()));
  if (!detail::is_open(job.get())) detail::finish_job(job.get());
  try {
    auto const given = detail::FoundHandles::in(args...);
    if constexpr (std::is_void_v<R>) {
      kernel(ctx, args...);
      prepared.kernel_ = detail::prepare_job(job.get(), given, {});
    } else {
      auto const result = std::make_shared<const R>(kernel(ctx, args...));
      prepared.kernel_ = detail::prepare_job(job.get(), given, detail::FoundHandles::in(*result));
      prepared.result_ = result;
    }
  } catch (...) {
    detail::fail_job(job.get());
    throw;
  }
  return prepared;
}

}  // namespace tcp
