// Sets the handler of SIGINT for the time of a command, and puts the former one back.
#include "on_interrupt.hpp"

#include <unistd.h>

#include "tool.hpp"

namespace tcp::tool {
namespace {

/// Not through the ends of threads and the destructors of tensors: the system takes all of it back faster.
extern "C" void end_at_once(int) {
  constexpr char text[] = "\ninterrupted; nothing was written\n";
  [[maybe_unused]] auto const taken = ::write(STDERR_FILENO, text, sizeof text - 1);
  ::_exit(interrupted);
}

}  // namespace

OnInterrupt::OnInterrupt(Do what) {
  struct sigaction ours{};
  ours.sa_handler = what == Do::end ? end_at_once : SIG_IGN;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler != SIG_IGN) sigaction(SIGINT, &ours, nullptr);  // started in the background: stay so
}

OnInterrupt::~OnInterrupt() { sigaction(SIGINT, &before_, nullptr); }

}  // namespace tcp::tool
