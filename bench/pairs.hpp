// Ratios of two works, timed in turns in one process, so that a machine that is busy or changes its clock disturbs both
// alike. Work of one thread is timed by what the process has of the processor, which leaves out what others took in
// between; work of several by the clock on the wall.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace bench {

inline double now(int threads) {
  timespec t{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Work>
double seconds(Work work, int threads = 1) {
  double const begin = now(threads);
  work();
  return now(threads) - begin;
}

inline double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// How many times faster `ours` is than `theirs`: the median over so many pairs.
template <class Ours, class Theirs>
double speed_ratio(int pairs, Ours ours, Theirs theirs, int threads = 1) {
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    double const their_time = seconds(theirs, threads);
    ratios.push_back(their_time / seconds(ours, threads));
  }
  return median(ratios);
}

inline void print_ratio(const char* name, double ratio) {
  std::printf("ratio %s %.3f\n", name, ratio);
  std::fflush(stdout);
}

}  // namespace bench
