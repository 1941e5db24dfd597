// Ctrl-C as a wish: while a watch lives, the first one is only noted, so that the work can stop at a good place and
// keep what is done. The second ends the process as it would have without a watch.
#pragma once

#include <csignal>

namespace tcp {

class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// Since the youngest watch began.
  static bool asked();

 private:
  struct sigaction before_{};
};

}  // namespace tcp
