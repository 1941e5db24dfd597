// One way through the Tensor Unit, engine by engine.
#include <algorithm>

#include "program/checker.hpp"
#include "tcp/device/engine_limits.hpp"
#include "tcp/program/bank_runs.hpp"
#include "tcp/program/codes.hpp"
#include "tcp/program/fields.hpp"
#include "tcp/support/checked.hpp"

namespace tcp::program {

namespace {

constexpr std::int64_t word_bytes = 4;  // of an element in the VRF

/// The type of the stream that the Transpose Engine gets.
ScalarType type_at_transpose(const Exec& e) {
  if (e.cast) return e.cast->to;
  if (e.vector) return e.vector->floating_out ? ScalarType::f32 : ScalarType::i32;
  if (e.contraction) return is_integer(e.contraction->type) ? ScalarType::i32 : ScalarType::f32;
  return e.fetch.type;
}

}  // namespace

void Checker::exec(const Exec& e) {
  units("units", e.units);
  slices("writing", e.writing);
  {
    Inside const inside(*this, "fetch");
    fetch(e.fetch, e);
  }
  if_there("switching", e.switching, [this](const Switch& s) { switching(s); });
  if_there("collect", e.collect, [this](const Collect& c) {
    number("flits_per_packet", c.flits_per_packet, 1);
    number("packet_bytes", c.packet_bytes, 1);
    Checked const room = Checked(c.flits_per_packet) * device_.flit.bytes.value;
    if (ok() && room.fits) number("packet_bytes", c.packet_bytes, 1, room.value);
  });
  if_there("contraction", e.contraction, [this](const Contraction& c) { contraction(c); });
  if_there("vector", e.vector, [this](const Vector& v) { vector(v); });
  if_there("transpose", e.transpose, [&](const Transpose& t) { transpose(t, type_at_transpose(e)); });
  Inside const inside(*this, "sink");
  std::visit([&](const auto& s) { this->sink(s, e); }, e.sink);
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

void Checker::sequencer(const char* name, const Sequencer& s, const OneOf<Bytes>& access_sizes) {
  Inside const inside(*this, name);
  Checked const rounds = loops(s.loops);
  one_of("access_bytes", s.access_bytes, access_sizes);
  number("accesses_per_packet", s.accesses_per_packet, 1);
  number("packets", s.packets, 1);
  if (!ok()) return;
  same("loops", rounds, "packets times accesses_per_packet", Checked(s.packets) * s.accesses_per_packet);
  reach("base", Memory::Dm, reach_of(s.base, s.loops, s.access_bytes));
}

void Checker::fetch(const Fetch& f, const Exec& e) {
  sequencer("read", f.read, e.sub ? sub_fetch_sizes(device_, f.stored, f.type) : main_fetch_sizes(device_, e.dual, f.stored, f.type));
  at_most("offsets", f.offsets, std::size_t{3} * 16);  // sixteen factors of each level
  each("offsets", f.offsets, [&](const UnitOffset& o) {
    number("inside", o.inside, 1);
    number("size", o.size, 1);
    number("stride", o.stride, 0, std::int64_t{1} << 40);
  });
  if (!ok()) return;
  for (const Sequencer& walk : walks_of(f, e.units)) reach("offsets", Memory::Dm, reach_of(walk.base, walk.loops, walk.access_bytes));
  one_of("read.repeat_bits", f.read.repeat_bits, OneOf<std::int64_t>{0, scalar_info(f.stored).packet_bits});
  if_there("mask", f.mask, [&](const Mask& m) { mask(m, f); });
  index("table", f.table, -1, program_.tables.size());
  at_most("zero_points", f.zero_points, device_.fetch.interleaved_tensors);
  index("turn_loop", f.turn_loop, -1, f.read.loops.size());
  number("packet_elements", f.packet_elements, 1);
  // Counted in bits: elements may be smaller than a byte.
  multiple("packet_elements in bits", Checked(f.packet_elements) * scalar_info(f.type).packet_bits,
           device_.fetch.packet_multiple.value * 8);
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
  std::int64_t const most = device_.fetch.mask_count_limit * 4 / scalar_info(f.stored).packet_bits;
  for (std::int64_t count : m.valid_count) number("valid_count", count, 0, most);
  if (ok()) same("loops", elements, "packets times packet_elements", Checked(f.read.packets) * f.packet_elements);
}

void Checker::switching(const Switch& s) {
  std::int64_t const most = geometry() ? device_.levels.slices_per_cluster : any;
  power_of_two("slice1", s.slice1, most);
  power_of_two("slice0", s.slice0, most);
  number("time0", s.time0, 1);
  power_of_two("ring_size", s.ring_size, most);
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

void Checker::adapter(const StreamAdapter& a, ScalarType type) {
  Inside const inside(*this, "adapter");
  number("collect_flits", a.collect_flits, 1, device_.contraction.flit_buffer / device_.flit.bytes);
  OneOf<std::int64_t> rows{1}, columns{1};
  FlitTranspose offered[2];
  for (int i = 0, n = flit_transposes(type, offered); i < n; ++i) {
    rows.item[rows.count++] = offered[i].rows;
    columns.item[columns.count++] = offered[i].columns;
  }
  one_of("transpose_rows", a.transpose_rows, rows);
  one_of("transpose_columns", a.transpose_columns, columns);
  ShiftLimits const shift = shift_limits(type);
  number("initial_shift", a.initial_shift, shift.least_initial, shift.most_initial);
  number("shift_stride", a.shift_stride, 0, shift.most_stride);
  number("tiles", a.tiles, 1);
  number("shifts", a.shifts, 1);
  number("pops", a.pops, 1);
  if (!ok()) return;
  // Rows and columns that are offered, but not with each other, are rejected by the product: a flit has one number of
  // elements.
  std::int64_t const elements = device_.flit.bytes.value * 8 / scalar_info(type).packet_bits;
  if (a.transpose_rows != 1 || a.transpose_columns != 1)
    same("transpose_rows times transpose_columns", a.transpose_rows * a.transpose_columns, "the elements of a flit", elements);
}

void Checker::contraction(const Contraction& c) {
  adapter(c.adapter, c.type);
  one_of("rows", c.rows, device_.contraction.row_counts);
  one_of("trf_read_bytes", c.trf_read_bytes, device_.trf.read_sizes);
  if (!ok()) return;
  number("trf_repeats", c.trf_repeats, 1, std::max<std::int64_t>(1, device_.contraction.mac_bytes.value / c.trf_read_bytes));
  number("tree_depth", c.tree_depth, 0, tree_depth(device_, c.type));
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
  one_of("lanes", v.lanes, OneOf<std::int64_t>{device_.vector.narrow_lanes, device_.vector.lanes});
  number("packet_valid", v.packet_valid, 0);
  each("counters", v.counters, [&](const ValidCount::Counter& c) {
    number("limit", c.limit, 1);
    index("serves", c.serves, -1, v.gates.size() + 1);
  });
}

void Checker::vector(const Vector& v) {
  if_there("valid_count", v.valid_count, [this](const ValidCount& c) { valid_count(c); });
  index("counted_before", v.counted_before, 0, v.steps.size() + 1);
  each("steps", v.steps, [this](const VectorStep& s) {
    number("time_out", s.time_out, 1);
    std::visit(
        [this](const auto& what) {
          Inside const inside(*this, table_of<std::remove_cvref_t<decltype(what)>>.name);
          step(what);
        },
        s.what);
  });
}

void Checker::walk(const char* name, const VrfWalk& w) {
  Inside const inside(*this, name);
  multiple("address", w.address, word_bytes);
  each("loops", w.loops, [this](const Loop& l) {
    number("size", l.size, 1);
    multiple("stride", l.stride, word_bytes);
  });
  if (ok()) reach("address", Memory::Vrf, reach_of(w.address, w.loops, word_bytes));
}

void Checker::branch_by(const Toggle& t) {
  each("counters", t.counters, [this](const Toggle::Counter& c) {
    number("within", c.within, 0);
    number("inside", c.inside, 1);
    number("size", c.size, 1);
  });
}
void Checker::branch_by(const VrfWalk& w) { walk("by", w); }

void Checker::step(const BranchStep& b) {
  std::visit([this](const auto& by) { branch_by(by); }, b.by);
}
void Checker::step(const BranchLogStep& b) { walk("to", b.to); }
void Checker::step(const OperateStep& o) {
  code("op", o.op, operations_of(o.family).size());
  code("mode", o.mode, modes_of(o.family).size());
  code("alu", o.alu, std::size(codes::alus));
  each("operands", o.operands, [this](const OperandSlot& slot) {
    if (const auto* w = std::get_if<VrfWalk>(&slot.source)) walk("source", *w);
  });
}
void Checker::step(const ConvertStep& c) { number("int_width", c.int_width, 0, 31); }
void Checker::step(const WriteOperandStep& w) { walk("to", w.to); }
void Checker::step(const UnzipStep& u) { number("alternate", u.alternate, 1); }
void Checker::step(const FilterStep& f) {
  if (f.count_to) walk("count_to", *f.count_to);
}
void Checker::step(const IntraSliceReduceStep& r) {
  code("op", r.op, std::size(codes::reduces));
  number("slots", r.slots, 1, device_.vector.reduce_slots);
  each("loops", r.loops, [this](const TimeLoop& l) { number("rounds", l.rounds, 1); });
}
void Checker::step(const InterSliceReduceStep& r) {
  code("op", r.op, std::size(codes::reduces));
  number("group_slices", r.group_slices, 1, geometry() ? device_.levels.slices_per_cluster : any);
  number("broadcast", r.broadcast, 1);
  number("promoted", r.promoted, 1);
  slices("folded", r.folded);
  each("from_step", r.from_step, [this](const Loop& l) { number("size", l.size, 1); });
}

void Checker::transpose(const Transpose& t, ScalarType type) {
  TransposeLimits const limits = transpose_limits(device_, type);
  number("in_rows", t.in_rows, 1, limits.rows);
  one_of("in_columns", t.in_columns, limits.columns);
  number("packets_per_column", t.packets_per_column, 1);
  one_of("elements_per_packet", t.elements_per_packet, OneOf<std::int64_t>{limits.elements_per_packet, limits.packed_elements});
  number("kept_packets", t.kept_packets, 1);
  number("kept_elements", t.kept_elements, 1);
  number("matrices", t.matrices, 1);
}

void Checker::sink(const Commit& c, const Exec& e) {
  Inside const inside(*this, "Commit");
  if_there("cast", c.cast, [&](const CommitCast& cast) {
    same("to", static_cast<std::int64_t>(cast.to), "the type of the commit", static_cast<std::int64_t>(c.type));
  });
  sequencer("write", c.write, commit_sizes(device_, e.sub));
  number("write.repeat_bits", c.write.repeat_bits, 0, 0);
  for (const Loop& l : c.write.loops) multiple("write.loops.stride", l.stride, device_.commit.stride_multiple.value);
  if (device_.checks.dma_alignment) {
    multiple("write.base", c.write.base, device_.dm.write_alignment.value);
  }
  one_of("commit_in_size", c.commit_in_size, device_.commit.packet_sizes);
  number("pack_valid", c.pack_valid ? 1 : 0, 0, 0);  // nothing in a program says how many elements are valid
}

void Checker::sink(const TrfStore& t, const Exec&) {
  Inside const inside(*this, "TrfStore");
  one_of("rows", t.rows, device_.contraction.row_counts);
  if (!ok()) return;
  number("row_bytes", t.row_bytes, 1);
  reach("row_base", "a row of Trf", {t.row_base, Checked(t.row_base) + t.row_bytes}, trf_row(t.rows));
}

void Checker::sink(const VrfStore& v, const Exec&) {
  Inside const inside(*this, "VrfStore");
  number("bytes", v.bytes, 1);
  multiple("address", v.address, word_bytes);
  multiple("bytes", v.bytes, word_bytes);
  reach("address", Memory::Vrf, {v.address, Checked(v.address) + v.bytes});
}

}  // namespace tcp::program
