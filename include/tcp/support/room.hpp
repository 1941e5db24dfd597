// Memory of the host that runs out: an error of the machine, said like any other.
#pragma once

#include <new>
#include <stdexcept>
#include <utility>

#include "tcp/support/expected.hpp"

namespace tcp {

inline Refusal out_of_memory(Where at = {}) {
  return refuse("exec-out-of-memory", at)
      .what("the kernel takes more memory than the system gives")
      .why("tensors are kept as a whole, with notes on which elements are defined")
      .help("take smaller tensors, end other programs, choose the backend vector, or use a larger machine");
}

/// What `work` gives, an Expected; where memory runs out on the way, the refusal.
template <class Work>
auto within_memory(Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {
    return out_of_memory();
  }
}

}  // namespace tcp
