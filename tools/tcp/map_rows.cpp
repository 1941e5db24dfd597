// `tcp map` of a formula of rows: functions of elements and reductions over rows, by the kernel library.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "kernels/rowwise/formula/row_formula.hpp"
#include "map.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::tool {
namespace {

struct RowCycles {
  std::int64_t book = 0, calibrated = 0, detailed = 0;
  std::size_t commands = 0;
};
Expected<RowCycles> cycles_of(const Device& device, const ir::Verified& recorded) {
  auto const program = lower::lower(recorded);
  if (!program) return program.refusal();
  RowCycles c;
  c.commands = program->commands.size();
  for (auto const& [model, into] :
       {std::pair("book", &c.book), std::pair("calibrated", &c.calibrated), std::pair("detailed", &c.detailed)}) {
    auto const planned = plan(*program, device, {.model = model});
    if (!planned) return planned.refusal();
    *into = planned->schedule.makespan.value;
  }
  return c;
}

std::string order_in_words(const kernels::RowFormula& kernel) {
  formula::SumOrder const order = kernel.order();
  std::string words =
      order.packet == 1 ? "one column after the other" : std::to_string(order.packet) + " neighbours as pairs, these one after the other";
  if (!order.parts.empty()) words += ", slice after slice of " + std::to_string(order.parts[0]) + " columns";
  return words;
}

Verdict show(const MapCommand& o, const Device& device, const kernels::RowFormula& kernel, Terminal& terminal) {
  const formula::Formula& f = kernel.formula();
  std::vector<mapper::KernelInput> inputs;
  for (int t : kernel.inputs()) inputs.push_back({f.tensors[static_cast<std::size_t>(t)].name, ScalarType::bf16, kernel.layout_of(t)});
  auto const recorded = mapper::record(device, inputs, kernel.layout().size * 2,
                                       [&](Context& ctx, const std::vector<dyn::Tensor>& given) { return kernel(ctx, given); });
  if (!recorded) return recorded.refusal();
  if (auto v = write_program(o, device, *recorded, terminal); !v) return v;
  auto const cycles = cycles_of(device, *recorded);
  if (!cycles) return cycles.refusal();
  std::int64_t const rate = hbm_mb_per_s(device) / device.clocks.core_mhz,
                     bound = std::max<std::int64_t>(kernel.work().hbm_bytes / rate, 1);
  if (o.json) {
    nlohmann::ordered_json all;
    all["formula"] = formula::print(f);
    all["spread"] = kernels::text_of(kernel.spread());
    all["cycles"] = {{"book", cycles->book}, {"calibrated", cycles->calibrated}, {"detailed", cycles->detailed}};
    all["commands"] = cycles->commands;
    all["passes"] = kernel.passes();
    all["bounds"] = {{"rates", bound}};
    all["order_of_sums"] = order_in_words(kernel);
    terminal.out << all.dump(2) << '\n';
    return accept();
  }
  char line[200];
  terminal.out << formula::print(f) << '\n' << kernels::text_of(kernel.spread()) << '\n';
  std::snprintf(line, sizeof line, "%-28s %12s  calibrated %s, detailed %s\n", "cycles (book)", with_commas(cycles->book).c_str(),
                with_commas(cycles->calibrated).c_str(), with_commas(cycles->detailed).c_str());
  terminal.out << line;
  std::snprintf(line, sizeof line, "%-28s %12s  %.2f times\n", "bound by rates", with_commas(bound).c_str(),
                static_cast<double>(cycles->book) / static_cast<double>(bound));
  terminal.out << line;
  std::snprintf(line, sizeof line, "%-28s %12zu\n%-28s %12lld  of a step's rows through the Vector Engine\n", "commands", cycles->commands,
                "passes", static_cast<long long>(kernel.passes()));
  terminal.out << line << "sums                         " << order_in_words(kernel) << '\n';
  return accept();
}

}  // namespace

Verdict map_rows(const MapCommand& o, const Device& device, const formula::Formula& formula, const Refusal& no_product,
                 Terminal& terminal) {
  try {
    kernels::RowFormula const kernel(device, formula);
    for (auto const& [name, given] :
         {std::pair("--pin", !o.pin.empty()), std::pair("--save", !o.store_file.empty()), std::pair("--picture", !o.picture_file.empty())})
      if (given)
        return misuse(std::string(name) + " is for products: of a formula of rows, only the slices are chosen, by their cycles",
                      "tcp map --help");
    return show(o, device, kernel, terminal);
  } catch (const Refused& refused) {
    // One statement that is no formula of rows is perhaps meant to be a product.
    bool const rows = formula.statements.size() > 1 || refused.refusal().code != std::string_view("kernel-row-formula");
    return rows ? refused.refusal() : no_product;
  }
}

}  // namespace tcp::tool
