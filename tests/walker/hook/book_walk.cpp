// Linked into the tests that run modules (run_module.hpp): the walker follows every one of them that lowers.
#include <optional>
#include <stdexcept>

#include "../walker.hpp"
#include "run_module.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::walker {
namespace {

/// Beyond so many places a test of another thing would take long.
constexpr std::int64_t most_places = std::int64_t{1} << 24;

void follow(const ir::Module& module, const ir::Facts& facts, const Device& device) {
  if (work(module, facts) > most_places) return;
  std::optional<ir::Module> placed;
  lower::Options options;
  options.after_pass = [&placed](const lower::PassReport& report) {
    if (report.pass == "place") placed = report.module;
  };
  auto const program = lower::lower(module, device, options);
  if (!program) return;
  Walked const walked = walk(*placed, facts, device, *program);
  if (!walked.says.empty()) throw std::runtime_error("the walker disagrees with lowering: " + walked.says);
}

const bool installed = (build::looked_at_by = &follow) != nullptr;

}  // namespace
}  // namespace tcp::walker
