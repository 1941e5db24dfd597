// A tensor in the host's memory: plain elements, one after the other in the order of Element, padding included.
#pragma once

#include <cstddef>

#include "tcp/dsl/tensor.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/random.hpp"

namespace tcp {

namespace detail {

/// Elements in host memory, each in a place of its own of `width` bytes.
struct HostElements {
  void* data = nullptr;
  std::size_t width = 1;
};

/// Zeroed memory for n elements of `width` bytes; refused if there is not that much.
void* allocate_elements(std::size_t n, std::size_t width, Where at);
void free_elements(void* data) noexcept;
[[noreturn]] void refuse_no_room(std::size_t n, std::size_t width, Where at);
[[noreturn]] void refuse_no_element(const Index& index, const Mapping& element, Where at);
[[noreturn]] void refuse_wrong_count(std::size_t given, std::size_t wanted, const Mapping& element, Where at);

[[noreturn]] void refuse_no_value(double given, ScalarType type, Where at);
[[noreturn]] void refuse_no_position(std::size_t position, const Mapping& element, std::size_t count, Where at);

/// A number as an element: whole numbers exactly, or not at all; floating-point numbers are rounded.
template <Scalar D>
constexpr D element_of(const D& x, Where) {
  return x;
}
template <Scalar D, class Number>
constexpr D element_of(const Number& x, Where at) requires std::is_arithmetic_v<Number> {
  if constexpr (is_integer(D::type)) {
    double const wanted = static_cast<double>(x);
    bool const countable = wanted >= -2147483648.0 && wanted <= 2147483647.0;
    D const found = D::from_int(countable ? static_cast<std::int64_t>(x) : 0);
    if (static_cast<double>(found.to_int()) != wanted) refuse_no_value(wanted, D::type, at);
    return found;
  } else {
    return D::from_double(static_cast<double>(x));
  }
}

/// A position in a host tensor, and where it is asked for.
struct HostPosition {
  std::size_t position;
  Where at;

  template <class Number>
  constexpr HostPosition(Number p, Where where = std::source_location::current()) requires std::is_integral_v<Number>
      : position(static_cast<std::size_t>(p)), at(where) {}
};

Handle upload(Session* session, const HostElements& from, const Layout& host, const Layout& to, Address address, Where at);
/// A tensor in HBM without values.
Handle declare(Session* session, const Layout& to, Address address, Where at);
void download(Session* session, Node* from, const HostElements& to, const Layout& host, Where at);

}  // namespace detail

template <Scalar D, MapType Element>
class [[nodiscard]] HostTensor {
 public:
  /// Zeros.
  explicit HostTensor(Where at = std::source_location::current())
      : data_(static_cast<D*>(detail::allocate_elements(count(), sizeof(D), at))) {}
  HostTensor(const HostTensor& o) : HostTensor() {
    for (std::size_t i = 0; i < count(); ++i) data_[i] = o.data_[i];
  }
  HostTensor(HostTensor&& o) noexcept : data_(o.data_) { o.data_ = nullptr; }
  HostTensor& operator=(HostTensor o) noexcept {
    D* const mine = data_;
    data_ = o.data_;
    o.data_ = mine;
    return *this;
  }
  ~HostTensor() { detail::free_elements(data_); }

  /// Integers over the whole range of the type, floating-point numbers between -1 and 1. The same seed gives the same
  /// contents.
  static HostTensor rand(Random& random) {
    HostTensor t;
    for (D& x : t) x = drawn(random);
    return t;
  }
  /// From anything with begin and end: numbers, or elements of D, for every position in order.
  template <class Range>
  static HostTensor from(const Range& values, Where at = std::source_location::current()) {
    HostTensor t(at);
    std::size_t n = 0;
    for (const auto& v : values) {
      if (n < count()) t.data_[n] = detail::element_of<D>(v, at);
      ++n;
    }
    if (n != count()) detail::refuse_wrong_count(n, count(), Element::mapping, at);
    return t;
  }
  static HostTensor full(D value) {
    HostTensor t;
    for (D& x : t) x = value;
    return t;
  }

  static constexpr std::size_t count() { return static_cast<std::size_t>(Element::size); }
  std::size_t size() const { return count(); }
  D* data() { return data_; }
  const D* data() const { return data_; }
  D* begin() { return data_; }
  D* end() { return data_ + count(); }
  const D* begin() const { return data_; }
  const D* end() const { return data_ + count(); }
  /// The element at a position, padding included; refused beyond the end.
  D& operator[](detail::HostPosition p) { return data_[checked(p)]; }
  const D& operator[](detail::HostPosition p) const { return data_[checked(p)]; }
  /// The element at an index: t.at(index(A.at(2), B.at(3))).
  D& at(const Index& index, Where where = std::source_location::current()) { return data_[position_of(index, where)]; }
  const D& at(const Index& index, Where where = std::source_location::current()) const { return data_[position_of(index, where)]; }

  /// Over PCIe; the layout may change on the way.
  template <MapType Chip, MapType Element2>
  [[nodiscard]] HbmTensor<D, Chip, Element2> to_hbm(const Pdma& dma, Address address = {}, Chip = {}, Element2 = {},
                                                    Where at = std::source_location::current()) const {
    using To = detail::HbmType<D, Chip, Element2>;
    TCP_REFUSE(detail::transfer_verdict<Side, To>());
    return HbmTensor<D, Chip, Element2>(detail::upload(dma.session, {data_, sizeof(D)}, Side::layout, To::layout, address, at));
  }
  struct Into {
    const HostTensor& from;
    const Pdma& dma;
    Address address;
    Where at;
    template <MapType Chip, MapType Element2>
    operator HbmTensor<D, Chip, Element2>() && {
      return from.template to_hbm<Chip, Element2>(dma, address, {}, {}, at);
    }
  };
  [[nodiscard]] Into to_hbm(const Pdma& dma, Address address = {}, Where at = std::source_location::current()) const {
    return {*this, dma, address, at};
  }

 private:
  using Side = detail::TensorType<Memory::Host, D, m<1>, m<1>, m<1>, Element>;

  static std::size_t checked(const detail::HostPosition& p) {
    if (p.position >= count()) detail::refuse_no_position(p.position, Element::mapping, count(), p.at);
    return p.position;
  }
  static D drawn(Random& random) {
    if constexpr (is_integer(D::type) || D::type == ScalarType::f4e2m1) return D::from_bits(static_cast<std::uint32_t>(random.next()));
    else return D::from_double(static_cast<double>(random.between(-(1 << 24), 1 << 24)) / (1 << 24));
  }
  static std::size_t position_of(const Index& index, Where where) {
    Levels levels;
    levels.set(Level::element, Element::mapping);
    Place found;
    if (!find_place(levels, index, found)) detail::refuse_no_element(index, Element::mapping, where);
    return static_cast<std::size_t>(found.element);
  }

  D* data_ = nullptr;
};

template <Scalar D, MapType Chip, MapType Element>
template <MapType Element2>
HostTensor<D, Element2> HbmTensor<D, Chip, Element>::to_host(const Pdma& dma, Element2, Where at) const {
  using Side = detail::TensorType<Memory::Host, D, m<1>, m<1>, m<1>, Element2>;
  TCP_REFUSE(verdict(check_transfer(target, D::type, Chip::size, T::dma(), Side::dma())));
  HostTensor<D, Element2> out(at);
  detail::download(dma.session, this->node(), {out.data(), sizeof(D)}, Side::layout, at);
  return out;
}

}  // namespace tcp
