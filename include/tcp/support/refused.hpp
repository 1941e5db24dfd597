// The exception that carries a refusal out of the typed front end at run time. Library functions return Expected
// instead.
#pragma once

#include <exception>

#include "tcp/support/expected.hpp"

namespace tcp {

class Refused : public std::exception {
 public:
  explicit Refused(const Refusal& r);

  const Refusal& refusal() const { return refusal_; }
  /// The refusal as render() has it: file and line, what is wrong, why, and what to write instead.
  const char* what() const noexcept override { return what_; }

 private:
  static constexpr int room = 4 * Text::room;  // three texts, and the name of a file

  Refusal refusal_;
  char what_[room + 1]{};  // inside, so that a copy cannot fail
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
