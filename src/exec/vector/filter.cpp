// Moves the lanes that a filter keeps to the front of their slice, and counts them.
#include "exec/vector/filter.hpp"

#include <algorithm>

#include "exec/vector/places.hpp"
#include "tcp/support/refuse.hpp"

namespace tcp::vector {

Expected<Filtered> filter(const Tensor& stream, const Tensor& ids, OperandGuard keep, const Levels& in, const Levels& out, Origin origin,
                          Where at) {
  Levels units = in;  // Chip, Cluster and Slice alone
  units.set(Level::time, Mapping{}).set(Level::packet, Mapping{});
  Filtered made{fresh(stream.type, axes_of(out)), fresh(ScalarType::i32, axes_of(units))};
  std::fill_n(made.kept.writable_data(), made.kept.size() * made.kept.width(), std::byte{0});
  std::fill_n(made.count.writable_data(), made.count.size() * made.count.width(), std::byte{0});
  track(made.kept);
  std::fill_n(made.kept.writable_origins(), made.kept.size(), origin);
  track(made.count);
  PlaceMap const from(in, stream), id_at(in, ids), to(out, made.kept), counted(units, made.count);
  std::int64_t const lanes = in[Level::packet].size, width = out[Level::packet].size, room = out[Level::time].size * width;

  for (std::int64_t unit = 0; unit < in[Level::chip].size * in[Level::cluster].size * in[Level::slice].size; ++unit) {
    Place place;
    place.slice = unit % in[Level::slice].size;
    place.cluster = unit / in[Level::slice].size % in[Level::cluster].size;
    place.chip = unit / in[Level::slice].size / in[Level::cluster].size;
    Spot here;
    if (!counted.find(place, here)) continue;
    std::int64_t kept = 0;
    Origin doubt = 0;  // once it is not known whether a lane stays, nothing is known of what follows
    for (std::int64_t i = 0; i < in[Level::time].size * lanes; ++i) {
      Place lane = place;
      lane.time = i / lanes;
      lane.packet = i % lanes;
      Spot element, id;
      if (!from.find(lane, element) || !id_at.find(lane, id)) continue;
      if (doubt == 0 && ids.origins) doubt = ids.origin_data()[id.origin];
      if (doubt != 0 || !keep.holds(static_cast<int>(load_bits(ids.data() + id.bits * 4, 4)))) continue;
      if (kept == room) return filter_overflow(room, out[Level::time], place.slice, at);
      Place target = place;
      target.time = kept / width;
      target.packet = kept % width;
      if (Spot there; to.find(target, there)) {
        store_bits(made.kept.writable_data() + there.bits * 4, 4, load_bits(stream.data() + element.bits * 4, 4));
        made.kept.writable_origins()[there.origin] = stream.origins ? stream.origin_data()[element.origin] : 0;
      }
      ++kept;
    }
    store_bits(made.count.writable_data() + here.bits * 4, 4, static_cast<std::uint32_t>(kept));
    made.count.writable_origins()[here.origin] = doubt;
  }
  made.count = without_idle_origins(made.count);
  made.kept = without_idle_origins(made.kept);
  return made;
}

}  // namespace tcp::vector
