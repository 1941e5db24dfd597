// The Commit Engine: the leading bytes of every flit, write by write, into DM.
#include "sim/engines.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::sim {

void commit(const program::Commit& c, const Stream& in, SparseMemory& dm) {
  const program::Sequencer& write = c.write;
  std::int64_t const bits = scalar_info(c.type).packet_bits, elements = write.access_bytes * 8 / bits;
  std::vector<std::byte> buffer(static_cast<std::size_t>(write.access_bytes));
  Odometer<> walk = odometer_of(write.loops);
  bool const any = in.any_undefined();
  for (std::int64_t packet = 0; packet < write.packets; ++packet)
    for (std::int64_t access = 0; access < write.accesses_per_packet; ++access, walk.next()) {
      std::int64_t const address = write.base + walk.at();
      std::size_t const first = in.at(packet, access * elements);
      for (std::int64_t e = 0; e < elements; ++e) store_scalar_bits(buffer.data(), c.type, e, in.bits[first + static_cast<std::size_t>(e)]);
      dm.write(address, write.access_bytes, buffer.data());
      if (!any) continue;
      for (std::int64_t e = 0; e < elements;) {  // what lies side by side at once
        std::int64_t const begin = e;
        while (e < elements && in.undefined[first + static_cast<std::size_t>(e)] != 0) ++e;
        if (e > begin) dm.undefine(2 * address + begin * bits / 4, (e - begin) * bits / 4);
        else ++e;
      }
    }
}

}  // namespace tcp::sim
