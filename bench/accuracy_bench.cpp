// How close the models of plans and chips come to what others saw: the figures at the head of docs/accuracy.md.
#include <cmath>
#include <cstdio>

#include "tcp/device/chips.hpp"
#include "timing/sched/points.hpp"

using namespace tcp;

int main() {
  for (accuracy::Seen seen : {accuracy::Seen::Plan, accuracy::Seen::Chip}) {
    const char* const name = seen == accuracy::Seen::Plan ? "plan" : "chip";
    std::printf("ratio accuracy_%s %.3f\n", name, std::exp(-accuracy::mean_error(seen, rngd)));
    std::printf("figure pairs_%s_percent %.0f %%\n", name, 100 * accuracy::changes_right(seen, rngd));
  }
}
