// Ratios of two works, timed in turns in one process, so that a machine that is busy or changes its clock disturbs both alike.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace bench {

template <class Work>
double seconds(Work work) {
  auto const begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// How many times faster `ours` is than `theirs`: the median over so many pairs.
template <class Ours, class Theirs>
double speed_ratio(int pairs, Ours ours, Theirs theirs) {
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    double const their_time = seconds(theirs);
    ratios.push_back(their_time / seconds(ours));
  }
  return median(ratios);
}

inline void print_ratio(const char* name, double ratio) {
  std::printf("ratio %s %.3f\n", name, ratio);
  std::fflush(stdout);
}

}  // namespace bench
