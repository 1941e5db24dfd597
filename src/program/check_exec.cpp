// One way through the Tensor Unit, engine by engine.
#include <algorithm>

#include "checker.hpp"
#include "tcp/program/codes.hpp"

namespace tcp::program {

void Checker::exec(const Exec& e) {
  units("units", e.units);
  slices("writing", e.writing);
  {
    Inside const inside(*this, "fetch");
    fetch(e.fetch);
  }
  at_most("switching", e.switching, 1);
  at_most("collect", e.collect, 1);
  at_most("contraction", e.contraction, 1);
  at_most("vector", e.vector, 1);
  at_most("cast", e.cast, 1);
  at_most("transpose", e.transpose, 1);
  each("switching", e.switching, [this](const Switch& s) { switching(s); });
  each("collect", e.collect, [this](const Collect& c) {
    number("flits_per_packet", c.flits_per_packet, 1);
    number("packet_bytes", c.packet_bytes, 1);
    if (c.flits_per_packet >= 1 && c.packet_bytes > (Checked(c.flits_per_packet) * device_.flit.bytes.value).value)
      number("packet_bytes", c.packet_bytes, 1, (Checked(c.flits_per_packet) * device_.flit.bytes.value).value);
  });
  each("contraction", e.contraction, [this](const Contraction& c) { contraction(c); });
  each("vector", e.vector, [this](const Vector& v) { vector(v); });
  each("transpose", e.transpose, [this](const Transpose& t) { transpose(t); });
  Inside const inside(*this, "sink");
  std::visit([this](const auto& s) { this->sink(s); }, e.sink);
}

/// The rounds of all loops together.
Checked Checker::loops(const std::vector<Loop>& all) {
  Checked rounds = 1;
  at_most("loops", all, device_.sequencer.entries);
  each("loops", all, [&](const Loop& l) {
    number("size", l.size, 1, device_.sequencer.iterations);
    rounds = rounds * l.size;
  });
  return rounds;
}

void Checker::sequencer(const char* name, const Sequencer& s) {
  Inside const inside(*this, name);
  Checked const rounds = loops(s.loops);
  number("access_bytes", s.access_bytes, 1, device_.flit.dual_bytes.value);
  number("accesses_per_packet", s.accesses_per_packet, 1);
  number("packets", s.packets, 1);
  number("repeat_bits", s.repeat_bits, 0, 32);
  if (!ok()) return;
  same("loops", rounds, "packets times accesses_per_packet", Checked(s.packets) * s.accesses_per_packet);
  Reach const here = reach_of(s.base, s.loops, s.access_bytes);
  if (s.chip_delta.empty()) return reach("base", Memory::Dm, here);
  same("chip_delta", static_cast<std::int64_t>(s.chip_delta.size()), "the number of chips", std::int64_t{program_.chips});
  each("chip_delta", s.chip_delta, [&](std::int64_t delta) { reach("", Memory::Dm, {here.low + delta, here.high + delta}); });
}

void Checker::fetch(const Fetch& f) {
  sequencer("read", f.read);
  at_most("mask", f.mask, 1);
  each("mask", f.mask, [&](const Mask& m) { mask(m, f); });
  index("table", f.table, -1, program_.tables.size());
  at_most("zero_points", f.zero_points, device_.fetch.interleaved_tensors);
  index("turn_loop", f.turn_loop, -1, f.read.loops.size());
  number("packet_elements", f.packet_elements, 1);
}

void Checker::mask(const Mask& m, const Fetch& f) {
  Checked elements = 1;
  for (std::int64_t size : m.loops) {
    number("loops", size, 1);
    elements = elements * size;
  }
  index("last_dim", m.last_dim, 0, m.loops.size());
  index("valid_count_dim", m.valid_count_dim, -1, m.loops.size());
  number("left_pad", m.left_pad, 0);
  number("valid_count", static_cast<std::int64_t>(m.valid_count.size()), 1, device_.fetch.mask_counts);
  for (std::int64_t count : m.valid_count) number("valid_count", count, 0);
  if (ok()) same("loops", elements, "packets times packet_elements", Checked(f.read.packets) * f.packet_elements);
}

void Checker::switching(const Switch& s) {
  number("slice1", s.slice1, 1);
  number("slice0", s.slice0, 1);
  number("time0", s.time0, 1);
  number("ring_size", s.ring_size, 1);
  number("time_out", s.time_out, 1);
  at_most("snoop", s.snoop, geometry() ? device_.levels.slices_per_cluster : 256);
  each("snoop", s.snoop, [this](const SliceSet& from) { slices("", from); });
  auto const step = [this](const RouteStep& r) {
    number("size", r.size, 1);
    number("held", r.held, 0, r.size);
  };
  each("of_slice", s.of_slice, step);
  each("of_time", s.of_time, step);
  Checked steps = 1;
  for (const RouteStep& r : s.of_time) steps = steps * r.size;
  if (ok()) same("time_out", s.time_out, "the rounds of of_time", steps);
}

void Checker::time_loops(const char* name, const std::vector<TimeLoop>& all, std::int64_t steps) {
  Checked rounds = 1;
  each(name, all, [&](const TimeLoop& l) {
    number("rounds", l.rounds, 1);
    rounds = rounds * l.rounds;
  });
  if (ok()) same(name, rounds, "the steps that go in", steps);
}

/// The bytes of one row, if so many share the TRF.
std::int64_t Checker::trf_row(std::int64_t rows) const { return geometry() ? capacity(Memory::Trf) / rows : capacity(Memory::Trf); }

void Checker::contraction(const Contraction& c) {
  {
    Inside const inside(*this, "adapter");
    const StreamAdapter& a = c.adapter;
    number("collect_flits", a.collect_flits, 1);
    number("transpose_rows", a.transpose_rows, 1);
    number("transpose_columns", a.transpose_columns, 1);
    number("tiles", a.tiles, 1);
    number("shifts", a.shifts, 1);
    number("pops", a.pops, 1);
  }
  number("rows", c.rows, 1, device_.levels.rows_per_slice);
  number("trf_read_bytes", c.trf_read_bytes, 1, device_.trf.read_sizes.largest().value);
  number("trf_repeats", c.trf_repeats, 1);
  number("tree_depth", c.tree_depth, 0, 7);
  number("steps", c.steps, 1);
  number("columns", c.columns, 1);
  number("groups", c.groups, 1);
  number("slots", c.slots, 0, device_.contraction.accumulator_slots);
  for (const Loop& l : c.trf_loops) number("trf_loops", l.size, 1, device_.sequencer.iterations);
  if (!ok()) return;
  Reach const read = reach_of(c.trf_row_base, c.trf_loops, c.trf_read_bytes);
  reach("trf_first", "a row of Trf", {read.low + c.trf_first, read.high + c.trf_first}, trf_row(c.rows));
  for (const LaneMask& m : c.zero_lanes)
    for (const LaneMask::Round& r : m.rounds) {
      number("zero_lanes", r.inside, 1);
      number("zero_lanes", r.size, 1);
      number("zero_lanes", r.from, 0);
      number("zero_lanes", r.to, r.from);
    }
  time_loops("loops", c.loops, c.steps);
}

void Checker::valid_count(const ValidCount& v) {
  at_most("counters", v.counters, device_.vector.valid_count_counters);
  at_most("gates", v.gates, device_.vector.valid_count_gates);
  number("lanes", v.lanes, 1, device_.vector.lanes);
  number("packet_valid", v.packet_valid, 0);
  each("counters", v.counters, [&](const ValidCount::Counter& c) {
    number("limit", c.limit, 1);
    index("serves", c.serves, -1, v.gates.size() + 1);
  });
}

void Checker::vector(const Vector& v) {
  at_most("valid_count", v.valid_count, 1);
  each("valid_count", v.valid_count, [this](const ValidCount& c) { valid_count(c); });
  index("counted_before", v.counted_before, 0, v.steps.size() + 1);
  each("steps", v.steps, [this](const VectorStep& s) { vector_step(s); });
}

void Checker::walk(const VrfWalk& w) {
  for (const Loop& l : w.loops) number("loops", l.size, 1);
  if (ok()) reach("address", Memory::Vrf, reach_of(w.address, w.loops, 4));
}

void Checker::vector_step(const VectorStep& s) {
  using Kind = VectorStep::Kind;
  auto const code = [this](const char* name, int v, CodeNames names) { index(name, v, 0, names.size()); };
  if (s.kind == Kind::Operate) {
    code("op", s.op, operations_of(s.family));
    code("mode", s.mode, modes_of(s.family));
  }
  code("alu", s.alu, codes::alus);
  code("reduce", s.reduce, codes::reduces);
  number("int_width", s.int_width, 0, 31);
  number("alternate", s.alternate, 1);
  number("reduce_slots", s.reduce_slots, 1, device_.vector.reduce_slots);
  number("group_slices", s.group_slices, 1);
  number("broadcast", s.broadcast, 1);
  number("promoted", s.promoted, 1);
  number("time_out", s.time_out, 1);
  at_most("identity", s.identity, 1);
  at_most("vrf", s.vrf, 1);
  slices("folded", s.folded);
  for (const Toggle::Counter& c : s.toggle.counters) {
    number("toggle.within", c.within, 0);
    number("toggle.inside", c.inside, 1);
    number("toggle.size", c.size, 1);
  }
  for (const TimeLoop& l : s.reduce_loops) number("reduce_loops", l.rounds, 1);
  for (const Loop& l : s.from_step) number("from_step", l.size, 1);
  each("operands", s.operands, [this](const OperandSlot& o) {
    same("vrf", static_cast<std::int64_t>(o.vrf.size()), "the walks that its source needs", o.source == OperandSource::Vrf ? 1 : 0);
    each("vrf", o.vrf, [this](const VrfWalk& w) { walk(w); });
  });
  bool const needs_walk =
      s.kind == Kind::BranchLog || s.kind == Kind::WriteOperand || (s.kind == Kind::Branch && s.branch == BranchKind::Vrf);
  if (needs_walk) number("vrf", static_cast<std::int64_t>(s.vrf.size()), 1, 1);
  each("vrf", s.vrf, [this](const VrfWalk& w) { walk(w); });
}

void Checker::transpose(const Transpose& t) {
  number("in_rows", t.in_rows, 1);
  number("in_columns", t.in_columns, 1);
  number("packets_per_column", t.packets_per_column, 1);
  number("elements_per_packet", t.elements_per_packet, 1);
  number("kept_packets", t.kept_packets, 1);
  number("kept_elements", t.kept_elements, 1);
  number("matrices", t.matrices, 1);
}

void Checker::sink(const Commit& c) {
  Inside const inside(*this, "Commit");
  sequencer("write", c.write);
  number("commit_in_size", c.commit_in_size, 1, device_.flit.dual_bytes.value);
  number("pack_valid", c.pack_valid ? 1 : 0, 0, 0);  // nothing in a program says how many elements are valid
}

void Checker::sink(const TrfStore& t) {
  Inside const inside(*this, "TrfStore");
  number("rows", t.rows, 1, device_.levels.rows_per_slice);
  if (!ok()) return;
  number("row_bytes", t.row_bytes, 1);
  reach("row_base", "a row of Trf", {t.row_base, Checked(t.row_base) + t.row_bytes}, trf_row(t.rows));
}

void Checker::sink(const VrfStore& v) {
  Inside const inside(*this, "VrfStore");
  number("bytes", v.bytes, 1);
  reach("address", Memory::Vrf, {v.address, Checked(v.address) + v.bytes});
}

}  // namespace tcp::program
