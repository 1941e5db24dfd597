// A stream that ends in a register file, TRF or VRF.
#include "exec/reference/stages.hpp"

namespace tcp::reference {

Verdict apply(const ir::ToTrf& t, PassRun& run) {
  run.memory.write(t.destination, run.stream);
  return accept();
}

Verdict apply(const ir::ToVrf& t, PassRun& run) {
  run.memory.write(t.destination, run.stream);
  return accept();
}

}  // namespace tcp::reference
