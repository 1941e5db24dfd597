// Switch, Collect and Transpose only move elements: afterwards the stream is what the new levels hold of it.
#include "exec/reference/stages.hpp"

namespace tcp::reference {

Verdict PassRun::moved() {
  stream = restrict_to(out, stream);
  return accept();
}

Verdict apply(const ir::Switch&, PassRun& run) { return run.moved(); }
Verdict apply(const ir::Collect&, PassRun& run) { return run.moved(); }
Verdict apply(const ir::Transpose&, PassRun& run) { return run.moved(); }

}  // namespace tcp::reference
