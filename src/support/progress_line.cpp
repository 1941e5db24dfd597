// The thread that writes the line: it waits for the first second, then renews the line until the work is done.
#include "tcp/support/progress_line.hpp"

#include <unistd.h>

namespace tcp {
namespace {
constexpr std::chrono::milliseconds silent{1000}, between{250};
constexpr const char* to_empty_line = "\r\033[K";
}  // namespace

ProgressLine::ProgressLine(std::string work, std::size_t of, int descriptor, std::string counted)
    : work_(std::move(work)), counted_(std::move(counted)), of_(of), descriptor_(descriptor), begin_(std::chrono::steady_clock::now()) {
  if (isatty(descriptor) != 0) writer_ = std::thread([this] { keep_written(); });
}

ProgressLine::~ProgressLine() {
  if (!writer_.joinable()) return;
  {
    std::lock_guard const lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  writer_.join();
}

void ProgressLine::keep_written() {
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, silent, [this] { return over_; })) return;
  do {
    auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_).count();
    write(to_empty_line + work_ + ": " + std::to_string(done_) + " of " + std::to_string(of_) + " " + counted_ + ", " +
          std::to_string(seconds) + " s");
  } while (!ended_.wait_for(lock, between, [this] { return over_; }));
  write(to_empty_line);
}

/// What the terminal does not take is lost: progress is no result.
void ProgressLine::write(const std::string& text) const {
  [[maybe_unused]] auto const taken = ::write(descriptor_, text.data(), text.size());
}

}  // namespace tcp
