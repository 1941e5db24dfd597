// A trace as a web page: the viewer's template with the trace inside, column after column.
//
// JSON of a million commands takes a browser many seconds and a gigabyte. The page therefore carries what there is once
// per command as columns of the narrowest integer that holds them, a few columns per block, each block deflated and in
// base64; tables of texts stay JSON. viewer/src/store.js is the reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tcp/support/expected.hpp"
#include "tcp/trace/trace.hpp"
#include "tool.hpp"

namespace tcp::tool {

/// `page` is the viewer with a line `<!--traces-->`, which the traces take the place of: the last is shown, and
/// compared with one before it. `ticks`: the page begins with ticks beside cycles.
std::string page_of(std::string_view page, const std::vector<trace::Trace>& traces, bool ticks = false);

/// A page that is made with the viewer of this program.
Expected<std::string> page_of(const Terminal& terminal, const std::vector<trace::Trace>& traces, bool ticks = false);

}  // namespace tcp::tool
