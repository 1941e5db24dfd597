// A loop whose turns may be taken at the same time.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstdint>

#include "exec/vector/kernels/hand_over.hpp"

namespace tcp::vector::kernels {

/// body(0) to body(count - 1). Threads look at the body only after it was handed over to them: of TBB's own loop over
/// numbers they would look at it before.
template <class Body>
void in_parallel(std::int64_t count, const Body& body) {
  HandOver hand_over;
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count), [&](const tbb::blocked_range<std::int64_t>& some) {
    HandOver::Part const part(hand_over);
    for (std::int64_t i = some.begin(); i < some.end(); ++i) body(i);
  });
}

}  // namespace tcp::vector::kernels
