// The fields of every record that is written as JSON, with their keys. Writer and reader walk the same rows, so neither
// knows a key that the other forgets.
//
// A visitor is called as v(key, member, fallback). A key that is a must is always written and must be there; any other
// is left out where its value is the fallback, which keeps a trace of a million commands in bounds.
#pragma once

#include <concepts>
#include <type_traits>

#include "tcp/trace/diff.hpp"
#include "tcp/trace/report.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::trace {

struct Key {
  const char* name;
  bool must = false;

  constexpr Key(const char* n) : name(n) {}
  constexpr Key(const char* n, bool m) : name(n), must(m) {}
};
constexpr Key must(const char* name) { return {name, true}; }

template <class R, class T>
concept Is = std::same_as<std::remove_const_t<R>, T>;

template <Is<Source> R, class V>
void each_field(R& r, V&& v) {
  v(must("file"), r.file);
  v("function", r.function);
  v(must("line"), r.line);
  v("column", r.column);
  v("text", r.text);
}
template <Is<Region> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("index"), r.index);
}
template <Is<Capacity> R, class V>
void each_field(R& r, V&& v) {
  v(must("memory"), r.memory);
  v(must("bytes"), r.bytes);
  v("units", r.units, 1);
}
template <Is<Axis> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("size"), r.size);
}
template <Is<Geometry> R, class V>
void each_field(R& r, V&& v) {
  v("clusters", r.clusters, 1);
  v("slices", r.slices, 1);
  v("dma_engines", r.dma_engines);
  v("dm_banks", r.dm_banks);
  v("dm_row", r.dm_row);
  v("bank_limit", r.bank_limit);
  v("channels", r.channels);
  v("channel_bits", r.channel_bits);
  v("rows", r.rows);
  v("hbm_mb_per_s", r.hbm_mb_per_s);
}
template <Is<BankRuns> R, class V>
void each_field(R& r, V&& v) {
  v(must("runs"), r.runs);
}
template <Is<Units> R, class V>
void each_field(R& r, V&& v) {
  v("chips", r.chips);
  v("clusters", r.clusters);
  v("slices", r.slices);
}
template <Is<Setting> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("text"), r.text);
  v("why", r.why);
  v("source", r.source, none);
}
template <Is<Tensor> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("memory"), r.memory);
  v("mapping", r.mapping);
  v("role", r.role);
  v(must("begin"), r.begin);
  v(must("end"), r.end);
  v("units", r.units, none);
  v("source", r.source, none);
  v("first", r.first, none);
  v("last", r.last, none);
  v(must("born"), r.born);
  v(must("gone"), r.gone);
  v("details", r.details);
}
template <Is<Configuration> R, class V>
void each_field(R& r, V&& v) {
  v("stages", r.stages);
  v("settings", r.settings);
}
template <Is<Part> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("cycles"), r.cycles);
}
template <Is<Edge> R, class V>
void each_field(R& r, V&& v) {
  v(must("kind"), r.kind);
  v(must("from"), r.from);
  v("on", r.on);
  v("begin", r.begin);
  v("end", r.end);
}
template <Is<Range> R, class V>
void each_field(R& r, V&& v) {
  v(must("memory"), r.memory);
  v(must("begin"), r.begin);
  v(must("end"), r.end);
  v("units", r.units, none);
  v("tensor", r.tensor, none);
}
template <Is<DmaFacts> R, class V>
void each_field(R& r, V&& v) {
  v(must("bytes"), r.bytes);
  v("run", r.run);
  v("unit", r.unit);
  v("ideal", r.ideal);
  v("descriptors", r.descriptors);
  v("engines", r.engines);
  v("engines_of", r.engines_of);
  v("engine_set", r.engine_set);
  v("stacks", r.stacks);
  v("stacks_of", r.stacks_of);
  v("channels", r.channels);
  v("channels_of", r.channels_of);
  v("requests", r.requests);
  v("row_switches", r.row_switches);
  v("partial_writes", r.partial_writes);
  v("copies", r.copies, 1);
  v("one_copy", r.one_copy);
  v("in_order", r.in_order);
  v("both_dmns", r.both_dmns);
  v("both_clusters", r.both_clusters);
  v("dealt", r.dealt);
}
template <Is<PassFacts> R, class V>
void each_field(R& r, V&& v) {
  v("clusters", r.clusters);
  v("clusters_of", r.clusters_of);
  v("slices", r.slices);
  v("slices_of", r.slices_of);
  v("rows", r.rows);
  v("rows_of", r.rows_of);
  v("packet_bytes", r.packet_bytes);
  v("flit_bytes", r.flit_bytes);
  v("lanes", r.lanes);
  v("lanes_of", r.lanes_of);
  v("longest_bank_run", r.longest_bank_run);
  v("ideal", r.ideal);
  v("outputs", r.outputs);
  v("table", r.table);
  v("computed", r.computed);
  v("computable", r.computable);
  v("moves", r.moves);
  v("multiply_adds", r.multiply_adds);
}
template <Is<Command> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("resources"), r.resources);
  v("queues", r.queues);
  v("configuration", r.configuration, none);
  v("source", r.source, none);
  v("region", r.region, none);
  v("bank_runs", r.bank_runs, none);
  v("column", r.column);
  v("last_line", r.last_line);
  v("last_column", r.last_column);
  v("index", r.index);
  v("cluster", r.cluster, none);
  v(must("start"), r.start);
  v(must("end"), r.end);
  v("startup", r.startup);
  v("of_program", r.of_program);
  v("streaming", r.streaming);
  v("stalls", r.stalls);
  v("engines", r.engines);
  v("slowest", r.slowest);
  v("after", r.after);
  v("binding", r.binding, none);
  v("slack", r.slack);
  v("critical", r.critical);
  v("reads", r.reads);
  v("writes", r.writes);
  v("dma", r.dma);
  v("pass", r.pass);
}
template <Is<Usage> R, class V>
void each_field(R& r, V&& v) {
  v(must("group"), r.group);
  v(must("name"), r.name);
  v("busy", r.busy);
  v("bytes", r.bytes);
  v("requests", r.requests);
  v("conflicts", r.conflicts);
}
template <Is<Assumption> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v("value", r.value);
  v("source", r.source);
}
template <Is<HostTransfer> R, class V>
void each_field(R& r, V&& v) {
  v(must("direction"), r.direction);
  v("tensor", r.tensor);
  v(must("bytes"), r.bytes);
  v(must("cycles"), r.cycles);
  v("source", r.source, none);
}
template <Is<HeldBytes> R, class V>
void each_field(R& r, V&& v) {
  v(must("memory"), r.memory);
  v("chip", r.chip);
  v("cluster", r.cluster);
  v("slices", r.slices);
  v("row", r.row, none);
  v("begin", r.begin);
  v(must("data"), r.data);
  v("undefined", r.undefined);
}
template <Is<NotFinite> R, class V>
void each_field(R& r, V&& v) {
  v(must("text"), r.text);
  v(must("memory"), r.memory);
  v("chip", r.chip);
  v("cluster", r.cluster);
  v("slice", r.slice);
  v("row", r.row, none);
  v(must("byte"), r.byte);
  v(must("count"), r.count);
}
template <Is<Values> R, class V>
void each_field(R& r, V&& v) {
  v("command", r.command, none);
  v(must("digest"), r.digest);
  v("left_out", r.left_out);
  v("parts", r.parts);
  v("not_finite", r.not_finite);
}
template <Is<Launch> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("hash"), r.hash);
  v(must("command"), r.command);
  v("tensor", r.tensor);
  v(must("cycles"), r.cycles);
  v("transfer_cycles", r.transfer_cycles);
  v("transfer_bytes", r.transfer_bytes);
  v("axes", r.axes);
}
/// The first two keys of the file, format and version, are the reader's and the writer's own.
template <Is<Trace> R, class V>
void each_field(R& r, V&& v) {
  v(must("tool"), r.tool);
  v(must("program"), r.program);
  v(must("hash"), r.hash);
  v(must("chip"), r.chip);
  v(must("model"), r.model);
  v("chips", r.chips, 1);
  v("core_mhz", r.core_mhz);
  v("ticks_per_cycle", r.ticks_per_cycle);
  v("imported", r.imported);
  v("facts", r.facts);
  v("complete", r.complete, true);
  v(must("makespan"), r.makespan);
  v("gained", r.gained);
  v("bounds", r.bounds);
  v("path", r.path);
  v("assumptions", r.assumptions);
  v("capacities", r.capacities);
  v("geometry", r.geometry);
  v("axes", r.axes);
  v(must("resources"), r.resources);
  v("sources", r.sources);
  v("regions", r.regions);
  v("units", r.units);
  v("tensors", r.tensors);
  v("configurations", r.configurations);
  v("bank_runs", r.bank_runs);
  v("usage", r.usage);
  v("host_transfers", r.host_transfers);
  v("order_by", r.order_by);
  v("order", r.order);
  v("critical_path", r.critical_path);
  v("values", r.values);
  v("launches", r.launches);
  v(must("commands"), r.commands);
}

template <Is<Finding> R, class V>
void each_field(R& r, V&& v) {
  v(must("rule"), r.rule);
  v(must("source"), r.source);
  v(must("commands"), r.commands);
  v(must("cycles"), r.cycles);
  v(must("gain"), r.gain);
  v(must("what"), r.what);
  v(must("help"), r.help);
}
template <Is<Trial> R, class V>
void each_field(R& r, V&& v) {
  v(must("kind"), r.kind);
  v(must("what"), r.what);
  v(must("after"), r.after);
  v(must("gain"), r.gain);
}
template <Is<Trials> R, class V>
void each_field(R& r, V&& v) {
  v(must("tried"), r.tried);
  v(must("of"), r.of);
  v(must("best"), r.best);
}
template <Is<UnitUse> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("busy"), r.busy);
  v(must("commands"), r.commands);
}
template <Is<Wait> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("source"), r.source);
  v(must("reason"), r.reason);
  v(must("commands"), r.commands);
  v(must("cycles"), r.cycles);
  v(must("longest"), r.longest);
}
template <Is<Gap> R, class V>
void each_field(R& r, V&& v) {
  v(must("resource"), r.resource);
  v(must("begin"), r.begin);
  v(must("end"), r.end);
  v(must("command"), r.command);
  v(must("reason"), r.reason);
}
template <Is<LineUse> R, class V>
void each_field(R& r, V&& v) {
  v(must("source"), r.source);
  v(must("commands"), r.commands);
  v(must("busy"), r.busy);
  v(must("critical"), r.critical);
  v(must("waited"), r.waited);
}
template <Is<RegionUse> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("iterations"), r.iterations);
  v(must("commands"), r.commands);
  v(must("busy"), r.busy);
  v(must("critical"), r.critical);
}
template <Is<MemoryUse> R, class V>
void each_field(R& r, V&& v) {
  v(must("memory"), r.memory);
  v(must("highest"), r.highest);
  v(must("capacity"), r.capacity);
}
template <Is<Report> R, class V>
void each_field(R& r, V&& v) {
  v(must("program"), r.program);
  v(must("chip"), r.chip);
  v(must("model"), r.model);
  v(must("tool"), r.tool);
  v(must("hash"), r.hash);
  v(must("chips"), r.chips);
  v(must("core_mhz"), r.core_mhz);
  v(must("ticks_per_cycle"), r.ticks_per_cycle);
  v(must("imported"), r.imported);
  v(must("facts"), r.facts);
  v(must("complete"), r.complete);
  v(must("order_by"), r.order_by);
  v(must("commands"), r.commands);
  v(must("critical_commands"), r.critical_commands);
  v(must("makespan"), r.makespan);
  v(must("gained"), r.gained);
  v(must("bounds"), r.bounds);
  v(must("path"), r.path);
  v(must("resources"), r.resources);
  v(must("engines"), r.engines);
  v(must("usage"), r.usage);
  v(must("host_transfers"), r.host_transfers);
  v(must("memories"), r.memories);
  v(must("waits"), r.waits);
  v(must("gaps"), r.gaps);
  v(must("lines"), r.lines);
  v(must("regions"), r.regions);
  v(must("findings"), r.findings);
  v("what_if", r.what_if);
  v(must("assumptions"), r.assumptions);
  v(must("sources"), r.sources);
}
template <Is<LineChange> R, class V>
void each_field(R& r, V&& v) {
  v(must("at"), r.at);
  v(must("text"), r.text);
  v(must("appeared"), r.appeared);
  v(must("vanished"), r.vanished);
  v(must("changed"), r.changed);
  v(must("moved"), r.moved);
  v(must("busy_before"), r.busy_before);
  v(must("busy_after"), r.busy_after);
  v(must("critical_before"), r.critical_before);
  v(must("critical_after"), r.critical_after);
}
template <Is<CommandChange> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("at"), r.at);
  v(must("text"), r.text);
  v(must("commands_before"), r.commands_before);
  v(must("commands_after"), r.commands_after);
  v(must("busy_before"), r.busy_before);
  v(must("busy_after"), r.busy_after);
}
template <Is<ResourceChange> R, class V>
void each_field(R& r, V&& v) {
  v(must("name"), r.name);
  v(must("commands_before"), r.commands_before);
  v(must("commands_after"), r.commands_after);
  v(must("busy_before"), r.busy_before);
  v(must("busy_after"), r.busy_after);
}
template <Is<Diff> R, class V>
void each_field(R& r, V&& v) {
  v(must("verdict"), r.verdict);
  v(must("before"), r.before);
  v(must("after"), r.after);
  v(must("ticks_per_cycle"), r.ticks_per_cycle);
  v(must("same_program"), r.same_program);
  v(must("remarks"), r.remarks);
  v(must("name_before"), r.name_before);
  v(must("name_after"), r.name_after);
  v(must("lines"), r.lines);
  v(must("commands"), r.commands);
  v(must("resources"), r.resources);
}

}  // namespace tcp::trace
