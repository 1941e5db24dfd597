// What the mapping algebra costs at run time: normalising an expression, deriving a sequencer's loops, walking cells.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "tcp/mapping/parse.hpp"
#include "tcp/mapping/walk.hpp"
#include "tcp/tcp.hpp"

namespace {

using namespace tcp;

double seconds(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

/// The median over `repeats` of the time that one of `calls` calls takes.
template <class Work>
double median_seconds(int repeats, int calls, Work work) {
  std::vector<double> times;
  for (int r = 0; r < repeats; ++r) {
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work(i);
    times.push_back(seconds(begin) / calls);
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<std::size_t>(repeats / 2)];
}

volatile std::int64_t sink;  // keeps results alive

Mapping mapping(std::string_view text, std::string_view axes) { return *parse(text, *parse_axes(axes)); }

void normalize() {
  Mapping const axis_a = axis_mapping(Name("A"), 2048), axis_b = axis_mapping(Name("B"), 512);
  double const t = median_seconds(9, 20000, [&](int) {
    Mapping const m =
        pair(pad_to(divide_by(axis_a, 8), 256, Pad::top), pair(modulo(axis_a, 8), pair(divide_by(axis_b, 32), modulo(axis_b, 32))));
    sink = m.size;
  });
  std::printf("figure normalize_ns %.0f ns\n", t * 1e9);
}

void derive_sequence() {
  char const* const axes = "N = 8, C = 8, H = 8, W = 32";
  Buffer const buffer{mapping("N, C, H, W", axes)};
  std::vector<Mapping> terms;
  for (char const* term : {"W / 16", "H % 2", "H / 2", "C / 2", "C % 2", "N / 2", "N % 2", "W / 8 % 2", "W % 8"})
    terms.push_back(mapping(term, axes));
  int const n = static_cast<int>(terms.size());
  double const t = median_seconds(9, 2000, [&](int) {
    auto const s = sequence(rngd, ScalarType::i8, &buffer, 1, terms.data(), n, n - 1);
    sink = s ? s->loops.entries : -1;
  });
  std::printf("figure sequence_us %.2f us\n", t * 1e6);
}

void walk_cells() {
  Mapping const m = mapping("A % 8, B % 8, A / 8, C % 8, B / 8, D % 8, C / 8, D / 8", "A = 64, B = 64, C = 64, D = 64");
  double const t = median_seconds(5, 1, [&](int) {
    std::int64_t sum = 0;
    Walk(m).each([&sum](const Walk& w) {
      if (w.live()) sum += w.coordinate(0) ^ w.coordinate(3);
    });
    sink = sum;
  });
  std::printf("figure cell_walk_ns_per_element %.2f ns\n", t * 1e9 / static_cast<double>(m.size));
}

}  // namespace

int main() {
  normalize();
  derive_sequence();
  walk_cells();
}
