// Operations that read what they wrote in earlier time steps: a running sum is add(x, written), then written := the
// sum.
//
// Each step of Time goes through all operations before the next begins. Within a step every read comes before every
// write, wherever the two stand; lanes write in their order, so of several that share a place the last one stays.
#pragma once

#include <vector>

#include "exec/vector/chain.hpp"

namespace tcp::vector {

struct TimedOperand {
  OperandShape shape{};
  const Tensor* tensor = nullptr;  // VRF or stash; may be what is written
};

/// An operation among those that go step by step; vector_write_operand and vector_stash are kept by their methods.
struct TimedOp {
  VectorStep step{};
  std::vector<TimedOperand> operands;
};

/// `written` takes the element of each lane whose guard holds, `stash` what vector_stash keeps; both are the caller's
/// own, tracked, and may be operands. `ids`: i32. `stream` has every axis of `levels`, those before the first
/// operation.
Tensor operate_in_time(const std::vector<TimedOp>& ops, const Tensor& stream, const Tensor& ids, OperandGuard guard, Tensor& written,
                       Tensor& stash, const Levels& levels, NumericModel model);

}  // namespace tcp::vector
