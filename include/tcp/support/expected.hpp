// Expected<T>: a value, or the refusal that takes its place. Works in constant expressions for trivially copyable
// T.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "tcp/support/bug.hpp"
#include "tcp/support/refusal.hpp"

namespace tcp {

template <class T>
class [[nodiscard]] Expected {
  static constexpr bool trivial = std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>;

 public:
  using value_type = T;

  constexpr Expected(const T& v) : value_(v), ok_(true) {}
  constexpr Expected(T&& v) : value_(std::move(v)), ok_(true) {}
  constexpr Expected(const Refusal& r) : refusal_(r), ok_(false) {}

  constexpr Expected(const Expected&) requires trivial = default;
  constexpr Expected& operator=(const Expected&) requires trivial = default;
  constexpr ~Expected() requires trivial = default;

  Expected(const Expected& o) requires(!trivial) : ok_(o.ok_) {
    if (ok_) ::new (&value_) T(o.value_);
    else ::new (&refusal_) Refusal(o.refusal_);
  }
  Expected(Expected&& o) noexcept requires(!trivial) : ok_(o.ok_) {
    if (ok_) ::new (&value_) T(std::move(o.value_));
    else ::new (&refusal_) Refusal(o.refusal_);
  }
  Expected& operator=(Expected o) noexcept requires(!trivial) {
    this->~Expected();
    ::new (this) Expected(std::move(o));
    return *this;
  }
  ~Expected() requires(!trivial) {
    if (ok_) value_.~T();
  }

  constexpr bool ok() const { return ok_; }
  constexpr explicit operator bool() const { return ok_; }

  /// Asking a refusal for its value is our bug, never the user's mistake.
  constexpr const T& value() const& {
    TCP_BUG_UNLESS(ok_, "the value of a refusal was asked for");
    return value_;
  }
  constexpr T&& value() && {
    TCP_BUG_UNLESS(ok_, "the value of a refusal was asked for");
    return std::move(value_);
  }
  constexpr const T& operator*() const& { return value(); }
  constexpr T&& operator*() && { return std::move(*this).value(); }
  constexpr const T* operator->() const { return &value(); }

  constexpr const Refusal& refusal() const {
    TCP_BUG_UNLESS(!ok_, "the refusal of a value was asked for");
    return refusal_;
  }

 private:
  union {
    T value_;
    Refusal refusal_;
  };
  bool ok_;
};

/// Accepted, or refused. What every rule returns.
template <>
class [[nodiscard]] Expected<void> {
 public:
  constexpr Expected() : nothing_{}, ok_(true) {}
  constexpr Expected(const Refusal& r) : refusal_(r), ok_(false) {}

  constexpr bool ok() const { return ok_; }
  constexpr explicit operator bool() const { return ok_; }
  constexpr const Refusal& refusal() const {
    TCP_BUG_UNLESS(!ok_, "the refusal of an acceptance was asked for");
    return refusal_;
  }

 private:
  union {
    char nothing_;
    Refusal refusal_;
  };
  bool ok_;
};

using Verdict = Expected<void>;

constexpr Verdict accept() { return {}; }

/// Whether there is a value, without the value.
template <class T>
constexpr Verdict verdict(const Expected<T>& e) {
  if (!e) return e.refusal();
  return accept();
}

}  // namespace tcp
