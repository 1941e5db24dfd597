// The exception that carries a refusal out of the typed front end at run time. Library functions return Expected
// instead.
#pragma once

#include <exception>

#include "tcp/support/expected.hpp"

namespace tcp {

class Refused : public std::exception {
 public:
  explicit Refused(const Refusal& r) : refusal_(r), sentence_(r.sentence()) {}

  const Refusal& refusal() const { return refusal_; }
  const char* what() const noexcept override { return sentence_.s; }

 private:
  Refusal refusal_;
  Text sentence_;
};

/// The value, or the refusal thrown.
template <class T>
T value_or_throw(Expected<T> e) {
  if (!e) throw Refused(e.refusal());
  return std::move(e).value();
}
inline void throw_if_refused(const Verdict& v) {
  if (!v) throw Refused(v.refusal());
}

}  // namespace tcp
