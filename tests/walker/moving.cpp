// The engines that move elements and leave them as they are.
#include "pass_walk.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::walker {

namespace {

std::int64_t bits_of(ScalarType type) { return scalar_info(type).packet_bits; }

/// An access and the element in it, as bits from address 0.
struct Walk {
  const program::Sequencer& s;
  std::int64_t bits = 8;

  std::int64_t elements_an_access() const { return s.access_bytes * 8 / bits; }
  std::int64_t elements_a_packet() const { return elements_an_access() * s.accesses_per_packet; }
  std::int64_t at(std::int64_t packet, std::int64_t element) const {
    std::int64_t const each = elements_an_access(), inside = s.repeat_bits != 0 ? 0 : element % each;
    return (s.base + walked(s.loops, packet * s.accesses_per_packet + element / each)) * 8 + inside * bits;
  }
};

bool masked(const program::Mask& m, std::int64_t element) {
  std::vector<std::int64_t> at(m.loops.size());
  for (std::size_t k = at.size(); k-- > 0;) {
    at[k] = element % m.loops[k];
    element /= m.loops[k];
  }
  std::size_t const last = static_cast<std::size_t>(m.last_dim);
  bool const front = at[last] == 0 && at.back() < m.left_pad;
  std::size_t const which = m.valid_count_dim < 0 ? 0 : static_cast<std::size_t>(at[static_cast<std::size_t>(m.valid_count_dim)]);
  bool const back = at[last] == m.loops[last] - 1 && at.back() >= m.valid_count.at(which);
  return front || back;
}

}  // namespace

void PassWalk::fetch(const program::Fetch& f) {
  Levels const source = in(0), to = out(0);
  Walk const walk{f.read, bits_of(f.stored)};
  demand(f.stored == type_in(0) && f.type == type_out(0), "the types of the fetch are wrong");
  demand(f.packet_elements == to[Level::packet].size && walk.elements_a_packet() == f.packet_elements, "a packet has another size");
  demand(f.read.packets == to[Level::time].size, "the fetch makes another number of packets");
  demand(rounds(f.read.loops) == f.read.packets * f.read.accesses_per_packet, "the loops make another number of accesses");
  demand(f.read.repeat_bits == 0 || f.read.repeat_bits == walk.bits, "an access repeats something that is no element");

  // A stored value is zero behind the adapter if the table, or the zero point, makes it so.
  auto const becomes = [&](std::uint32_t stored) -> std::uint32_t {
    if (f.table >= 0) return module_.tables.at(static_cast<std::size_t>(f.table)).bits.at(stored);
    if (!f.zero_points.empty()) {
      std::uint32_t const sign = 1u << (walk.bits - 1);
      bool const is_signed = f.stored == ScalarType::i4 || f.stored == ScalarType::i8;
      std::int64_t const value = is_signed ? static_cast<std::int64_t>(stored ^ sign) - sign : static_cast<std::int64_t>(stored);
      return static_cast<std::uint32_t>(value - f.zero_points[0]);
    }
    return f.stored == f.type ? stored : scalar_cast_bits(f.stored, f.type, stored, module_.numeric);
  };
  std::optional<std::uint32_t> masked_value;
  if (f.mask) masked_value = becomes(f.mask->pad_value);
  if (masked_value && *masked_value != 0) mask_value_ = masked_value;
  bool const zero_stays = becomes(0) == 0;
  bool identity_wanted = false;
  if (exec_.vector)
    for (const program::VectorStep& step : exec_.vector->steps) {
      const auto* intra = std::get_if<program::IntraSliceReduceStep>(&step.what);
      const auto* inter = std::get_if<program::InterSliceReduceStep>(&step.what);
      identity_wanted |= (intra != nullptr && intra->identity) || (inter != nullptr && inter->identity);
    }
  demand(!mask_value_ || identity_wanted, "the mask puts in something that is neither zero nor an identity");

  AxisNumbers numbers({&source, &to});
  AxisNumbers copies = numbers;
  copies.keep(source);
  Cells const before(source, copies), behind(to, copies);
  AxisNumbers turns({&source, &to});
  turns.only(pass_.turns);
  Cells const turn(to, turns);
  std::int64_t const elements = source[Level::element].size;
  levels_ = to;
  slices_ = to[Level::slice].size;
  times_ = to[Level::time].size;
  packets_ = to[Level::packet].size;
  kind_.assign(units_.size() * static_cast<std::size_t>(slices_ * times_ * packets_), Kind::junk);
  std::int64_t turn_inside = 1;
  for (std::size_t k = f.read.loops.size(); f.turn_loop >= 0 && k-- > static_cast<std::size_t>(f.turn_loop) + 1;)
    turn_inside *= f.read.loops[k].size;
  each_place(behind, [&](std::size_t u, const Place& at) {
    std::int64_t further = 0;
    for (const program::UnitOffset& o : f.offsets) {
      std::int64_t const unit = o.of == program::UnitOffset::Of::Chip      ? at.chip
                                : o.of == program::UnitOffset::Of::Cluster ? at.cluster
                                                                           : at.slice;
      further += unit / o.inside % o.size * o.stride;
    }
    std::int64_t const address = walk.at(at.time, at.packet) + further * 8;
    std::size_t which = 0;
    if (f.turn_loop >= 0)
      which = static_cast<std::size_t>((at.time * f.read.accesses_per_packet + at.packet / walk.elements_an_access()) / turn_inside % 2);
    std::int64_t const from = address - *module_.address_of(pass_.source.at(which)) * 8;
    Cells::Held const want = behind.at(at);
    Kind k = Kind::junk;
    Cells::Held held{Pad::bottom, 0};
    if (address < 0 || address + walk.bits > device_.dm.slice_capacity.value * 8) disagree(at, "is read from outside of the memory");
    if (from % walk.bits == 0 && from >= 0 && from / walk.bits < elements)
      held = before.at({at.chip, at.cluster, at.slice, 0, from / walk.bits, 0, 0});
    if (held.live()) k = Kind::element;
    if (held.pad == Pad::zero && zero_stays) k = Kind::zero;
    if (f.mask && masked(*f.mask, at.time * f.packet_elements + at.packet)) k = *masked_value == 0 ? Kind::zero : Kind::identity;
    if (want.live()) {
      if (k != Kind::element) disagree(at, "must hold an element, and the fetch reads none");
      if (held.name != want.name) disagree(at, "is read from the place of another element");
      if (f.turn_loop >= 0 && turn.name(at) != which) disagree(at, "is read from the other of the two tensors");
    } else {
      if (want.pad == Pad::zero && k != Kind::zero && k != Kind::identity) disagree(at, "is zero padding, and the fetch reads something");
      if (k == Kind::element) k = Kind::junk;
    }
    kind_[index(u, at.slice, at.time, at.packet)] = k;
  });
}

void PassWalk::move_switch(const program::Switch& s) {
  Levels const to = out(i_);
  demand(s.time_out == to[Level::time].size, "the switch makes another number of packets");
  struct Step {
    std::int64_t slice = 0, time = 0;
    bool held = true;
  };
  auto const along = [](const std::vector<program::RouteStep>& route, std::int64_t position) {
    Step sum;
    for (std::size_t k = route.size(); k-- > 0;) {
      std::int64_t const round = position % route[k].size;
      position /= route[k].size;
      sum.held &= round < route[k].held;
      sum.slice += round * route[k].slice;
      sum.time += round * route[k].time;
    }
    return sum;
  };
  std::vector<Step> of_slice, of_time;
  for (std::int64_t n = 0; n < to[Level::slice].size; ++n) of_slice.push_back(along(s.of_slice, n));
  for (std::int64_t n = 0; n < to[Level::time].size; ++n) of_time.push_back(along(s.of_time, n));
  std::vector<program::SliceSet> used(static_cast<std::size_t>(to[Level::slice].size));
  moved(to, [&](std::int64_t slice, std::int64_t time, std::int64_t packet) -> Origin {
    Step const &a = of_slice[static_cast<std::size_t>(slice)], &b = of_time[static_cast<std::size_t>(time)];
    if (!a.held || !b.held) return {};
    std::int64_t const from = a.slice + b.slice;
    if (s.snoop.empty()) {
      demand(from == slice, "a packet comes from another slice, and there is no bitmap");
    } else {
      demand(s.snoop.at(static_cast<std::size_t>(slice)).contains(from), "the bitmap keeps out a packet that the route lets in");
      demand(slice / s.ring_size == from / s.ring_size, "a packet comes from another ring");
      used[static_cast<std::size_t>(slice)].insert(from);
    }
    return {Kind::element, from, a.time + b.time, packet};
  });
  Cells const cells(to, AxisNumbers({&to}));
  for (std::size_t n = 0; n < used.size() && !s.snoop.empty(); ++n)
    demand(cells.padded(Level::slice, static_cast<std::int64_t>(n)) || used[n] == s.snoop[n],
           "the bitmap lets in packets that no route takes");
}

/// A window that the adapter shifts through stays one packet of several flits in its mapping.
void PassWalk::collect(const program::Collect& c) {
  Levels const to = out(i_);
  std::int64_t const bits = bits_of(type_in(i_)), flit = device_.flit.bytes.value * 8 / bits;
  demand(to[Level::packet].size % flit == 0, "a collected packet is no flit");
  std::int64_t const flits = to[Level::packet].size / flit;
  demand(c.packet_bytes * 8 == packets_ * bits, "the collect takes packets of another size");
  demand(times_ * c.flits_per_packet == to[Level::time].size * flits, "the collect makes another number of flits");
  moved(to, [&](std::int64_t slice, std::int64_t time, std::int64_t packet) -> Origin {
    std::int64_t const n = time * flits + packet / flit, e = n % c.flits_per_packet * flit + packet % flit;
    if (e * bits >= c.packet_bytes * 8) return {Kind::zero};
    return {Kind::element, slice, n / c.flits_per_packet, e};
  });
}

void PassWalk::cast(ScalarType from, ScalarType to) {
  demand(from == type_in(i_) && to == type_out(i_), "the types of the cast are wrong");
  moved(out(i_), [&](std::int64_t slice, std::int64_t time, std::int64_t packet) -> Origin {
    if (packet >= packets_) return {Kind::zero};
    return {Kind::element, slice, time, packet};
  });
}

void PassWalk::transpose(const program::Transpose& t) {
  Levels const to = out(i_);
  demand(t.matrices * t.in_rows * t.packets_per_column == times_, "the matrices take another number of packets");
  demand(t.matrices * t.kept_packets * t.kept_elements == to[Level::time].size, "the matrices make another number of packets");
  demand(t.in_columns == t.packets_per_column * t.elements_per_packet, "the matrix has another number of columns");
  demand(t.kept_packets <= t.packets_per_column && t.kept_elements <= t.elements_per_packet, "more comes out than went in");
  moved(to, [&](std::int64_t slice, std::int64_t time, std::int64_t row) -> Origin {
    if (row >= t.in_rows) return {};
    std::int64_t const element = time % t.kept_elements, packet = time / t.kept_elements % t.kept_packets;
    std::int64_t const matrix = time / t.kept_elements / t.kept_packets;
    return {Kind::element, slice, (matrix * t.in_rows + row) * t.packets_per_column + packet, element};
  });
}

/// The stream ends in a tensor: `where(time, packet)` gives row and element, or row -1 if it is not written.
template <class Where>
void PassWalk::put_away(ir::TensorId id, ScalarType type, Where where, const SliceMask* writers) {
  const ir::Tensor& tensor = module_.tensor(id);
  demand(tensor.type == type, "the tensor has another type");
  Levels const to = module_.levels(tensor);
  AxisNumbers numbers({&levels_, &to});
  numbers.keep(levels_);
  Cells const stream(levels_, numbers), cells(to, numbers);
  // Behind a view, what lies beside its elements is padding of the tensor, or is not touched (CHIP-12).
  ir::TensorId const root = module_.root_of(id);
  Levels const behind = module_.levels(module_.tensor(root));
  Cells const whole(behind, AxisNumbers({&behind}));
  bool const in_view = root != id && tensor.memory == Memory::Dm;
  std::int64_t const begins = in_view ? (*module_.address_of(id) - *module_.address_of(root)) * 8 / bits_of(type) : 0;
  std::int64_t const rows = to[Level::row].size, elements = to[Level::element].size;
  std::vector<std::uint8_t> written(units_.size() * static_cast<std::size_t>(slices_ * rows * elements), 0);
  auto const number = [&](std::size_t u, std::int64_t slice, std::int64_t row, std::int64_t element) {
    return static_cast<std::size_t>(((static_cast<std::int64_t>(u) * slices_ + slice) * rows + row) * elements + element);
  };
  each_place(stream, [&](std::size_t u, const Place& at) {
    if (!exec_.writing.contains(at.slice)) return;
    auto const [row, element] = where(at);
    if (row < 0) return;
    Kind const k = kind_[index(u, at.slice, at.time, at.packet)];
    if (row >= rows || element < 0 || element >= elements) disagree(at, "is written outside of its tensor");
    Place const there{at.chip, at.cluster, at.slice, row, element, 0, 0};
    Cells::Held const want = cells.at(there);
    if (want.live()) {
      if (k != Kind::element) disagree(at, "holds no element, and is written to the place of one");
      if (stream.name(at) != want.name) disagree(at, "is written to the place of another element");
      if (written[number(u, at.slice, row, element)]++ != 0) disagree(at, "is written a second time");
    } else {
      if (want.pad == Pad::bottom) disagree(at, "is written to padding that must not be touched");
      if (want.pad == Pad::zero && k != Kind::zero) disagree(at, "is written to zero padding, and is not zero");
      if (in_view && begins + element >= behind[Level::element].size) disagree(at, "is written behind the tensor of its view");
      if (in_view && whole.at({at.chip, at.cluster, at.slice, 0, begins + element, 0, 0}).pad != Pad::top)
        disagree(at, "is padding, and is written beside the view into something that is none");
    }
  });
  for (std::size_t u = 0; u < units_.size(); ++u)
    for (std::int64_t s = 0; s < slices_; ++s) {
      bool const live = !cells.padded(Level::slice, s);
      bool const asked = writers == nullptr || (writers->word[s / 64] >> (s % 64) & 1) != 0;
      if (live && asked) demand(exec_.writing.contains(s), "a slice that holds a part of the tensor does not write");
      if (!live || !asked) demand(!exec_.writing.contains(s), "a slice writes that holds nothing of the tensor, or was left out");
      if (!live || !exec_.writing.contains(s)) continue;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t e = 0; e < elements; ++e) {
          Place const there{units_[u].chip, units_[u].cluster, s, r, e, 0, 0};
          if (cells.at(there).live() && written[number(u, s, r, e)] == 0) disagree(there, "is never written");
        }
    }
}

void PassWalk::commit(const program::Commit& c) {
  const ir::Commit& asked = std::get<ir::Commit>(pass_.stages[i_].what);
  demand(c.type == type_in(i_), "the commit writes another type");
  demand(c.pack_valid == asked.pack_valid, "valid-count packing");
  if (c.pack_valid) return;  // where flits go then depends on their numbers
  Walk const walk{c.write, bits_of(c.type)};
  demand(c.write.packets == times_, "the commit writes another number of packets");
  demand(c.write.accesses_per_packet * c.write.access_bytes == c.commit_in_size, "writes of a packet are not commit_in_size");
  demand(c.commit_in_size * 8 <= packets_ * walk.bits, "more is written than the packet has");
  demand(rounds(c.write.loops) == c.write.packets * c.write.accesses_per_packet, "the loops make another number of writes");
  std::int64_t const begin = *module_.address_of(asked.destination) * 8;
  auto const where = [&](const Place& at) -> std::pair<std::int64_t, std::int64_t> {
    if (at.packet >= walk.elements_a_packet()) return {-1, 0};
    std::int64_t const to = walk.at(at.time, at.packet) - begin;
    if (to < 0 || to % walk.bits != 0) disagree(at, "is written outside of its tensor");
    return {0, to / walk.bits};
  };
  put_away(asked.destination, c.type, where, asked.slices ? &*asked.slices : nullptr);
}

void PassWalk::store_trf(const program::TrfStore& s) {
  ir::TensorId const to = std::get<ir::ToTrf>(pass_.stages[i_].what).destination;
  demand(times_ % s.rows == 0, "Rows do not divide the stream");
  std::int64_t const steps = times_ / s.rows, bits = bits_of(type_in(i_));
  demand(s.row_bytes * 8 == steps * packets_ * bits, "a Row has another size");
  put_away(
      to, type_in(i_),
      [&](const Place& at) -> std::pair<std::int64_t, std::int64_t> { return {at.time / steps, at.time % steps * packets_ + at.packet}; },
      nullptr);
  stored_.trf[to] = s;
}

void PassWalk::store_vrf(const program::VrfStore& s) {
  ir::TensorId const to = std::get<ir::ToVrf>(pass_.stages[i_].what).destination;
  demand(s.bytes == times_ * packets_ * 4, "the stream has another size");
  demand(s.address == *module_.address_of(to), "it is stored at another address");
  put_away(
      to, type_in(i_), [&](const Place& at) -> std::pair<std::int64_t, std::int64_t> { return {0, at.time * packets_ + at.packet}; },
      nullptr);
  stored_.vrf[to] = s;
}

}  // namespace tcp::walker
