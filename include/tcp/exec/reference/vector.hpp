// What the intra-slice block of the Vector Engine means, over whole tensors.
//
// An operation makes a new element of an element, its execution id and its operands: the others do not matter. So most
// of this needs no mapping. Order matters in two places only: a filter puts what it keeps one after the other, and an
// operand that is written back is read in later time steps.
//
// An undefined element makes every result undefined that it takes part in, with the same origin; so does an undefined
// execution id, where it decides.
#pragma once

#include <vector>

#include "tcp/exec/reference/value.hpp"
#include "tcp/rules/vector.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::reference {

/// One operand: the bits of a constant are in its shape; a VRF tensor and the stash are values, repeated over the axes
/// that they lack.
struct OperandValue {
  OperandShape shape{};
  const Value* value = nullptr;
};

/// A step that computes (Logic, Fxp, Float, FpDiv, Clip) or converts, with its operands in the order of their slots.
struct VectorOp {
  VectorStep step{};
  std::vector<OperandValue> operands;
};

/// The type of the stream after a step.
ScalarType type_after(const VectorStep& step, ScalarType type);

/// The operation on numbers, to the last bit: a, b and c are its arguments in order.
std::uint32_t computed(const VectorStep& step, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel model);

/// One element of the stream through an operation. A lane that no operand slot claims, or whose group is skipped,
/// passes unchanged.
Element operate(const VectorOp& op, const Element& x, const Element& execution_id, const Index& index, NumericModel model);
Value operate(const VectorOp& op, const Value& stream, const Value& execution_ids, NumericModel model);

/// The execution ids of a stream's elements, i32. `log` is what BranchMode::Vrf reads.
Value execution_ids(const BranchMode& mode, const Value& stream, const Value* log, NumericModel model);

/// The two groups that an axis of size 2 tells apart, without the axis; and the ids of each, 0 and 8.
struct TwoGroups {
  Value group[2];
};
TwoGroups unzip(const Value& stream, Name axis);
Value group_ids(const Value& group, GroupId id);
Value zip(const VectorStep& step, const TwoGroups& groups, NumericModel model);

/// What a filter lets through, in its new places, and how many lanes of each slice that were.
struct Filtered {
  Value kept;
  Value count;  // i32, over the axes of Chip, Cluster and Slice
};
/// `in` and `out`: Chip, Cluster, Slice, Time and Packet before and after. Places beyond the number kept are undefined,
/// by `origin`.
/// Refused: more lanes than Time after the filter has room for.
Expected<Filtered> filter(const Value& stream, const Value& execution_ids, OperandGuard keep, const Levels& in, const Levels& out,
                          Origin origin, Where at);

/// Operations of which some read what was written in earlier time steps. Among `ops` are vector_write_operand, which
/// stores the element of each lane whose guard holds into `written`, and maybe vector_stash, which stores it into
/// `stash`; operands may be either. `levels` are those before the first of them.
Value operate_in_time(const std::vector<VectorOp>& ops, const Value& stream, const Value& execution_ids, OperandGuard guard, Value& written,
                      Value& stash, const Levels& levels, NumericModel model);

}  // namespace tcp::reference
