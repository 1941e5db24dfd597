// What Ctrl-C does while a command works, and no longer.
#pragma once

#include <csignal>

namespace tcp::tool {

class OnInterrupt {
 public:
  enum class Do {
    end,    // the program, at once, with the exit code 130: nothing is written yet
    go_on,  // to the end of what must not be left half done
  };
  explicit OnInterrupt(Do what);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace tcp::tool
