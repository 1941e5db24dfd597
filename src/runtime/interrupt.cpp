// Installs a handler of SIGINT that only sets a flag, and the one from before when the watch ends.
#include "tcp/runtime/interrupt.hpp"

#include "tcp/runtime/options.hpp"

namespace tcp {

namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interrupt(int) { interrupted = 1; }

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted = 0;
  struct sigaction ours{};
  ours.sa_handler = note_interrupt;
  ours.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one is not ours
  sigemptyset(&ours.sa_mask);
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler != SIG_IGN) sigaction(SIGINT, &ours, nullptr);  // started in the background: stay so
}

InterruptWatch::~InterruptWatch() { sigaction(SIGINT, &before_, nullptr); }

bool InterruptWatch::asked() { return interrupted != 0; }

bool interrupt_asked(void*) { return InterruptWatch::asked(); }

}  // namespace tcp
