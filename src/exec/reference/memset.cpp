// A memset: one word of 32 bits, over and over.
#include "exec/reference/stages.hpp"

namespace tcp::reference {

Verdict execute(const ir::Memset& m, const CommandRun& run) {
  const ir::Tensor& t = run.module.tensor(m.destination);
  Levels const levels = run.module.levels(t);
  Value value(t.type, axes_of(levels));
  // The word lies at every fourth byte: an element takes the part of it that stands at its own place.
  int const bits = scalar_info(t.type).packet_bits;
  for (std::int64_t i = 0; i < value.size(); ++i) {
    Place found;
    if (!find_place(levels, value.index_of(i), found)) continue;
    int const shift = static_cast<int>(found.element * bits % 32);
    value[i].bits = (m.word >> shift) & scalar_mask(t.type);
  }
  run.memory.write(m.destination, value);
  return accept();
}

}  // namespace tcp::reference
