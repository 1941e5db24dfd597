// Loops made by hand: merging, fitting into a sequencer, the contiguous run, what is reached.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <sstream>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/rules/sequence.hpp"
#include "tcp/support/random.hpp"

namespace {

using tcp::Entry;
using tcp::Loops;

/// Some loops of which many continue their neighbour.
Loops random_loops(tcp::Random& random) {
  Loops l;
  std::vector<Entry> inside_out;
  std::int64_t reach = static_cast<std::int64_t>(random.below(4)) == 0 ? 0 : 1;
  std::int64_t positions = 1;
  for (std::uint64_t n = random.below(7); n > 0; --n) {
    std::int64_t const size = static_cast<std::int64_t>(2 + random.below(random.below(4) == 0 ? 30 : 5));
    if (positions * size > 20000) break;
    positions *= size;
    std::int64_t const stride = random.below(5) < 3 ? reach : static_cast<std::int64_t>(random.below(50));
    inside_out.push_back({size, stride});
    reach = size * stride;
  }
  for (std::size_t i = inside_out.size(); i-- > 0;) l.entry[l.entries++] = inside_out[i];
  l.base = static_cast<std::int64_t>(random.below(5));
  return l;
}

std::vector<std::int64_t> walk(const Loops& l) {
  std::int64_t rounds = 1;
  for (int k = 0; k < l.entries; ++k) rounds *= l.entry[k].size;
  std::vector<std::int64_t> visited;
  for (std::int64_t i = 0; i < rounds; ++i) visited.push_back(l.at(i));
  return visited;
}

std::string written(const Loops& l) {
  std::ostringstream out;
  print(out, l);
  return out.str();
}

/// The fewest factors of n that are at most `most`; 0 if there are none.
int fewest_factors(std::int64_t n, std::int64_t most) {
  if (n <= most) return 1;
  int best = 0;
  for (std::int64_t d = 2; d <= most; ++d) {
    if (n % d != 0) continue;
    int const rest = fewest_factors(n / d, most);
    if (rest > 0 && (best == 0 || rest + 1 < best)) best = rest + 1;
  }
  return best;
}

/// The fewest loops of at most `most` rounds that make this walk; 0 if there are none. Two neighbours are one loop if the outer one continues the inner one.
int fewest_loops(const Loops& l, std::int64_t most) {
  std::vector<Entry> inside_out;
  for (int k = l.entries - 1; k >= 0; --k) {
    bool const continues = !inside_out.empty() && l.entry[k].stride == inside_out.back().size * inside_out.back().stride;
    if (continues) inside_out.back().size *= l.entry[k].size;
    else inside_out.push_back(l.entry[k]);
  }
  int all = 0;
  for (const Entry& e : inside_out) {
    int const n = fewest_factors(e.size, most);
    if (n == 0) return 0;
    all += n;
  }
  return all;
}

TEST(FitSequencerLaw, fitted_loops_walk_the_same_and_what_is_refused_does_not_fit) {
  tcp::Random random(35);
  std::map<std::string, int> outcomes;
  for (int i = 0; i < 20000; ++i) {
    Loops const l = random_loops(random);
    tcp::Device device = tcp::rngd;
    device.sequencer.entries = random.between(1, 6);
    device.sequencer.iterations = random.between(2, 24);
    auto const visited = walk(l);
    std::string const what =
        written(l) + " with " + std::to_string(device.sequencer.entries) + " entries of " + std::to_string(device.sequencer.iterations);

    Loops const merged = tcp::merged(l);
    ASSERT_EQ(walk(merged), visited) << what;
    ASSERT_EQ(merged.contiguous(), l.contiguous()) << what << ": the run does not change by merging (E-35)";
    for (int k = 0; k + 1 < merged.entries; ++k)
      ASSERT_NE(merged.entry[k].stride, merged.entry[k + 1].size * merged.entry[k + 1].stride)
          << what << ": " << written(merged) << " merges further";
    ASSERT_EQ(l.furthest(), *std::max_element(visited.begin(), visited.end())) << what;

    auto const fitted = tcp::fit_sequencer(device, l);
    int const fewest = fewest_loops(l, device.sequencer.iterations);
    if (!fitted) {
      ++outcomes[fitted.refusal().code];
      // Largest divisor first gives the fewest loops as long as two are enough. Three would need more rounds than the square of the limit.
      bool three = false;
      for (int k = 0; k < merged.entries; ++k) three |= merged.entry[k].size > device.sequencer.iterations * device.sequencer.iterations;
      ASSERT_TRUE(fewest == 0 || fewest > device.sequencer.entries || three) << what << " could be " << fewest << " loops";
      continue;
    }
    bool const untouched = fitted->entries == l.entries && std::equal(l.entry, l.entry + l.entries, fitted->entry);
    ++outcomes[untouched ? "as it was" : fitted->entries > l.entries ? "split" : "merged"];
    ASSERT_EQ(walk(*fitted), visited) << what << ": " << written(*fitted);
    ASSERT_LE(fitted->entries, device.sequencer.entries) << what;
    bool fits_as_it_is = l.entries <= device.sequencer.entries;
    for (int k = 0; k < l.entries; ++k) fits_as_it_is &= l.entry[k].size <= device.sequencer.iterations;
    ASSERT_EQ(untouched, fits_as_it_is) << what << ": merged only if it must be (E-35)";
    for (int k = 0; k < fitted->entries; ++k)
      ASSERT_LE(fitted->entry[k].size, device.sequencer.iterations) << what << ": " << written(*fitted);
    ASSERT_EQ(fitted->packet, l.packet);
  }
  for (const auto& [outcome, n] : outcomes) std::cout << "  " << outcome << ": " << n << "\n";
  for (const char* outcome : {"as it was", "split", "merged", "sequence-too-many-entries", "sequence-loop-too-long"})
    EXPECT_GE(outcomes[outcome], 300) << outcome;
}

TEST(ContiguousLaw, is_the_run_at_the_beginning_of_the_walk) {
  tcp::Random random(40);
  int single = 0, repeated = 0, neighbours = 0;
  for (int i = 0; i < 20000; ++i) {
    Loops const l = random_loops(random);
    auto const visited = walk(l);
    std::int64_t run = 1;
    if (visited.size() > 1 && (visited[1] - visited[0] == 0 || visited[1] - visited[0] == 1)) {
      std::size_t n = 2;
      while (n < visited.size() && visited[n] - visited[n - 1] == visited[1] - visited[0]) ++n;
      run = static_cast<std::int64_t>(n);
      ++(visited[1] == visited[0] ? repeated : neighbours);
    } else {
      ++single;
    }
    ASSERT_EQ(l.contiguous(), run) << written(l);
  }
  EXPECT_GE(single, 1000);
  EXPECT_GE(repeated, 1000);
  EXPECT_GE(neighbours, 1000);
}

TEST(AccessSizeLaw, is_the_largest_size_that_divides_packet_and_run) {
  tcp::Random random(10);
  std::map<std::int64_t, int> outcomes;
  for (int i = 0; i < 20000; ++i) {
    Loops l = random_loops(random);
    l.packet = random.between(1, 96);
    for (tcp::ScalarType type : {tcp::ScalarType::i4, tcp::ScalarType::i8, tcp::ScalarType::bf16, tcp::ScalarType::f32}) {
      std::int64_t const bits = tcp::scalar_info(type).packet_bits;
      std::int64_t best = 0;
      for (std::int64_t bytes : {1, 2, 4, 8, 16, 32})
        if (l.packet * bits % (bytes * 8) == 0 && l.contiguous() * bits % (bytes * 8) == 0) best = bytes;
      auto const access = tcp::access_size(tcp::rngd.sequencer.base_packets, type, l);
      ++outcomes[best];
      ASSERT_EQ(access.ok(), best > 0) << written(l);
      if (access) {
        ASSERT_EQ(access->value, best) << written(l);
      } else {
        ASSERT_STREQ(access.refusal().code, "sequence-access-size");
      }
    }
  }
  for (std::int64_t each : {0, 1, 2, 4, 8, 16, 32}) EXPECT_GE(outcomes[each], 100) << each;
}

}  // namespace
