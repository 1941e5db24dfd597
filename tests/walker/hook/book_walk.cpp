// Linked into the tests that run modules (run_module.hpp): the walker follows every one of them that lowers.
#include <stdexcept>

#include "../walker.hpp"
#include "run_module.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::walker {
namespace {

/// Beyond so many places a test of another thing would take long.
constexpr std::int64_t most_places = std::int64_t{1} << 24;

void follow(const ir::Verified& verified) {
  if (work(verified) > most_places) return;
  auto const placed = ir::placed(verified);
  if (!placed) return;
  auto const program = lower::lower(*placed);
  if (!program) return;
  Walked const walked = walk(*placed, *program);
  if (!walked.says.empty()) throw std::runtime_error("the walker disagrees with lowering: " + walked.says);
}

const bool installed = (build::looked_at_by = &follow) != nullptr;

}  // namespace
}  // namespace tcp::walker
