// What the two halves of `tcp map` share: products, and formulas of rows.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "line_costs.hpp"
#include "tcp/formula/formula.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/mapper/search.hpp"

namespace tcp::tool {

struct MapCommand {
  std::string formula, chip, pin, mapping_file;
  std::vector<std::string> sizes, settings;
  std::string text_file, cpp_file, trace_file, page_file, store_file, picture_file;
  std::int64_t plans = mapper::SearchOptions{}.plans;
  bool no_dual = false, no_reasons = false, json = false;

  bool wants_program() const { return !text_file.empty() || !cpp_file.empty() || !trace_file.empty() || !page_file.empty(); }
};

/// The kernel as text, C++, a trace and a page, as far as they are asked for.
Verdict write_program(const MapCommand& o, const Device& device, const ir::Verified& recorded, const Terminal& terminal);

/// A formula that is no product, but perhaps one of rows. Refused: what is neither, as `no_product` or as a formula of
/// rows, whichever it looks like.
Verdict map_rows(const MapCommand& o, const Device& device, const formula::Formula& formula, const Refusal& no_product, Terminal& terminal);

}  // namespace tcp::tool
