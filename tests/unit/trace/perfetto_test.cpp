#include "tcp/trace/perfetto.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sample.hpp"

namespace tcp::trace_test {
namespace {

nlohmann::json events_of(const trace::Trace& t) {
  std::ostringstream out;
  trace::write_perfetto(t, out);
  return nlohmann::json::parse(out.str())["traceEvents"];
}

TEST(Perfetto, has_one_named_track_a_resource) {
  std::map<int, std::string> names;
  for (const auto& e : events_of(sample()))
    if (e["name"] == "thread_name") names[e["tid"]] = e["args"]["name"];
  EXPECT_EQ(names, (std::map<int, std::string>{{1, "main"}, {2, "tensor DMA"}}));
}

TEST(Perfetto, shows_each_command_on_each_of_its_resources_a_cycle_a_nanosecond) {
  trace::Trace t = sample();
  t.makespan = Cycles{1'234'567};
  t.commands[2].resources = {main_queue, dma_queue};
  t.commands[3].start = Cycles{1'234'501};
  t.commands[3].end = Cycles{1'234'567};
  std::multiset<std::tuple<int, double, double>> slices;
  for (const auto& e : events_of(t))
    if (e["ph"] == "X") slices.emplace(e["tid"].get<int>(), e["ts"].get<double>(), e["dur"].get<double>());
  EXPECT_EQ(slices, (std::multiset<std::tuple<int, double, double>>{
                        {2, 0.0, 0.1}, {2, 0.1, 0.1}, {1, 0.2, 0.05}, {2, 0.2, 0.05}, {2, 1234.501, 0.066}}));
}

/// What the viewer asks of a file: known phases, and of each the keys that it needs; arrows in pairs, each end inside a slice of its track.
TEST(Perfetto, is_well_formed) {
  auto const events = events_of(sample());
  std::map<int, std::string> arrows;
  auto const inside_a_slice = [&](const nlohmann::json& end) {
    for (const auto& e : events)
      if (e["ph"] == "X" && e["tid"] == end["tid"] && e["ts"] <= end["ts"] &&
          end["ts"].get<double>() < e["ts"].get<double>() + e["dur"].get<double>())
        return true;
    return false;
  };
  for (const auto& e : events) {
    std::string const phase = e["ph"];
    ASSERT_TRUE(e.contains("pid") && e.contains("tid") && e.contains("name")) << e;
    ASSERT_NE(std::string("MXsf").find(phase), std::string::npos) << e;
    ASSERT_TRUE(phase == "M" || e["ts"].is_number()) << e;
    if (phase == "s" || phase == "f") {
      EXPECT_TRUE(inside_a_slice(e)) << e;
      arrows[e["id"]] += phase;
    }
  }
  EXPECT_EQ(arrows, (std::map<int, std::string>{{1, "sf"}, {2, "sf"}, {3, "sf"}}));
}

TEST(Perfetto, says_why_a_command_waited) {
  std::string why;
  for (const auto& e : events_of(sample()))
    if (e["ph"] == "X" && e["args"]["command"] == 2) why = e["args"]["waited"];
  EXPECT_EQ(why, "reads b in DM, which dma at multiply.cpp:11 writes");
}

}  // namespace
}  // namespace tcp::trace_test
