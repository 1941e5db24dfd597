// A transfer between host and HBM: the same elements in another place.
#include "exec/reference/stages.hpp"

namespace tcp::reference {

Verdict execute(const ir::HostTransfer& t, const CommandRun& run) {
  run.memory.write(t.destination, run.memory.read(t.source));
  return accept();
}

}  // namespace tcp::reference
