// An honest peer: OpenBLAS chooses its kernels by the name of the processor, and takes one that it does not know for
// something far older. Benches that compare with it try the kernels that the processor can run, go on with the fastest,
// say which one that is, and fail if it is none that this processor deserves.
//
//   int main(int, char** argv) {
//     bench::with_best_openblas(argv);  // comes back in a process that has the best kernels
#pragma once

#include <cblas.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pairs.hpp"

namespace bench {

/// The kernels that could be the best on this processor, by the names that OPENBLAS_CORETYPE takes.
inline std::vector<std::string> openblas_candidates() {
  std::vector<std::string> names;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) names.insert(names.end(), {"SkylakeX", "Cooperlake"});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) names.insert(names.end(), {"Zen", "Haswell"});
#endif
  return names;
}

/// The best of some products of 512 x 512 x 512, in seconds.
inline double openblas_seconds() {
  constexpr int n = 512;
  std::vector<float> a(n * n, 1.0f), b(n * n, 0.5f), c(n * n);
  double best = 1e9;
  for (int i = 0; i < 8; ++i)
    best = std::min(
        best, seconds([&] { cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n); }));
  return best;
}

inline void with_best_openblas(char** argv) {
  constexpr const char *chosen = "TCP_BENCH_OPENBLAS", *asked = "asked";
  openblas_set_num_threads(1);
  const char* const state = std::getenv(chosen);
  if (state != nullptr && std::string(state) == asked) {
    std::printf("%.9f\n", openblas_seconds());
    std::exit(0);
  }
  if (state != nullptr) {
    const char* const runs = openblas_get_corename();
    std::fprintf(stderr, "OpenBLAS runs its kernels for %s\n", runs);
    std::vector<std::string> const good = openblas_candidates();
    if (!good.empty() && std::find(good.begin(), good.end(), runs) == good.end()) {
      std::fprintf(stderr, "OpenBLAS falls back to kernels for %s, which is no peer on this processor\n", runs);
      std::exit(1);
    }
    return;
  }
  std::string const self = "/proc/" + std::to_string(getpid()) + "/exe";
  std::string best;
  double least = 1e9;
  for (const std::string& name : openblas_candidates()) {
    std::string const command = "OPENBLAS_CORETYPE=" + name + " " + chosen + "=" + asked + " '" + self + "'";
    std::FILE* const child = popen(command.c_str(), "r");
    double took = 0;
    bool const answered = child != nullptr && std::fscanf(child, "%lf", &took) == 1;
    if (child != nullptr && pclose(child) == 0 && answered && took < least) {
      least = took;
      best = name;
    }
  }
  if (!best.empty()) setenv("OPENBLAS_CORETYPE", best.c_str(), 1);
  setenv(chosen, "yes", 1);
  execv("/proc/self/exe", argv);
  std::perror("the bench could not be started again");
  std::exit(1);
}

}  // namespace bench
