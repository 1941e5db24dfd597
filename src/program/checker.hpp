// What the parts of check() share: where in the program they are, and the five things that can be wrong with a number.
#pragma once

#include <limits>
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

  // The five. Each refuses unless the number is right.
  void number(const char* name, std::int64_t v, std::int64_t least, std::int64_t most = any);
  template <class T>
  void at_most(const char* name, const std::vector<T>& list, std::int64_t most) {
    number(name, static_cast<std::int64_t>(list.size()), 0, most);
  }
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
  void side(const char* name, const DmaSide& s, Reach r);
  void itos(const Itos& i);
  void range(const Range& r);
  void region(const Region& r);
  void table(const Table& t);
  void debug(std::int32_t number);

  // check_exec.cpp
  Checked loops(const std::vector<Loop>& all);
  void sequencer(const char* name, const Sequencer& s);
  void fetch(const Fetch& f);
  void mask(const Mask& m, const Fetch& f);
  void switching(const Switch& s);
  void contraction(const Contraction& c);
  std::int64_t trf_row(std::int64_t rows) const;
  void time_loops(const char* name, const std::vector<TimeLoop>& all, std::int64_t steps);
  void valid_count(const ValidCount& v);
  void vector(const Vector& v);
  void vector_step(const VectorStep& s);
  void walk(const VrfWalk& w);
  void transpose(const Transpose& t);
  void sink(const Commit& c);
  void sink(const TrfStore& t);
  void sink(const VrfStore& v);

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
