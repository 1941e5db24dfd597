// A line on a terminal that says how far long work has come: `gemm: 3 of 8 commands, 12 s`.
//
// It shows up when the work has taken a second, is renewed while it lasts, and is gone afterwards; if standard error is
// no terminal, there is none. A thread of its own writes it, for one command may take longer than a second.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace tcp {

class ProgressLine {
 public:
  /// `descriptor`: of a terminal; for any other nothing is written. `counted`: what there are so many of.
  ProgressLine(std::string work, std::size_t of, int descriptor, std::string counted = "commands");
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void done(std::size_t so_far) { done_ = so_far; }

 private:
  void keep_written();
  void write(const std::string& text) const;

  std::string work_, counted_;
  std::size_t of_;
  int descriptor_;
  std::chrono::steady_clock::time_point begin_;
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread writer_;
};

}  // namespace tcp
