// Which instruction sets the kernels use, and the processor's rounding mode while they do.
//
// Highway compiles each kernel for several kinds of processors and takes the best that the running one has. All give
// the same bits. Tests and the executor's options may narrow the choice.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/scalar/numeric_model.hpp"

namespace tcp::vector::kernels {

struct Target {
  std::int64_t id = 0;
  const char* name = "";
  bool amx = false;  // and its tiles, for integers of 8 bits
};

/// The best first; the last one is what every processor of this kind has.
std::vector<Target> targets();

/// From now on, in all threads: this target, or with an id of 0 the best again. Not while kernels run.
void use(Target target);

/// Highway's bits of the targets that may be used. Highway asks the processor each time, which under a hypervisor takes
/// as long as a small contraction.
std::int64_t usable_targets();
/// Whether AMX may be used: the processor has it, and the system lets this process.
bool usable_amx();

/// What the processor itself does to subnormals in `rngd`. It judges results before they are rounded, which is the same
/// as after for sums, and for products of numbers with at most 12 digits; for all others results are flushed by hand.
enum class Flushing : std::uint8_t { operands, operands_and_results };

/// In the constructing thread, until destruction: round to nearest, and flush so in `rngd`; in `ieee` nothing is
/// flushed.
class RoundingScope {
 public:
  RoundingScope(NumericModel model, Flushing flushing);
  ~RoundingScope();
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

  /// Whether this kind of processor can; if not, kernels do all of it by hand.
  static bool flushes();

 private:
  std::uint32_t before_;
  bool changed_ = false;
};

}  // namespace tcp::vector::kernels
