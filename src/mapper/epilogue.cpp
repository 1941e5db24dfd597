// ALUs of each step, and where a pass ends because one would be needed twice.
#include "mapper/epilogue.hpp"

#include <algorithm>

#include "mapper/sizes.hpp"

namespace tcp::mapper {
namespace {

using formula::Operation;

enum Alu : unsigned { fma = 1, fpu = 2, exponent = 4, multiplier0 = 8, multiplier1 = 16, clip_min = 32, clip_max = 64, clip_add = 128 };
constexpr unsigned clips = clip_min | clip_max | clip_add;

unsigned alus_of(Operation operation) {
  switch (operation) {
    case Operation::add:
    case Operation::sub: return fma;
    case Operation::mul: return multiplier0;
    case Operation::gelu: return multiplier0 | multiplier1 | fpu | fma;
    case Operation::silu: return fpu | multiplier0;
    case Operation::exp: return exponent;
    case Operation::relu:
    case Operation::max: return clip_max;
    case Operation::min: return clip_min;
    default: return fpu;
  }
}

}  // namespace

std::vector<EpiloguePass> passes_of(const Product& product, bool several_parts) {
  std::vector<EpiloguePass> passes(1);
  unsigned used = several_parts ? unsigned{fma} : 0u;
  for (const EpilogueStep& step : product.after) {
    unsigned needs = alus_of(step.operation);
    // A sum that finds the adder in use, or follows a limit, takes the one at the end.
    bool const adds = step.operation == Operation::add || (step.operation == Operation::sub && step.tensor < 0);
    if (adds && (used & (fma | clips)) != 0 && (used & clip_add) == 0) needs = clip_add;
    bool const before_a_clip = (used & clips) != 0 && (needs & clips) == 0;
    if ((used & needs) != 0 || before_a_clip) {
      passes.emplace_back();
      used = 0;
      needs = alus_of(step.operation);
    }
    used |= needs;
    passes.back().push_back({step, (needs & clips) != 0});
  }
  return passes;
}

std::size_t extra_passes(const Product& product, const Decisions& decisions) {
  return passes_of(product, decisions.parts.size() > 1).size() - 1;
}

}  // namespace tcp::mapper
