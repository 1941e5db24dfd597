// What a kernel works with: the two contexts of the Tensor Unit and the two DMA engines of one device.
#pragma once

#include "tcp/dsl/host_tensor.hpp"
#include "tcp/dsl/stream.hpp"

namespace tcp {

/// A context of the Tensor Unit: passes begin here.
template <class On>
class TuContext {
 public:
  constexpr explicit TuContext(detail::Session* s) : session_(s) {}

  template <class T>
  [[nodiscard]] constexpr auto begin(const detail::TensorView<T>& view, Where at = std::source_location::current()) const {
    static_assert(T::memory == Memory::Dm, "a pass begins with a tensor in DM");
    return BeginTensor<On, T>(detail::begin(session_, On::context, On::dual, detail::node_of(view), nullptr, {}, at));
  }
  template <class T, class Self>
  constexpr auto begin(const detail::WholeTensor<T, Self>& tensor, Where at = std::source_location::current()) const {
    TCP_REFUSE(detail::view_missing<T>());
    return begin(tensor.view(), at);
  }
  /// Two tensors that take turns, told apart by axis I of size 2 in Time: begin_interleaved<I>(a.view(), b.view()).
  template <auto I, class T, class U>
  [[nodiscard]] constexpr auto begin_interleaved(const detail::TensorView<T>& first, const detail::TensorView<U>& second,
                                                 Where at = std::source_location::current()) const {
    static_assert(T::memory == Memory::Dm && U::memory == Memory::Dm, "a pass begins with tensors in DM");
    constexpr Name axis = detail::axis_name<I>();
    TCP_REFUSE(check_begin_interleaved(target, axis, m<I>::size, T::Type::type, T::levels(), U::Type::type, U::levels()));
    return BeginTensor<On, T, detail::TurnsOf<I>>(
        detail::begin(session_, On::context, On::dual, detail::node_of(first), detail::node_of(second), axis, at));
  }

 protected:
  detail::Session* session_;
};

class MainContext : public TuContext<OnMain> {
 public:
  using TuContext::TuContext;
  /// With both channels of the switch; the sub context is then occupied.
  [[nodiscard]] constexpr TuContext<OnMainDual> dual() const { return TuContext<OnMainDual>(session_); }
};

class SubContext : public TuContext<OnSub> {
 public:
  using TuContext::TuContext;

  /// One value into all elements of a DM tensor, of any size: memset<DmTensor<f32, …>>(1.0, address). The value is a
  /// number, or an element of the tensor's type.
  template <class Tensor, class Value>
  [[nodiscard]] constexpr Tensor memset(const Value& value, Address address = {}, Where at = std::source_location::current()) const {
    using T = typename Tensor::tensor_type;
    check_memory<T>();
    detail::Handle made = detail::tensor_at(session_, T::memory, T::layout, address, at);
    detail::memset(session_, made.get(), word_of<T>(value, at), at);
    return Tensor(static_cast<detail::Handle&&>(made));
  }
  template <class T, class Value>
  constexpr void memset(const detail::TensorViewMut<T>& to, const Value& value, Where at = std::source_location::current()) const {
    check_memory<T>();
    detail::memset(session_, detail::node_of(to), word_of<T>(value, at), at);
  }

 private:
  template <class T, class Value>
  static constexpr std::uint32_t word_of(const Value& value, Where at) {
    using D = typename T::Type;
    constexpr bool fits = std::is_arithmetic_v<Value> || std::is_same_v<Value, D>;
    static_assert(fits, "memset takes a number, or an element of the tensor's type");
    if constexpr (fits) return word_full_of(D::type, detail::element_of<D>(value, at).bits);
    else return 0;
  }
  template <class T>
  static constexpr Verdict memset_verdict() {
    if (T::memory != Memory::Dm) return memset_refused(name_of(T::memory));
    return verdict(check_memset(target, Tu::Sub, T::Type::type, T::Element::mapping, Bytes{0}));
  }
  template <class T>
  static constexpr void check_memory() {
    TCP_REFUSE(memset_verdict<T>());
  }
};

/// Marks what is recorded while it lives as one iteration of a named region, for reports.
class [[nodiscard]] RegionMark {
 public:
  RegionMark(detail::Session* session, const char* name, std::int64_t index, Where at, bool kept = false);
  ~RegionMark();
  RegionMark(const RegionMark&) = delete;
  RegionMark& operator=(const RegionMark&) = delete;

 private:
  detail::Session* session_;
};

struct ContextOptions;

/// The device, for one user at a time.
class Context {
 public:
  /// Waits until the device is free, or refuses, by option. Defined by tcp::runtime; without options, the environment's
  /// (docs/environment.md), on the chip that the program was compiled for.
  [[nodiscard]] static Context acquire(Where at = std::source_location::current()) { return acquire_for(target, at); }
  [[nodiscard]] static Context acquire(const ContextOptions& options, Where at = std::source_location::current());

  explicit Context(detail::Session* session);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] RegionMark region(const char* name, std::int64_t index = 0, Where at = std::source_location::current()) {
    return {session_, name, index, at};
  }
  /// A region for a round of a loop that is not unrolled: the model `planned` moves no command into it or out of it, as
  /// the vendor's scheduler does.
  [[nodiscard]] RegionMark round(const char* name, std::int64_t index, Where at = std::source_location::current()) {
    return {session_, name, index, at, true};
  }
  constexpr detail::Session* session() const { return session_; }

  /// A new tensor in a kernel whose address is chosen when the kernel is placed, undefined until it is written:
  /// ctx.empty<DmTensor<f32, ...>>().
  template <class Tensor>
  [[nodiscard]] constexpr Tensor empty(Where at = std::source_location::current()) const {
    using T = typename Tensor::tensor_type;
    TCP_REFUSE(detail::tensor_verdict<T>());
    return Tensor(detail::tensor_at(session_, T::memory, T::layout, {}, at));
  }
  /// A tensor in HBM between kernels that has a place and no values: an argument of a kernel that is recorded and not
  /// run (tcp/runtime/record.hpp).
  template <class Tensor>
  [[nodiscard]] Tensor declared(Address address = {}, Where at = std::source_location::current()) const {
    using T = typename Tensor::tensor_type;
    static_assert(T::memory == Memory::Hbm, "between kernels there are tensors in HBM only");
    TCP_REFUSE(detail::tensor_verdict<T>());
    return Tensor(detail::declare(session_, T::layout, address, at));
  }

 private:
  static Context acquire_for(const Device& chip, Where at);

  detail::Session* session_;  // counted

 public:
  MainContext main;
  SubContext sub;
  Tdma tdma;
  Pdma pdma;
};

}  // namespace tcp
