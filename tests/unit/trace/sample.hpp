// A small trace whose numbers can be checked by hand:
//
//   tensor DMA  |load 0-100   |load 100-200 |             |store 250-300|
//   main                      |wait..... mul 200-250      |
//
// The two loads write a and b, the multiplication reads both, the store what it wrote.
#pragma once

#include <sstream>
#include <string>

#include "tcp/trace/json.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::trace_test {

enum Queue : std::int32_t { main_queue = 0, dma_queue = 1 };

inline trace::Command command(const char* name, Queue queue, std::int64_t start, std::int64_t end, std::int32_t source) {
  trace::Command c;
  c.name = name;
  c.resources = {queue};
  c.start = Cycles{start};
  c.end = Cycles{end};
  c.streaming = Cycles{end - start};
  c.source = source;
  return c;
}

inline trace::Trace sample() {
  trace::Trace t;
  t.tool = "tcp 0.1.0";
  t.program = "multiply";
  t.hash = "0123456789abcdef";
  t.chip = "rngd";
  t.model = "book";
  t.core_mhz = 1000;
  t.ticks_per_cycle = 2;
  t.order_by = "program";
  t.makespan = Cycles{300};
  t.bounds = {{"dependency chain", Cycles{200}}, {"bytes of HBM", Cycles{30}}};
  t.path = {{"start-up", Cycles{20}}, {"streaming", Cycles{280}}};
  t.assumptions = {{"hbm.row_open", "20 cycles", "half of a row switch"}};
  t.capacities = {{"DM", Bytes{1024}, 512}};
  t.resources = {"main", "tensor DMA"};
  t.sources = {{"/k/multiply.cpp", "multiply", 10, 3, "auto a = in.to_dm();"},
               {"/k/multiply.cpp", "multiply", 11, 3, "auto b = in2.to_dm();"},
               {"/k/multiply.cpp", "multiply", 12, 3, "auto c = ctx.main.begin(a);"},
               {"/k/multiply.cpp", "multiply", 13, 3, "return c.to_hbm();"}};
  t.regions = {{"tile", 0}};
  t.units = {{"0", "0-1", "0-255"}};
  t.tensors = {{"a", "DM", "i32 in DM Element[A]", "", 0, 256, 0, 0, 0, 2, Cycles{0}, Cycles{250}},
               {"b", "DM", "i32 in DM Element[A]", "", 256, 512, 0, 1, 1, 2, Cycles{100}, Cycles{250}},
               {"c", "DM", "i32 in DM Element[A]", "", 512, 768, 0, 2, 2, 3, Cycles{200}, Cycles{300}}};
  t.configurations = {{{{"fetch", "i32 Time[1] Packet[A]", ""}}, {{"fetch", "[8 : 32]", "8 packets"}}}};
  t.critical_path = {0, 1, 2, 3};
  t.commands = {command("dma", dma_queue, 0, 100, 0), command("dma", dma_queue, 100, 200, 1), command("main", main_queue, 200, 250, 2),
                command("dma", dma_queue, 250, 300, 3)};
  for (trace::Command& c : t.commands) c.critical = true;
  t.commands[0].writes = {{"DM", 0, 256, 0, 0}};
  t.commands[1].after = {{"resource", 0, "tensor DMA", 0, 0}};
  t.commands[1].binding = 0;
  t.commands[1].writes = {{"DM", 256, 512, 0, 1}};
  t.commands[2].after = {{"raw", 0, "DM", 0, 256}, {"raw", 1, "DM", 256, 512}};
  t.commands[2].binding = 1;
  t.commands[2].reads = {{"DM", 0, 256, 0, 0}, {"DM", 256, 512, 0, 1}};
  t.commands[2].writes = {{"DM", 512, 768, 0, 2}};
  t.commands[2].configuration = 0;
  t.commands[2].region = 0;
  t.commands[2].engines = {{"Fetch", Cycles{50}}, {"Vector", Cycles{40}}};
  t.commands[2].slowest = "Fetch";
  t.commands[3].after = {{"resource", 1, "tensor DMA", 0, 0}, {"raw", 2, "DM", 512, 768}};
  t.commands[3].binding = 1;
  t.commands[3].reads = {{"DM", 512, 768, 0, 2}};
  return t;
}

inline std::string written(const trace::Trace& t) {
  std::ostringstream out;
  trace::write_json(t, out);
  return std::move(out).str();
}

}  // namespace tcp::trace_test
