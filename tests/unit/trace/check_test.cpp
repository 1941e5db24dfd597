#include <gtest/gtest.h>

#include "sample.hpp"

namespace tcp::trace_test {
namespace {

struct Broken {
  const char* what;
  void (*damage)(trace::Trace&);
  const char* code;
};
class Check : public testing::TestWithParam<Broken> {};

TEST_P(Check, refuses) {
  trace::Trace t = sample();
  ASSERT_TRUE(trace::check(t, "t.json"));
  GetParam().damage(t);
  Verdict const v = trace::check(t, "t.json");
  ASSERT_FALSE(v);
  EXPECT_STREQ(v.refusal().code, GetParam().code) << v.refusal().sentence().s;
}

const char* const reference = "trace-reference";
const char* const impossible = "trace-impossible";
const Broken all_broken[] = {
    Broken{"a source that is not there", [](trace::Trace& t) { t.commands[0].source = 4; }, reference},
    Broken{"a source below none", [](trace::Trace& t) { t.commands[0].source = -2; }, reference},
    Broken{"a region", [](trace::Trace& t) { t.commands[0].region = 1; }, reference},
    Broken{"a configuration", [](trace::Trace& t) { t.commands[0].configuration = 1; }, reference},
    Broken{"a resource", [](trace::Trace& t) { t.commands[0].resources = {2}; }, reference},
    Broken{"a binding edge", [](trace::Trace& t) { t.commands[0].binding = 0; }, reference},
    Broken{"an edge", [](trace::Trace& t) { t.commands[1].after[0].from = 9; }, reference},
    Broken{"the tensor of a range", [](trace::Trace& t) { t.commands[0].writes[0].tensor = 3; }, reference},
    Broken{"the units of a range", [](trace::Trace& t) { t.commands[0].writes[0].units = 1; }, reference},
    Broken{"a tensor's command", [](trace::Trace& t) { t.tensors[0].last = 4; }, reference},
    Broken{"a command of the critical path", [](trace::Trace& t) { t.critical_path.push_back(4); }, reference},
    Broken{"a command of the order", [](trace::Trace& t) { t.order = {0, 1, 2, 4}; }, reference},
    Broken{"an order with a command twice", [](trace::Trace& t) { t.order = {0, 1, 2, 2}; }, impossible},
    Broken{"an order that is too short", [](trace::Trace& t) { t.order = {0, 1, 2}; }, impossible},
    Broken{"an order against an edge", [](trace::Trace& t) { t.order = {1, 0, 2, 3}; }, impossible},
    Broken{"an edge from itself", [](trace::Trace& t) { t.commands[1].after[0].from = 1; }, impossible},
    Broken{"no resource", [](trace::Trace& t) { t.commands[0].resources.clear(); }, impossible},
    Broken{"parts that are too short", [](trace::Trace& t) { t.commands[0].streaming = Cycles{99}; }, impossible},
    Broken{"a command behind the makespan", [](trace::Trace& t) { t.makespan = Cycles{299}; }, impossible},
    Broken{"a negative stall", [](trace::Trace& t) { t.commands[0].stalls = {{"dmn", Cycles{-1}}}; }, impossible},
    Broken{"cycles beyond all counters", [](trace::Trace& t) { t.path[0].cycles = Cycles{std::int64_t{1} << 41}; }, impossible},
    Broken{"a tensor that ends before it begins", [](trace::Trace& t) { t.tensors[0].begin = 999; }, impossible},
    Broken{"a tensor that is gone before it is born", [](trace::Trace& t) { t.tensors[0].born = Cycles{251}; }, impossible},
    Broken{"runs of banks that are not there", [](trace::Trace& t) { t.commands[0].bank_runs = 0; }, reference},
    Broken{"the line of an upload", [](trace::Trace& t) { t.host_transfers = {{"upload", "a", Bytes{1}, Cycles{1}, 9}}; }, reference},
    Broken{"a transfer of the host without a direction",
           [](trace::Trace& t) { t.host_transfers = {{"sideways", "a", Bytes{1}, Cycles{1}, 0}}; }, impossible},
    Broken{"an upload of less than nothing", [](trace::Trace& t) { t.host_transfers = {{"upload", "a", Bytes{-1}, Cycles{1}, 0}}; },
           impossible},
    Broken{"a download that takes less than no time",
           [](trace::Trace& t) { t.host_transfers = {{"download", "a", Bytes{1}, Cycles{-1}, 0}}; }, impossible},
    Broken{"a geometry without a cluster", [](trace::Trace& t) { t.geometry = {.clusters = 0, .channel_bits = {}}; }, impossible},
    Broken{"a channel below 0", [](trace::Trace& t) { t.geometry = {.channel_bits = {-1}}; }, impossible},
    Broken{"an axis of size 0", [](trace::Trace& t) { t.axes = {{"I", 0}}; }, impossible},
    Broken{"runs of fewer banks than there are",
           [](trace::Trace& t) { t.geometry = {.dm_banks = 2, .channel_bits = {}}, t.bank_runs = {{{1}}}; }, impossible},
    Broken{"a run below 0", [](trace::Trace& t) { t.geometry = {.dm_banks = 1, .channel_bits = {}}, t.bank_runs = {{{-1}}}; }, impossible}};
INSTANTIATE_TEST_SUITE_P(Trace, Check, testing::ValuesIn(all_broken));

}  // namespace
}  // namespace tcp::trace_test
