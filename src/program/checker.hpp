// What the parts of check() share: where in the program they are, and the seven things that can be wrong with a number.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/checked.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::program {

/// The bytes [low, high) that a walk touches; `fits` is false where they are beyond counting.
struct Reach {
  Checked low, high;

  bool fits() const { return low.fits && high.fits; }
};

class Checker {
 public:
  Checker(const Program& program, const Device& device) : program_(program), device_(device) {}

  bool ok() const { return !refused_; }
  const Refusal& refusal() const { return refusal_; }

  // check.cpp
  void all();
  // check_exec.cpp
  void exec(const Exec& e);

 private:
  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

  /// The way from the root, while a part is looked at; put into words only for a refusal.
  class Inside {
   public:
    Inside(Checker& checker, const char* name, std::size_t index = none) : checker_(checker) { checker.way_.push_back({name, index}); }
    ~Inside() { checker_.way_.pop_back(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

    static constexpr std::size_t none = ~std::size_t{0};

   private:
    Checker& checker_;
  };
  struct Step {
    const char* name;
    std::size_t index;
  };

  template <class T, class Look>
  void each(const char* name, const std::vector<T>& list, Look&& look) {
    for (std::size_t i = 0; i < list.size() && ok(); ++i) {
      Inside const item(*this, name, i);
      look(list[i]);
    }
  }

  template <class T, class Look>
  void if_there(const char* name, const std::optional<T>& part, Look&& look) {
    if (!part || !ok()) return;
    Inside const inside(*this, name);
    look(*part);
  }

  // The seven. Each refuses unless the number is right.
  void number(const char* name, std::int64_t v, std::int64_t least, std::int64_t most = any);
  template <class T>
  void at_most(const char* name, const std::vector<T>& list, std::int64_t most) {
    number(name, static_cast<std::int64_t>(list.size()), 0, most);
  }
  /// A size that the hardware offers: one of a short list.
  void one_of(const char* name, std::int64_t v, const OneOf<std::int64_t>& offered);
  void one_of(const char* name, std::int64_t v, const OneOf<Bytes>& offered);
  /// A size that halving makes: 1, 2, 4 and so on.
  void power_of_two(const char* name, std::int64_t v, std::int64_t most);
  void multiple(const char* name, Checked v, std::int64_t unit);
  void index(const char* name, std::int64_t v, std::int64_t least, std::size_t count);
  void reach(const char* name, Memory memory, Reach r);
  void reach(const char* name, const char* memory, Reach r, std::int64_t capacity);
  void units(const char* name, const Units& u);
  void slices(const char* name, const SliceSet& s);
  void same(const char* name, Checked v, const char* other, Checked w);

  // check.cpp
  void command(const Command& c);
  void dma(const Dma& d);
  void descriptor(const DmaDescriptor& d);
  void aligned(const DmaDescriptor& d);
  void side(const char* name, const DmaSide& s, Reach r);
  void itos(const Itos& i);
  void range(const Range& r);
  void region(const Region& r);
  void table(const Table& t);
  void debug_section(const Debug& d);

  // check_exec.cpp
  Checked loops(const std::vector<Loop>& all);
  void sequencer(const char* name, const Sequencer& s, const OneOf<Bytes>& access_sizes);
  void fetch(const Fetch& f, const Exec& e);
  void mask(const Mask& m, const Fetch& f);
  void switching(const Switch& s);
  void contraction(const Contraction& c);
  void adapter(const StreamAdapter& a, ScalarType type);
  std::int64_t trf_row(std::int64_t rows) const;
  void time_loops(const char* name, const std::vector<TimeLoop>& all, std::int64_t steps);
  void valid_count(const ValidCount& v);
  void vector(const Vector& v);
  void branch_by(const Unconditional&) {}
  void branch_by(const Toggle& t);
  void branch_by(const ByValidCount&) {}
  void branch_by(const Comparisons&) {}
  void branch_by(const VrfWalk& w);
  void step(const BranchStep& b);
  void step(const BranchLogStep& b);
  void step(const OperateStep& o);
  void step(const ConvertStep& c);
  void step(const ReinterpretStep&) {}
  void step(const ReshapeStep&) {}
  void step(const StashStep&) {}
  void step(const WriteOperandStep& w);
  void step(const UnzipStep& u);
  void step(const FilterStep& f);
  void step(const IntraSliceReduceStep& r);
  void step(const InterSliceReduceStep& r);
  void code(const char* name, int v, std::size_t count) { index(name, v, 0, count); }
  void walk(const char* name, const VrfWalk& w);
  void transpose(const Transpose& t, ScalarType type);
  void sink(const Commit& c, const Exec& e);
  void sink(const TrfStore& t, const Exec& e);
  void sink(const VrfStore& v, const Exec& e);

  void stop(const Refusal& r) {
    if (!refused_) refusal_ = r;
    refused_ = true;
  }
  std::string way(const char* name) const;
  std::int64_t capacity(Memory memory) const;
  bool geometry() const { return device_.checks.geometry; }

  const Program& program_;
  const Device& device_;
  std::vector<Step> way_;
  bool refused_ = false;
  Refusal refusal_;
};

template <class Loops>
Reach reach_of(std::int64_t base, const Loops& loops, std::int64_t bytes) {
  Reach r{base, Checked(base) + bytes};
  for (const auto& loop : loops) {
    Checked const way = (Checked(loop.size) - 1) * loop.stride;
    Checked& end = loop.stride < 0 ? r.low : r.high;
    end = end + way;
  }
  return r;
}

}  // namespace tcp::program
