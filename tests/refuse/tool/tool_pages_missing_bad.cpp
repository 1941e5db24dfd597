// The pages of `tcp explain` are files. They stand in `share/tcp/diagnostics` beside the `bin` of an installed program, and at the same
// place relative to the program in a build directory, and there are none. Most likely the program alone was copied.
//
// Install the package as a whole (`cmake --install`), or read the pages in `docs/diagnostics` of the sources.
// run time only: files are looked for when the program runs
#include <sstream>

#include "refuse_test.hpp"
#include "tool.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME {
  std::ostringstream out, err;
  tool::Terminal terminal{out, err, false, false, "/copied/program/share"};
  return tool::perform({"explain"}, terminal).refusal();
}
