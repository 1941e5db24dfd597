// The Vector Engine of one slice: its stage programme, step by step.
//
// Flits have lanes; every lane has its execution id, every flit the number of its lanes that hold data. In two-group
// mode the flits of both groups alternate in one stream, and a lane's id says to which group it belongs.
#pragma once

#include "sim/engines.hpp"

namespace tcp::sim {

/// operations.cpp. The operation of a step, of one lane.
std::uint32_t computed(const program::OperateStep& step, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel numeric);
/// Where the arguments of an operation come from, in order: 0 the stream, 1 and 2 its operands; the end of the text
/// ends them.
const char* arguments_of(const program::OperateStep& step);
bool holds(const program::Comparison& c, std::uint32_t bits, bool floating, NumericModel numeric);

/// valid_count.cpp
std::int64_t valid_lanes(const program::ValidCount& c, std::int64_t slice, std::int64_t flit);

/// reduce.cpp. What a reduce has found so far: nothing, or a value.
class Fold {
 public:
  Fold() = default;
  Fold(std::uint32_t bits, std::uint8_t undefined) : bits_(bits), undefined_(undefined), any_(true) {}

  /// `op`: Add, AddSat, Max, Min, Mul.
  void join(const Fold& other, std::uint8_t op, bool floating, NumericModel numeric);
  /// As join, but an element that is the first to come is an operand, too, and canonical afterwards.
  void take(const Fold& element, std::uint8_t op, bool floating, NumericModel numeric);

  bool any() const { return any_; }
  std::uint32_t bits() const { return bits_; }
  std::uint8_t undefined() const { return any_ ? undefined_ : 1; }

 private:
  std::uint32_t bits_ = 0;
  std::uint8_t undefined_ = 0;
  bool any_ = false;
};

class VectorEngine {
 public:
  VectorEngine(const PassContext& context, const program::Vector& v, std::int64_t slice, SparseMemory& vrf, Stream in);

  /// The steps from the next one to `end`, none of which is an inter-slice reduce.
  Verdict run(std::size_t end);
  /// The inter-slice reduce that comes next: what the slices of a group come to, at every step. `group`: their engines,
  /// null where none works.
  Stream folded_with(const std::vector<const VectorEngine*>& group, std::int64_t first_slice) const;
  /// Goes on after it with this slice's part of that.
  void take_reduced(const Stream& folded, std::int64_t first_slice);
  /// A slice that had nothing to do before an inter-slice reduce: it comes in with the others of its group.
  void skip_to(std::size_t step, const VectorEngine& like) {
    next_ = step;
    floating_ = like.floating_;
    counted_ = like.counted_;
  }

  const Stream& stream() const { return s_; }
  Stream& stream() { return s_; }

 private:
  using Step = program::VectorStep;

  void count_lanes();
  /// One step on the whole stream; not WriteOperand (run_in_time) or InterSliceReduce (take_reduced), which tie flits
  /// or slices together.
  Verdict step(const Step& step);
  Verdict run_in_time(std::size_t end);
  void each_flit_of(const Step& step, std::int64_t begin, std::int64_t end);

  /// The execution id of a lane, and whether it is known.
  struct Id {
    std::uint8_t id = 0, undefined = 0;
  };
  struct Lane {
    std::int64_t flit, lane;
  };
  Id id_of(const program::Unconditional& by, Lane at) const;
  Id id_of(const program::Toggle& by, Lane at) const;
  Id id_of(const program::ByValidCount& by, Lane at) const;
  Id id_of(const program::Comparisons& by, Lane at) const;
  Id id_of(const program::VrfWalk& by, Lane at) const;
  template <class By>
  void branch(const By& by);
  void operate(const program::OperateStep& step, std::int64_t begin, std::int64_t end);
  void convert(const program::ConvertStep& step, std::int64_t begin, std::int64_t end);
  void become(bool floating);
  void log(const program::BranchLogStep& step);
  void zip(const program::OperateStep& step);
  void reshape(program::ReshapeStep::Width width);
  void unzip(const program::UnzipStep& step);
  Verdict filter(const program::FilterStep& step, std::int64_t time_out);
  void reduce(const program::IntraSliceReduceStep& step);

  /// The place of a lane in Time and Packet together, as walks through VRF count it.
  std::int64_t position(std::int64_t flit, std::int64_t lane) const {
    std::int64_t const step = groups_ ? flit / (2 * alternate_) * alternate_ + flit % alternate_ : flit;
    return step * s_.lanes + lane;
  }
  struct Word {
    std::uint32_t bits = 0;
    std::uint8_t undefined = 0;
  };
  Word load(const program::VrfWalk& walk, std::int64_t position) const;
  void store(std::int64_t address, const Word& word);
  Word operand(const program::OperandSlot& slot, std::int64_t flit, std::int64_t lane) const;
  void forget_ids();
  std::int64_t count(std::int64_t flit) const { return count_[static_cast<std::size_t>(flit)]; }

  const PassContext& context_;
  const program::Vector& v_;
  std::int64_t slice_;
  SparseMemory& vrf_;
  Stream s_, stash_;
  std::vector<std::uint8_t> id_, id_undefined_;  // by lane
  std::vector<std::uint8_t> count_;              // by flit
  std::size_t next_ = 0;
  bool floating_, groups_ = false, counted_ = false;
  std::int64_t alternate_ = 1;
};

}  // namespace tcp::sim
