// What a program of the corpus must compute, said a second time and in another way than exec/reference says it.
//
// A tensor here is an array over the full extents of its axes. A command is done place by place: the oracle decodes the normal form of the mappings itself,
// asks which index lies at which place, and moves or combines the elements that lie there; it never asks the rules what they found, so the depth of a tree,
// the axes that are summed and the slices that are folded are worked out here once more, from the mappings that the author declared. Where order matters it
// follows the numeric model word for word. Number formats come from scalar/, which has an oracle of its own.
//
// It knows accepted programs only: what a module leaves open, the verifier has refused before.
#pragma once

#include "places.hpp"
#include "program.hpp"
#include "tcp/rules/contraction.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/rules/vector_state.hpp"

namespace tcp::agree {

/// What must come out: the results, elements that undefined values decide being marked; or the code of the refusal at run time.
Ran expected(const ir::Module& module, const std::vector<Numbers>& arguments);

/// Every index that a tensor's mappings hold live, once.
class LiveIndices {
 public:
  LiveIndices(const ir::Module& module, ir::TensorId tensor);
  std::size_t size() const { return at_.size(); }
  Index operator[](std::size_t i) const;

 private:
  AxisTable axes_;
  std::vector<Coordinates> at_;
};

/// How many elements a tensor holds.
std::int64_t live_elements(const ir::Module& module, ir::TensorId tensor);

/// An operation of the vector engine on its arguments, in order.
std::uint32_t computed(const VectorStep& step, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel model);

/// What a reduce makes of two elements, and of one that has no other.
std::uint32_t folded(ReduceOp op, ScalarType type, std::uint32_t a, std::uint32_t b, NumericModel model);
std::uint32_t folded_alone(ScalarType type, std::uint32_t a, NumericModel model);

/// A product in the wide type, and what the tree and the accumulator make of two sums (or maxima).
std::uint32_t product(ScalarType a_type, std::uint32_t a, ScalarType b_type, std::uint32_t b, NumericModel model);
std::uint32_t joined(ContractOp op, ScalarType wide, std::uint32_t a, std::uint32_t b, NumericModel model);

}  // namespace tcp::agree
