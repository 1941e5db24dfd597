// Names for the tensors of a module that its author gave none, from the source lines of the commands that make and use
// them.
#pragma once

#include "tcp/ir/module.hpp"
#include "tcp/support/source_names.hpp"

namespace tcp::ir {

/// Names every tensor that is no view, has no name, and is an argument, a result, or the source or destination of a
/// command. A name that was given stays. Where the lines tell nothing, an argument is called `argument`, a result
/// `result`, with its number if there are several, and others stay without a name.
void name_tensors(Module& module, const LineReader& lines);

}  // namespace tcp::ir
