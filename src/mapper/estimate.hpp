// What a mapping is expected to take in the model `book`, without making the program: closed forms for its commands,
// put in time as the scheduler would; and what it cannot take less than. The search orders mappings by the first, and
// rules them out by the second.
#pragma once

#include "mapper/sizes.hpp"

namespace tcp::mapper {

struct Estimate {
  std::int64_t cycles = 0;
  std::int64_t bound = 0;          // no schedule of these commands is shorter
  std::int64_t dma = 0, main = 0;  // that the queue of transfers and the main context work
};

Estimate estimate_of(const Device& device, const Product& product, const Decisions& decisions);

}  // namespace tcp::mapper
