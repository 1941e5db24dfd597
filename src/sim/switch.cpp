// The Switch Engine. Packets go from router to router (tcp/sim/router.hpp), and a router takes those whose sender
// stands in its bitmap. What it puts out, and in which order, follows from its route.
#include "sim/engines.hpp"
#include "tcp/sim/router.hpp"

namespace tcp::sim {

namespace {

constexpr PacketSource nowhere{-1, INT64_MIN};

bool add_steps_of(const std::vector<program::RouteStep>& route, std::int64_t position, PacketSource& from) {
  for (std::size_t k = route.size(); k-- > 0; position /= route[k].size) {
    std::int64_t const round = position % route[k].size;
    if (round >= route[k].held) return false;
    from.slice += round * route[k].slice;
    from.step += round * route[k].time;
  }
  return true;
}

Refusal not_snooped(Where at, std::int64_t to, std::int64_t from) {
  return refuse("sim-packet-not-snooped", at)
      .what("slice ", to, " puts out a packet of slice ", from, ", which its router does not take")
      .why("the bitmap of the switch lets a router see the packets of the slices it names, and no others")
      .help("lower the program again: its bitmaps and routes do not belong together");
}

bool snoops(const program::Switch& s, std::int64_t to, std::int64_t from) {
  return from >= 0 && from < Chip::most_slices && static_cast<std::size_t>(to) < s.snoop.size() &&
         s.snoop[static_cast<std::size_t>(to)].contains(from);
}

const Stream* sender(const Fabric& fabric, PacketSource from) {
  if (from.slice < 0 || static_cast<std::size_t>(from.slice) >= fabric.in.size()) return nullptr;
  const Stream* const in = fabric.in[static_cast<std::size_t>(from.slice)];
  return in != nullptr && from.step >= 0 && from.step < in->packets ? in : nullptr;
}

void put(const Stream* in, std::int64_t from_step, Stream& out, std::int64_t step) {
  std::size_t const lanes = static_cast<std::size_t>(out.lanes), to = out.at(step, 0);
  if (in == nullptr) {
    std::memset(out.undefined.data() + to, 1, lanes);
    return;
  }
  std::size_t const from = in->at(from_step, 0);
  std::memcpy(out.bits.data() + to, in->bits.data() + from, lanes * sizeof(std::uint32_t));
  std::memcpy(out.undefined.data() + to, in->undefined.data() + from, lanes);
}

}  // namespace

PacketSource source_of(const program::Switch& s, std::int64_t slice, std::int64_t step) {
  PacketSource from{0, 0};
  if (!add_steps_of(s.of_slice, slice, from) || !add_steps_of(s.of_time, step, from)) return {};
  return from;
}

bool is_fed(const program::Switch& s, std::int64_t slice) {
  PacketSource from{0, 0};
  return add_steps_of(s.of_slice, slice, from);
}

std::vector<PacketSource> sources_in_time(const program::Switch& s) {
  std::vector<PacketSource> all;
  all.reserve(static_cast<std::size_t>(s.time_out));
  for (std::int64_t step = 0; step < s.time_out; ++step) {
    PacketSource from{0, 0};
    all.push_back(add_steps_of(s.of_time, step, from) ? from : nowhere);
  }
  return all;
}

Verdict take_by_route(const PassContext& context, const program::Switch& s, const std::vector<PacketSource>& in_time, const Fabric& fabric,
                      std::int64_t to, Stream& out) {
  out.shape(fabric.type, s.time_out, fabric.lanes);
  PacketSource base{0, 0};
  bool const fed = add_steps_of(s.of_slice, to, base);
  for (std::int64_t step = 0; step < s.time_out; ++step) {
    PacketSource from = in_time[static_cast<std::size_t>(step)];
    if (!fed || from.step == nowhere.step) {
      from = {};
    } else {
      from.slice += base.slice;
      from.step += base.step;
    }
    if (from.slice >= 0 && !snoops(s, to, from.slice)) return not_snooped(context.at, to, from.slice);
    put(from.slice < 0 ? nullptr : sender(fabric, from), from.step, out, step);
  }
  return accept();
}

Verdict take_by_routers(const PassContext& context, const program::Switch& s, const Fabric& fabric, std::vector<Stream>& out) {
  std::size_t const slices = fabric.in.size();
  // What a router has taken: for every sender, which of its packets have come by.
  std::vector<std::vector<std::vector<bool>>> taken(slices, std::vector<std::vector<bool>>(slices));
  for (std::size_t from = 0; from < slices; ++from) {
    const Stream* const in = fabric.in[from];
    if (in == nullptr) continue;
    for (std::int64_t step = 0; step < in->packets; ++step)
      for (std::int64_t router : takers_of(static_cast<std::int64_t>(from), s.ring_size, s.snoop)) {
        auto& held = taken[static_cast<std::size_t>(router)][from];
        held.resize(static_cast<std::size_t>(in->packets));
        held[static_cast<std::size_t>(step)] = true;
      }
  }
  for (std::size_t to = 0; to < slices; ++to) {
    if (!is_fed(s, static_cast<std::int64_t>(to))) continue;
    out[to].shape(fabric.type, s.time_out, fabric.lanes);
    for (std::int64_t step = 0; step < s.time_out; ++step) {
      PacketSource const from = source_of(s, static_cast<std::int64_t>(to), step);
      const Stream* const in = from.slice < 0 ? nullptr : sender(fabric, from);
      if (in != nullptr) {
        const auto& held = taken[to][static_cast<std::size_t>(from.slice)];
        if (held.empty() || !held[static_cast<std::size_t>(from.step)])
          return not_snooped(context.at, static_cast<std::int64_t>(to), from.slice);
      }
      put(in, from.step, out[to], step);
    }
  }
  return accept();
}

}  // namespace tcp::sim
