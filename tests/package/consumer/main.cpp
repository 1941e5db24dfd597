// What a stranger writes first: a mapping, a chip of his own, and a rule of his own that refuses as ours do.
#include <cstdio>
#include <string>

#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/support/render.hpp"
#include "tcp/support/version.hpp"

using namespace tcp;

TCP_AXES(A = 2048);
using Slice = m<(A / 8).pad(256)>;
static_assert(Slice::size == 256);
static_assert(tcp::target.name == "strangers_chip");

constexpr Verdict check(std::int64_t rows) {
  if (rows > tcp::target.levels.rows_per_slice)
    return refuse("stranger-too-many-rows").what(rows, " rows").why("there are ", tcp::target.levels.rows_per_slice).help("split them");
  return accept();
}
static_assert(check(8).ok());

int main() {
  std::string const shown = render(check(9).refusal());
  std::puts(shown.c_str());
  return shown == "error[stranger-too-many-rows]: 9 rows\n  note: there are 8\n  help: split them" ? 0 : 1;
}
