// From boxes of rounds to descriptors: which bytes are a packet, which engine takes which part, and in which order it
// goes.
//
// Needs: steps and bounds. Leaves: descriptors that keep to what an engine can do: packets of at most 4,096 bytes, 8
// loops of at most 65,536 rounds.
//
// How much padding is moved along is a matter of cost: a descriptor costs its start-up, a request about a cycle.
// Reading beyond the source's end, at most to the next row of DM, is the last resort where DM would be written in parts
// of rows otherwise.
//
// A step from chip to chip or from cluster to cluster divides the work among descriptors, and so does one from PE to
// PE, whose engine then does its own part. The order of an engine's loops is order.cpp's.
// Refuses: lower-transfer-splits-byte, lower-transfer-partial-row, lower-transfer-beyond-memory, lower-transfer-too-
// fragmented, lower-transfer-no-such-unit.
#include <algorithm>
#include <map>
#include <numeric>

#include "lower/transfer/transfer.hpp"
#include "tcp/support/round.hpp"

namespace tcp::lower::transfer {

namespace {

constexpr std::size_t descriptor_limit = 4096;  // per command; our own limit, which keeps programs small

/// Where something begins, beyond the begin of its tensor.
struct Offset {
  std::int64_t chip = 0, cluster = 0, unit = 0, bits = 0;

  Offset& add(const Offset& o, std::int64_t times) {
    chip += o.chip * times, cluster += o.cluster * times, unit += o.unit * times, bits += o.bits * times;
    return *this;
  }
};
using Offsets = std::array<Offset, 3>;

/// Rounds that are descriptors of their own.
struct Apart {
  std::int64_t size = 1;
  Offsets each{};
};

/// What became of a box.
struct Shape {
  Offsets base{};
  std::vector<Apart> apart;
  std::vector<Round> rounds;
  std::int64_t run = 0;     // bits that lie together on both sides
  std::int64_t packet = 0;  // bytes

  std::int64_t descriptors() const {
    Checked n = 1;
    for (const Apart& a : apart) n = n * a.size;
    return n.fits ? n.value : INT64_MAX;
  }
  std::int64_t packets() const {
    Checked n = 1;
    for (const Round& r : rounds) n = n * r.size;
    return n.fits ? n.value : INT64_MAX;
  }
};

class Stream {
 public:
  Stream(const Device& device, std::int64_t chips, Move move, Where at) : device_(device), chips_(chips), move_(std::move(move)), at_(at) {
    near_ = move_.near();
  }

  Expected<program::Dma> make() {
    cut_by_stream();
    cut_by_unit();
    if (auto v = choose(); !v) return v.refusal();
    made_.pcie = move_.pcie;
    for (Shape& shape : chosen_) {
      merge(shape);
      order(shape);
      std::vector<Shape> parts;
      keep_sizes(std::move(shape), parts);
      for (Shape& part : parts) {
        keep_entries(part);
        spread(part);
        if (auto v = emit(part); !v) return v.refusal();
      }
    }
    return std::move(made_);
  }

 private:
  const Side& from() const { return move_.side[reading]; }
  const Side& to() const { return move_.side[writing]; }
  std::int64_t engines_of_cluster() const {
    return std::max<std::int64_t>(1, device_.dma.engines_per_chip / device_.levels.clusters_per_chip);
  }
  std::int64_t units_of_cluster(Role role) const {
    return move_.side[role].memory == Memory::Spm ? device_.levels.pes_per_cluster : device_.levels.slices_per_cluster;
  }
  std::int64_t units_of_engine(Role role) const { return std::max<std::int64_t>(1, units_of_cluster(role) / engines_of_cluster()); }
  /// Slices that have an engine in common, wherever the first of them lies: all of an engine, or, in a tile that begins
  /// between and reaches into the next, what divides both.
  std::int64_t units_together(Role role) const {
    std::int64_t const engine = units_of_engine(role), first = move_.side[role].first.slice;
    const Mapping& m = move_.side[role].levels[Level::slice];
    Footprints const foot = footprints(m);
    std::int64_t last = first;
    for (int k = 0; k < m.digits; ++k) last += (live_slots(m, k) - 1) * foot.inside[k];
    return first / engine == last / engine ? engine : std::gcd(first, engine);
  }
  std::int64_t unit_bits(Role role) const {
    return 8 * (move_.side[role].memory == Memory::Spm ? dma_pe_stride(device_).value : device_.dm.dma_slice_stride.value);
  }

  // Cutting steps where orders and engines divide them.

  void cut_by_stream() {
    for (std::size_t i = 0; i < move_.steps.size(); ++i)
      for (std::size_t k = 0; k < move_.time_steps.size(); ++k)
        for (std::int64_t border : {move_.time_steps[k].stride, move_.time_steps[k].end()}) {
          const Step& s = move_.steps[i];
          if (s.weight > 0 && move_.time_axes[k] == s.axis && border % s.weight == 0) cut_at(i, border / s.weight);
        }
  }
  /// Leaves the inner part at i + 1 if there is one, to be looked at next.
  void cut_at(std::size_t i, std::int64_t inner) {
    const Step& s = move_.steps[i];
    if (inner > 1 && inner < s.size && (s.size == s.reach || (s.size % inner == 0 && s.reach % inner == 0))) cut(move_, i, inner);
  }
  void cut_by_unit() {
    if (!near_) return;
    std::int64_t const engine = units_together(*near_), dmn = device_.levels.slices_per_dmn;
    for (std::size_t i = 0; i < move_.steps.size(); ++i) {
      Stride const s = move_.steps[i].on[*near_];
      if (s.level != Level::slice || s.positions == 0) continue;
      std::int64_t const all = move_.steps[i].size;
      if (engine % s.positions == 0) cut_at(i, engine / s.positions);
      bool const takes_turns = move_.side[*near_].memory == Memory::Dm && dmn % s.positions == 0 && s.positions < dmn;
      if (move_.steps[i].size == all && takes_turns && all % (dmn / s.positions) == 0) cut_at(i, dmn / s.positions);
    }
  }

  // How much is moved.

  Verdict choose() {
    using enum Latitude;
    std::vector<Shape> shapes;
    std::int64_t best = INT64_MAX;
    for (Latitude latitude : {elements, blocks, runs, whole_runs}) {
      auto const boxes = segments(move_, bounds_of(move_, latitude), latitude, descriptor_limit);
      if (!boxes) continue;
      Verdict const good = shaped_from(*boxes, latitude, shapes);
      if (good && cost(shapes) < best) {
        best = cost(shapes);
        chosen_.swap(shapes);
      }
      if (!good && !trouble_) trouble_ = good.refusal();
      if (latitude == elements && good && boxes->size() <= 1 && !may_reach()) return accept();
    }
    for (Latitude latitude : {read_beyond, runs_beyond}) {
      if (best < INT64_MAX) return accept();
      auto const boxes = segments(move_, bounds_of(move_, latitude), latitude, descriptor_limit);
      if (!boxes || !shaped_from(*boxes, latitude, shapes)) continue;
      if (auto v = check_end(shapes); !v) return v;
      best = cost(shapes);
      chosen_.swap(shapes);
    }
    if (best < INT64_MAX) return accept();
    return trouble_ ? *trouble_ : fragmented(static_cast<std::int64_t>(descriptor_limit) + 1);
  }
  bool may_reach() const {
    for (std::size_t i = 0; i < move_.steps.size(); ++i)
      if (move_.in_run[i] && move_.steps[i].reach > move_.steps[i].size) return true;
    return to().levels[Level::element].tails > 0;
  }
  std::int64_t cost(const std::vector<Shape>& shapes) const {
    Checked all = 0;
    for (const Shape& s : shapes) {
      std::int64_t const requests = dma_requests(device_, Bytes{s.packet});
      bool const partial = to().memory == Memory::Hbm && s.packet % hbm_unit() != 0;  // the last unit of every packet
      std::int64_t const a_packet = requests + (partial ? device_.hbm.partial_write_factor : 0);
      all = all + (Checked(s.packets()) * a_packet + device_.dma.startup.value) * s.descriptors();
    }
    return all.fits ? all.value : INT64_MAX - 1;
  }
  Verdict shaped_from(const std::vector<Box>& boxes, Latitude latitude, std::vector<Shape>& shapes) const {
    shapes.clear();
    for (const Box& box : boxes) {
      Shape shape = opened(box);
      fold(shape, latitude);
      for (Shape& piece : in_pieces(std::move(shape))) {
        if (auto v = make_packets(piece); !v) return v;
        shapes.push_back(std::move(piece));
      }
    }
    return accept();
  }

  Offset offset_of(Role role, const Stride& s) const {
    if (s.level == Level::chip) return {s.positions, 0, 0, 0};
    if (s.level == Level::cluster) return {0, s.positions, 0, 0};
    if (s.level == Level::slice) return {0, 0, s.positions, 0};
    return {0, 0, 0, s.positions * move_.side[role].bits};
  }
  /// True if its rounds are for different engines, or in memories that no stride leads between.
  bool divides(const Step& step) const {
    for (Role role : {reading, writing, indexing}) {
      const Stride& s = step.on[role];
      if (s.positions == 0) continue;
      if (s.level == Level::chip || s.level == Level::cluster) return true;
      if (s.level == Level::slice && near_ && role == *near_ && s.positions % units_together(role) == 0) return true;
    }
    return false;
  }
  Shape opened(const Box& box) const {
    Shape shape;
    for (Role role : {reading, writing, indexing}) {
      Place const& first = move_.side[role].first;
      shape.base[role] = {first.chip, first.cluster, first.slice, 0};
    }
    for (std::size_t i = 0; i < box.size(); ++i) {
      const Step& step = move_.steps[i];
      Offsets each;
      for (Role role : {reading, writing, indexing}) {
        each[role] = offset_of(role, step.on[role]);
        shape.base[role].add(each[role], box[i].begin);
      }
      if (box[i].size == 1) continue;
      if (divides(step)) {
        shape.apart.push_back({box[i].size, each});
        continue;
      }
      Round round{box[i].size, {}, 0, place_of(step)};
      for (Role role : {reading, writing, indexing}) round.stride[role] = each[role].bits + each[role].unit * unit_bits(role);
      if (near_) round.units = each[*near_].unit;
      shape.rounds.push_back(round);
    }
    return shape;
  }
  int place_of(const Step& step) const {
    for (std::size_t k = 0; k < move_.time_steps.size(); ++k)
      if (step.weight > 0 && move_.time_axes[k] == step.axis && step.weight >= move_.time_steps[k].stride &&
          step.weight < move_.time_steps[k].end())
        return static_cast<int>(k);
    return -1;
  }

  // Packets.

  std::int64_t group_end(std::int64_t run, Latitude latitude) const {
    std::int64_t const bits = from().bits;
    if (to().view || run % bits != 0) return run;
    std::int64_t const group = detail::end_of_group(to().levels[Level::element], run / bits);
    if (!from().view && group == detail::end_of_group(from().levels[Level::element], run / bits)) return group * bits;
    // A load that ends in the padding of a group writes the rest of the last row.
    bool const loads = latitude == Latitude::runs_beyond && from().memory == Memory::Hbm && to().memory == Memory::Dm;
    std::int64_t const row = round_up(run, 8 * row_bytes());
    return loads && row <= group * bits ? row : run;
  }
  void fold(Shape& shape, Latitude latitude) const {
    std::int64_t const most = move_.shaped() ? move_.packet_elements * from().bits : INT64_MAX;
    bool const with_groups = latitude != Latitude::elements && latitude != Latitude::blocks && latitude != Latitude::read_beyond;
    shape.run = from().bits;
    while (true) {
      auto const next = std::find_if(shape.rounds.begin(), shape.rounds.end(), [&](const Round& r) {
        return r.stride[reading] == shape.run && r.stride[writing] == shape.run && r.stride[indexing] == 0 && r.size <= most / shape.run;
      });
      if (next != shape.rounds.end()) {
        shape.run *= next->size;
        shape.rounds.erase(next);
        continue;
      }
      std::int64_t const group = with_groups ? group_end(shape.run, latitude) : shape.run;
      if (group == shape.run) return;
      shape.run = group;
    }
  }
  /// A run that has no large divisor is moved in the largest packets, and its rest by a second descriptor, if that pays
  /// for the start-up.
  std::vector<Shape> in_pieces(Shape shape) const {
    std::int64_t const run = shape.run / 8, most = device_.dma.packet_limit.value, rest = run % most;
    if (shape.run % 8 != 0 || move_.shaped() || run <= most || rest == 0) return {shape};
    std::int64_t const packet = packet_for(run);
    std::int64_t const whole = run / packet * dma_requests(device_, Bytes{packet});
    std::int64_t const cut = run / most * dma_requests(device_, Bytes{most}) + dma_requests(device_, Bytes{rest});
    Checked const saved = Checked(whole - cut) * shape.packets();
    if (whole <= cut || (saved.fits && saved.value <= device_.dma.startup.value)) return {shape};
    Shape behind = shape;
    shape.run -= 8 * rest;
    behind.run = 8 * rest;
    for (Role role : {reading, writing}) behind.base[role].bits += shape.run;
    return {shape, behind};
  }
  std::int64_t packet_for(std::int64_t run) const {
    std::int64_t const unit = to().memory == Memory::Hbm && run % hbm_unit() == 0 ? hbm_unit() : row_bytes();
    std::int64_t const packet = unit > 1 ? largest_packet(Bytes{run}, device_.dma.packet_limit, Bytes{unit}).value : 0;
    return packet > 0 ? packet : largest_packet(Bytes{run}, device_.dma.packet_limit, Bytes{1}).value;
  }
  Verdict make_packets(Shape& shape) const {
    bool whole = shape.run % 8 == 0 && row_bits() % 8 == 0;
    for (Role role : {reading, writing, indexing}) {
      whole &= shape.base[role].bits % 8 == 0;
      for (const Round& r : shape.rounds) whole &= r.stride[role] % 8 == 0;
      for (const Apart& a : shape.apart) whole &= a.each[role].bits % 8 == 0;
    }
    if (!whole) return splits_byte();
    std::int64_t const run = shape.run / 8, unit = row_bytes();
    std::int64_t const asked = move_.packet_elements * from().bits / 8;
    shape.packet = asked > 0 && run % asked == 0 ? asked : packet_for(run);
    if (auto v = check_rows(shape, unit); !v) return v;
    std::int64_t const in_run = run / shape.packet, step = 8 * shape.packet;
    if (in_run > 1) shape.rounds.push_back({in_run, {step, step, 0}, 0, static_cast<int>(move_.time_steps.size())});
    return accept();
  }
  std::int64_t hbm_unit() const { return device_.hbm.access_bytes.value; }
  /// The unit in which DM is written; 1 where it takes no part.
  std::int64_t row_bytes() const {
    if (to().memory == Memory::Dm)
      return from().memory == Memory::Hbm ? device_.dma.hbm_to_dm_alignment.value : device_.dm.write_alignment.value;
    return from().memory == Memory::Dm ? device_.dm.write_alignment.value : 1;
  }
  std::int64_t row_bits() const {
    if (!move_.rows) return 0;
    Role const role = move_.scatter ? writing : reading;
    return move_.rows->stride * (move_.rows->level == Level::slice ? unit_bits(role) : move_.side[role].bits);
  }
  Verdict check_rows(const Shape& shape, std::int64_t unit) const {
    if (to().memory != Memory::Dm || !device_.checks.dma_alignment) return accept();
    for (Role role : {writing, reading}) {
      if (role == reading && from().memory != Memory::Hbm) continue;
      bool aligned = shape.packet % unit == 0 && (move_.side[role].address + shape.base[role].bits / 8) % unit == 0;
      for (const Round& r : shape.rounds) aligned &= r.stride[role] / 8 % unit == 0;
      for (const Apart& a : shape.apart) aligned &= a.each[role].bits / 8 % unit == 0;
      if (move_.rows && role == (move_.scatter ? writing : reading)) aligned &= row_bits() / 8 % unit == 0;
      if (!aligned) return partial_row(shape, unit);
    }
    return accept();
  }
  Verdict check_end(const std::vector<Shape>& shapes) const {
    if (!device_.checks.geometry || from().memory == Memory::Host) return accept();
    std::int64_t const holds = from().memory == Memory::Hbm  ? device_.hbm.capacity.value
                               : from().memory == Memory::Dm ? device_.dm.slice_capacity.value
                                                             : device_.spm.pe_capacity.value;
    for (const Shape& s : shapes) {
      std::int64_t end = from().address + s.base[reading].bits / 8 + s.packet;
      for (const Round& r : s.rounds)
        if (r.stride[reading] < unit_bits(reading) || !from().sram()) end += (r.size - 1) * r.stride[reading] / 8;
      for (const Apart& a : s.apart) end += (a.size - 1) * a.each[reading].bits / 8;
      if (end > holds) return beyond_memory(end, holds);
    }
    return accept();
  }

  // Loops.

  void merge(Shape& shape) const {
    for (bool again = !move_.shaped(); again;) {
      again = false;
      for (std::size_t o = 0; o < shape.rounds.size() && !again; ++o)
        for (std::size_t i = 0; i < shape.rounds.size() && !again; ++i) {
          const Round &outer = shape.rounds[o], &inner = shape.rounds[i];
          bool joined = o != i && outer.units == 0 && inner.units == 0;
          for (std::size_t role = 0; role < 3; ++role) joined &= outer.stride[role] == inner.stride[role] * inner.size;
          if (!joined) continue;
          shape.rounds[i].size *= outer.size;
          shape.rounds.erase(shape.rounds.begin() + static_cast<std::ptrdiff_t>(o));
          again = true;
        }
    }
  }

  void order(Shape& shape) const {
    Begin begin{{}, near_ ? shape.base[*near_].unit : 0, shape.packet, std::min(device_.dma.engines_per_chip, shape.descriptors())};
    for (Role role : {reading, writing}) begin.address[role] = move_.side[role].address + shape.base[role].bits / 8;
    shape.rounds = best_order(device_, move_, begin, shape.rounds);
  }

  /// Loops have a limited number of rounds: longer ones become two, or, where no factor is found, two parts.
  void keep_sizes(Shape shape, std::vector<Shape>& parts) const {
    std::int64_t const limit = device_.sequencer.iterations;
    for (std::size_t i = 0; i < shape.rounds.size(); ++i) {
      std::int64_t const size = shape.rounds[i].size;
      if (size <= limit) continue;
      std::int64_t inner = limit;
      while (inner > 1 && size % inner != 0) --inner;
      if (inner < limit / 256) {  // a few rounds more are a second descriptor
        inner = limit;
        Shape rest = shape;
        rest.rounds[i].size = size % limit;
        for (Role role : {reading, writing, indexing}) rest.base[role].bits += (size - size % limit) * shape.rounds[i].stride[role];
        keep_sizes(std::move(rest), parts);
      }
      Round outer = shape.rounds[i];
      outer.size = size / inner;
      for (std::int64_t& s : outer.stride) s *= inner;
      outer.units *= inner;
      shape.rounds[i].size = inner;
      shape.rounds.insert(shape.rounds.begin() + static_cast<std::ptrdiff_t>(i), outer);
      --i;
    }
    parts.push_back(std::move(shape));
  }
  /// Engines have a limited number of loops: the shortest become descriptors.
  void keep_entries(Shape& shape) const {
    while (static_cast<std::int64_t>(shape.rounds.size()) > device_.sequencer.entries) {
      auto const least =
          std::min_element(shape.rounds.begin(), shape.rounds.end(), [](const Round& a, const Round& b) { return a.size < b.size; });
      Apart apart{least->size, {}};
      for (Role role : {reading, writing, indexing}) apart.each[role].bits = least->stride[role];
      shape.apart.push_back(apart);
      shape.rounds.erase(least);
    }
  }
  /// From HBM to HBM no engine is nearer than another: all take turns, or a part of the longest loop each.
  void spread(Shape& shape) {
    spread_.reset();
    bool const enough = shape.descriptors() >= device_.dma.engines_per_chip;
    if (near_ || move_.pcie || move_.shaped() || enough || shape.rounds.empty() || shape.packets() < 2 * device_.dma.engines_per_chip)
      return;
    auto const longest =
        std::max_element(shape.rounds.begin(), shape.rounds.end(), [](const Round& a, const Round& b) { return a.size < b.size; });
    spread_ = static_cast<std::size_t>(longest - shape.rounds.begin());
  }

  // Descriptors.

  Verdict emit(const Shape& shape) {
    std::int64_t const parts = spread_ ? std::min(device_.dma.engines_per_chip, shape.rounds[*spread_].size) : 1;
    Checked const all = Checked(shape.descriptors()) * parts + static_cast<std::int64_t>(made_.descriptors.size());
    if (!all.fits || all.value > static_cast<std::int64_t>(descriptor_limit)) return fragmented(all.fits ? all.value : INT64_MAX);
    if (auto v = check_units(shape); !v) return v;
    enumerate(shape, 0, shape.base, parts);
    return accept();
  }
  void enumerate(const Shape& shape, std::size_t k, const Offsets& at, std::int64_t parts) {
    if (k == shape.apart.size()) {
      for (std::int64_t part = 0; part < parts; ++part) add(shape, at, part, parts);
      return;
    }
    for (std::int64_t i = 0; i < shape.apart[k].size; ++i) {
      Offsets next = at;
      for (Role role : {reading, writing, indexing}) next[role].add(shape.apart[k].each[role], i);
      enumerate(shape, k + 1, next, parts);
    }
  }
  program::DmaSide side(Role role, const Offset& o) const {
    return {move_.side[role].memory, static_cast<std::int32_t>(o.chip), static_cast<std::int32_t>(o.cluster),
            static_cast<std::int32_t>(o.unit), move_.side[role].address + o.bits / 8};
  }
  void add(const Shape& shape, Offsets at, std::int64_t part, std::int64_t parts) {
    program::DmaDescriptor d;
    for (std::size_t i = 0; i < shape.rounds.size(); ++i) {
      Round r = shape.rounds[i];
      if (spread_ && i == *spread_) {
        std::int64_t const each = ceil_div(r.size, parts), begin = part * each;
        if (begin >= r.size) return;
        r.size = std::min(each, r.size - begin);
        for (Role role : {reading, writing, indexing}) at[role].bits += begin * r.stride[role];
      }
      d.loops.push_back({r.size, r.stride[reading] / 8, r.stride[writing] / 8, r.stride[indexing] / 8});
    }
    d.read = side(reading, at[reading]);
    d.write = side(writing, at[writing]);
    d.packet_bytes = shape.packet;
    if (move_.rows)
      d.index = program::DmaIndex{side(indexing, at[indexing]), move_.scatter, row_bits() / 8, move_.rows->count, move_.rows->key_step};
    bool const any = !near_ && !move_.pcie && !move_.shaped();
    d.engine = engine_of(d, any ? turns_[d.read.chip]++ % device_.dma.engines_per_chip : 0);
    made_.descriptors.push_back(std::move(d));
  }
  std::int32_t engine_of(const program::DmaDescriptor& d, std::int64_t turn) const {
    const program::DmaSide& at = near_ ? *near_ == reading ? d.read : d.write : from().memory == Memory::Host ? d.write : d.read;
    std::int64_t const first = at.chip * device_.dma.engines_per_chip;
    if (!near_) return static_cast<std::int32_t>(first + turn);
    return static_cast<std::int32_t>(first + at.cluster * engines_of_cluster() + at.unit / units_of_engine(*near_));
  }

  Verdict check_units(const Shape& shape) const {
    for (Role role : {reading, writing, indexing}) {
      Offset last = shape.base[role];
      for (const Apart& a : shape.apart) last.add(a.each[role], a.size - 1);
      for (const Round& r : shape.rounds)
        if (move_.side[role].sram() && r.stride[role] >= unit_bits(role)) last.unit += (r.size - 1) * (r.stride[role] / unit_bits(role));
      bool const by_rows = move_.rows && move_.rows->level == Level::slice && role == (move_.scatter ? writing : reading);
      if (by_rows) last.unit += (move_.rows->count - 1) * move_.rows->stride;
      std::int64_t const has[3] = {chips_, device_.levels.clusters_per_chip, units_of_cluster(role)};
      std::int64_t const asked[3] = {last.chip, last.cluster, last.unit};
      const char* const name[3] = {"chip", "cluster", move_.side[role].memory == Memory::Spm ? "PE" : "slice"};
      for (int i = 0; i < 3; ++i)
        if (asked[i] >= has[i]) return no_such_unit(name[i], asked[i], has[i]);
    }
    return accept();
  }

  // Limits.

  Refusal splits_byte() const {
    return refuse("lower-transfer-splits-byte", at_)
        .what("elements of ", from().bits, " bits would be moved of which others share a byte: ", detail::SideOf{from().dma()}, " to ",
              detail::SideOf{to().dma()})
        .why("the smallest thing that DMA moves is a byte")
        .help("keep pairs of elements together on both sides, or pad axes of odd size");
  }
  Refusal partial_row(const Shape& shape, std::int64_t unit) const {
    return refuse("lower-transfer-partial-row", at_)
        .what("a part of this transfer writes packets of ", Bytes{shape.packet}, "; DM takes multiples of ", Bytes{unit}, ": ",
              detail::SideOf{from().dma()}, " to ", detail::SideOf{to().dma()})
        .why("a row of a DM bank is written as a whole, and what follows the last element does not belong to this tensor")
        .help("move into a tensor of its own that is padded to whole rows, and not into a view");
  }
  Refusal beyond_memory(std::int64_t end, std::int64_t holds) const {
    return refuse("lower-transfer-beyond-memory", at_)
        .what("this transfer reads up to byte ", end, " of ", from().memory, ", which has ", holds)
        .why("DM is written in whole rows, so the last packet is read to its end, a few bytes past the tensor")
        .help("place the source a row of DM further down, or pad it");
  }
  Refusal fragmented(std::int64_t descriptors) const {
    return refuse("lower-transfer-too-fragmented", at_)
        .what("this transfer falls into more than ", descriptor_limit, " descriptors", descriptors < INT64_MAX ? "" : ", far more", ": ",
              detail::SideOf{from().dma()}, " to ", detail::SideOf{to().dma()})
        .why("an engine has ", device_.sequencer.entries, " loops of at most ", device_.sequencer.iterations,
             " rounds; what goes beyond them is a descriptor of its own, and each takes its start-up")
        .help("move in two steps, each of which keeps larger blocks together");
  }
  Refusal no_such_unit(const char* name, std::int64_t asked, std::int64_t has) const {
    return refuse("lower-transfer-no-such-unit", at_)
        .what("this transfer reaches ", name, " ", asked, "; there are ", has)
        .why("a device whose geometry is not checked runs in the interpreters; a program is for real units")
        .help("use no more positions than ", device_.name.view(), " has units");
  }

  const Device& device_;
  std::int64_t chips_;
  Move move_;
  Where at_;
  std::optional<Role> near_;  // the memory beside an engine: the source's, if it has one
  std::optional<Refusal> trouble_;
  std::optional<std::size_t> spread_;
  std::vector<Shape> chosen_;
  program::Dma made_;
  std::map<std::int32_t, std::int64_t> turns_;  // that the engines of a chip have had
};

}  // namespace

Expected<program::Dma> descriptors_of(const Device& device, std::int64_t chips, Move move, Where at) {
  return Stream(device, chips, std::move(move), at).make();
}

}  // namespace tcp::lower::transfer
