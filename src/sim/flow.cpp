// Follows the shape of the stream (flits, lanes, type) from engine to engine, and refuses a program in which two
// neighbours disagree.
#include "sim/commands.hpp"

#include <string_view>

#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/zero_point.hpp"
#include "tcp/support/round.hpp"

namespace tcp::sim {

namespace {

class Flow {
 public:
  Flow(const program::Program& program, const Device& device, std::size_t command)
      : program_(program), device_(device), command_(command) {}

  Verdict follow(const program::Exec& e) {
    fetch(e.fetch);
    if (e.switching && e.switching->topology != program::Topology::Forwarding) packets_ = e.switching->time_out;
    if (e.collect) collect(*e.collect);
    if (e.contraction) contraction(*e.contraction);
    if (e.vector) vector(*e.vector);
    if (e.cast) cast(e.cast->from, e.cast->to);
    if (e.transpose) transpose(*e.transpose);
    std::visit([this](const auto& s) { sink(s); }, e.sink);
    return verdict_;
  }

 private:
  std::int64_t bits() const { return scalar_info(type_).packet_bits; }
  std::int64_t flit() const { return device_.flit.bytes.value * 8 / bits(); }

  void fetch(const program::Fetch& f) {
    std::int64_t const stored = scalar_info(f.stored).packet_bits;
    if (!scalar_info(f.stored).in_memory) same("fetch", "stored type", 0, 1);
    same("fetch", "elements of a packet", f.packet_elements * stored, f.read.accesses_per_packet * f.read.access_bytes * 8);
    if (f.turn_loop >= 0) at_most("fetch", "interleaved tensors", f.read.loops[static_cast<std::size_t>(f.turn_loop)].size, 2);
    ScalarType type = f.stored;
    if (f.table >= 0) {
      const program::Table& t = program_.tables[static_cast<std::size_t>(f.table)];
      at_most("fetch", "values of the table's index", std::int64_t{1} << scalar_info(f.stored).bits,
              static_cast<std::int64_t>(t.bits.size()));
      type = t.to;
    }
    for (std::int64_t z : f.zero_points)
      if (!zero_point(type, z) || !is_integer(f.type)) same("fetch", "zero point", 0, 1);
    if (f.zero_points.empty() && type != f.type && !has_scalar_cast(type, f.type)) same("fetch", "cast", 0, 1);
    if (f.mask) {
      const program::Mask& m = *f.mask;
      at_most("fetch", "bits of the pad value", m.pad_value, scalar_mask(f.stored));
      if (m.valid_count_dim >= 0)
        same("fetch", "valid counts", static_cast<std::int64_t>(m.valid_count.size()),
             m.loops[static_cast<std::size_t>(m.valid_count_dim)]);
    }
    type_ = f.type;
    packets_ = f.read.packets;
    lanes_ = f.packet_elements;
  }

  void collect(const program::Collect& c) {
    same("collect", "bytes of a packet", c.packet_bytes * 8, lanes_ * bits());
    packets_ *= c.flits_per_packet;
    lanes_ = flit();
  }
  void cast(ScalarType from, ScalarType to) {
    same("cast", "type", static_cast<int>(from), static_cast<int>(type_));
    if (!has_scalar_cast(from, to)) same("cast", "meaning", 0, 1);
    type_ = to;
    at_most("cast", "lanes", lanes_, flit());
    lanes_ = flit();
  }
  void transpose(const program::Transpose& t) {
    same("transpose", "flits", packets_, t.matrices * t.in_rows * t.packets_per_column);
    at_most("transpose", "elements of a packet", t.kept_elements, lanes_);
    at_most("transpose", "packets of a row", t.kept_packets, t.packets_per_column);
    at_most("transpose", "rows", t.in_rows, flit());
    packets_ = t.matrices * t.kept_packets * t.kept_elements;
    lanes_ = flit();
  }

  void contraction(const program::Contraction& c) {
    const program::StreamAdapter& a = c.adapter;
    same("contraction", "type", static_cast<int>(c.type), static_cast<int>(type_));
    same("contraction", "lanes", lanes_, flit());
    same("contraction", "flits", packets_, a.pops * a.collect_flits);
    same("contraction", "time steps", c.steps, a.pops * a.shifts * a.tiles);
    if (a.transpose_rows * a.transpose_columns != 1) same("contraction", "flit transpose", a.transpose_rows * a.transpose_columns, lanes_);
    std::int64_t rounds = 1;
    for (const program::Loop& l : c.trf_loops) rounds *= l.size;
    same("contraction", "rounds of the TRF sequencer", rounds, c.steps);
    std::int64_t const lanes = device_.contraction.mac_bytes.value * 8 / bits();
    at_most("contraction", "leaves of the tree", std::int64_t{1} << c.tree_depth, lanes);
    at_most("contraction", "lanes of a mask", lanes, 128);
    if (scalar_info(c.weights).packet_bits != bits() || is_integer(c.weights) != is_integer(c.type)) same("contraction", "weights", 0, 1);
    std::int64_t kept = 1;
    for (const program::TimeLoop& l : c.loops) kept *= l.added ? 1 : l.rounds;
    type_ = is_integer(c.type) ? ScalarType::i32 : ScalarType::f32;
    lanes_ = flit();
    at_most("contraction", "rows", c.rows, lanes_);
    packets_ = kept * (c.sequential ? c.rows * (ceil_div(c.columns, lanes_)) : c.columns);
  }

  void vector(const program::Vector& v) {
    same("vector", "type", static_cast<int>(v.floating ? ScalarType::f32 : ScalarType::i32), static_cast<int>(type_));
    groups_ = 1;
    for (const program::VectorStep& s : v.steps) {
      std::visit([&](const auto& what) { this->step(what, s.time_out); }, s.what);
      same("vector", "flits after a step", packets_, s.time_out * groups_);
    }
    same("vector", "type at the end", static_cast<int>(v.floating_out ? ScalarType::f32 : ScalarType::i32), static_cast<int>(type_));
  }
  // Each step says what it makes of the stream; `time_out`: its own idea of how many flits a group has after it.
  void step(const program::OperateStep& o, std::int64_t) {
    if (o.group != program::OperateStep::Group::Zip) return;
    packets_ /= groups_;
    groups_ = 1;
  }
  void step(const program::UnzipStep& u, std::int64_t) {
    same("vector", "flits of two groups", packets_ % (2 * u.alternate), 0);
    groups_ = 2;
  }
  void step(const program::FilterStep&, std::int64_t time_out) {
    packets_ = time_out;
    lanes_ = device_.vector.lanes;
  }
  void step(const program::ConvertStep& c, std::int64_t) { type_ = c.to_float ? ScalarType::f32 : ScalarType::i32; }
  void step(const program::ReinterpretStep& r, std::int64_t) { type_ = r.to_float ? ScalarType::f32 : ScalarType::i32; }
  void step(const program::IntraSliceReduceStep& r, std::int64_t) {
    at_most("vector", "lanes of a reduce", lanes_, device_.vector.narrow_lanes);
    std::int64_t rounds = 1, kept = 1;
    for (const program::TimeLoop& l : r.loops) rounds *= l.rounds, kept *= l.added ? 1 : l.rounds;
    same("vector", "rounds of a reduce", rounds, packets_);
    packets_ = kept;
  }
  void step(const program::InterSliceReduceStep& r, std::int64_t time_out) {
    std::int64_t rounds = 1;
    for (const program::Loop& l : r.from_step) rounds *= l.size;
    same("vector", "rounds of an inter-slice reduce", rounds, r.group_slices * time_out);
    packets_ = time_out;
  }
  void step(const program::ReshapeStep& r, std::int64_t) {
    using Width = program::ReshapeStep::Width;
    std::int64_t const wide = device_.vector.lanes, narrow = device_.vector.narrow_lanes;
    bool const narrows = r.width == Width::Split || r.width == Width::Trim;
    same("vector", "lanes", lanes_, narrows ? wide : narrow);
    if (r.width == Width::Split) packets_ *= wide / narrow;
    if (r.width == Width::Concat) {
      same("vector", "flits that are joined", packets_ % (wide / narrow), 0);
      packets_ /= wide / narrow;
    }
    lanes_ = narrows ? narrow : wide;
  }
  // The others leave the shape of the stream alone.
  void step(const program::BranchStep&, std::int64_t) {}
  void step(const program::BranchLogStep&, std::int64_t) {}
  void step(const program::StashStep&, std::int64_t) {}
  void step(const program::WriteOperandStep&, std::int64_t) {}

  void sink(const program::Commit& c) {
    if (c.cast) cast(c.cast->from, c.cast->to);
    same("commit", "type", static_cast<int>(c.type), static_cast<int>(type_));
    if (!scalar_info(c.type).in_memory) same("commit", "stored type", 0, 1);
    same("commit", "packets", c.write.packets, packets_);
    at_most("commit", "bytes of a packet", c.write.accesses_per_packet * c.write.access_bytes * 8, lanes_ * bits());
  }
  void sink(const program::TrfStore& s) { same("TRF store", "bytes of its rows", s.row_bytes * s.rows * 8, packets_ * lanes_ * bits()); }
  void sink(const program::VrfStore& s) { same("VRF store", "bytes", s.bytes, packets_ * lanes_ * 4); }

  void same(const char* engine, const char* what, std::int64_t a, std::int64_t b) {
    if (a != b) refused(engine, what, a, b);
  }
  void at_most(const char* engine, const char* what, std::int64_t a, std::int64_t b) {
    if (a > b) refused(engine, what, a, b);
  }
  void refused(const char* engine, const char* what, std::int64_t a, std::int64_t b) {
    if (!verdict_) return;
    verdict_ = refuse("sim-flow")
                   .what("command ", command_, ", ", engine, ": ", what, " do not agree with what comes in, ", a, " against ", b)
                   .why("an engine's settings say what its stream looks like")
                   .help("lower the program again");
  }

  const program::Program& program_;
  const Device& device_;
  std::size_t command_;
  ScalarType type_ = ScalarType::i32;
  std::int64_t packets_ = 0, lanes_ = 0, groups_ = 1;
  Verdict verdict_ = accept();
};

}  // namespace

Verdict check_flow(const program::Program& program, const Device& device) {
  for (std::size_t i = 0; i < program.commands.size(); ++i)
    if (const auto* e = std::get_if<program::Exec>(&program.commands[i].what))
      if (auto v = Flow(program, device, i).follow(*e); !v) return v;
  return accept();
}

}  // namespace tcp::sim
