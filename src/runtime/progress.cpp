// The terminal's progress line.
#include <unistd.h>

#include <cstdio>

#include "tcp/runtime/options.hpp"

namespace tcp {

void terminal_progress(void*, const Progress& p) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r%s: %lld of %lld commands%s", p.kernel, static_cast<long long>(p.done), static_cast<long long>(p.of),
               p.done == p.of ? "\n" : "");
  std::fflush(stderr);
}

}  // namespace tcp
