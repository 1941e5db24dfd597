// What kernels take on the chip, beside what they cannot do without: docs/kernels.md, the lines `ratio bound_...` of `make bench`, and the test that keeps the page
// current are all made of these cases. A case is recorded, lowered and scheduled; no value is computed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/work/work.hpp"
#include "recorder.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/program/program.hpp"

namespace tcp::figures {

/// Arguments of a kernel, each at the next free address of HBM.
class Arguments {
 public:
  dyn::Tensor operator()(ScalarType type, const Mapping& chip, const Mapping& element) {
    std::int64_t const here = next_, bytes = element.size * scalar_info(type).packet_bits / 8;
    next_ += (bytes + 4095) / 4096 * 4096;
    return dyn::Tensor::hbm_at(here, type, chip, element);
  }
  dyn::Tensor operator()(ScalarType type, const Mapping& element) { return (*this)(type, dyn::one, element); }

 private:
  std::int64_t next_ = 0;
};

/// A kernel at a size: what it writes down, and what it cannot do without.
struct Case {
  std::string kernel, size;
  bool quick = true;  // cheap enough for every test run
  std::int64_t chips = 1;
  std::function<void(Context&, Arguments&)> record{};
  std::function<kernels::Work()> work{};
  const char* ratio = nullptr;  // the name of its line in `make bench`,
  double bar = 0;               // and what that is to be at least
};

struct Figure {
  kernels::WorkCycles bound;
  std::int64_t book = 0, calibrated = 0;
  std::size_t commands = 0;

  double of_bound(std::int64_t cycles) const { return static_cast<double>(bound.bound().value) / static_cast<double>(cycles); }
};

program::Program program_of(const Case& c);
Figure figure_of(const Case& c);

/// A whole model, from what a layer and the head take: layer after layer, and nothing between them.
struct Throughput {
  std::string model, step;
  std::int64_t layers = 1;
  std::int64_t tokens = 1;  // that a step gives
  Case layer, head;
  std::string published;
};
std::vector<Throughput> throughputs();
std::string row_of(const Throughput& t);

/// All cases, in the order of the page.
std::vector<Case> all_cases();

/// What a case's row of the page begins with, and all of it.
std::string head_of(const Case& c);
std::string row_of(const Case& c, const Figure& f);

}  // namespace tcp::figures
