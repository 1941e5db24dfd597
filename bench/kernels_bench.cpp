// How near kernels come to what the chip can do: bound / cycles in the model `book`, for the kernels that have a bar to
// reach. docs/kernels.md has all of them.
#include <cstdio>

#include "kernels/figures/figures.hpp"

int main() try {
  for (tcp::figures::Case const& c : tcp::figures::all_cases()) {
    if (c.ratio == nullptr) continue;
    tcp::figures::Figure const f = tcp::figures::figure_of(c);
    std::printf("ratio %s %.3f\n", c.ratio, f.of_bound(f.book));
  }
  return 0;
} catch (const tcp::Refused& refused) {
  std::puts(refused.what());
  return 1;
}
