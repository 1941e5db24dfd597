// StoTRF and StoVRF: a stream is put away as it comes.
#include "sim/engines.hpp"
#include "sim/plain_steps.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::sim {

Verdict store(const PassContext& context, const program::TrfStore& s, const Stream& in, TensorRegisterFile& trf) {
  int const slots = scalar_info(in.type).packet_bits / 4;
  std::int64_t const elements = in.packets * in.lanes / s.rows, begin = 2 * s.row_base;
  // A chip that is not held to its geometry may be asked for more than its banks have.
  if (begin + elements * slots > trf.row_halves(s.rows))
    return refuse("sim-trf-full", context.at)
        .what("a store fills each of ", s.rows, " Rows of the TRF up to byte ", (begin + elements * slots) / 2, "; a Row has ",
              trf.row_halves(s.rows) / 2)
        .why("the banks of a register file end where they end")
        .help("store fewer weights at a time");
  if (slots == 4 && !in.any_undefined()) {
    for (std::int64_t row = 0; row < s.rows; ++row)
      for (std::int64_t e = 0; e < elements;) {
        TensorRegisterFile::Run const line = trf.run(row, s.rows, begin + e * slots, slots, elements - e);
        spread_slots(in.bits.data() + row * elements + e, line.elements, trf.slot_bits(), trf.writable(line));
        e += line.elements;
      }
    return accept();
  }
  for (std::int64_t row = 0; row < s.rows; ++row)
    for (std::int64_t e = 0; e < elements;) {
      auto const from = static_cast<std::size_t>(row * elements + e);
      e += trf.store_line(row, s.rows, begin + e * slots, slots, elements - e, [&in, from](std::int64_t i) {
        std::size_t const at = from + static_cast<std::size_t>(i);
        return TensorRegisterFile::Element{in.bits[at], in.undefined[at] != 0};
      });
    }
  return accept();
}

void store(const program::VrfStore& s, const Stream& in, SparseMemory& vrf) {
  std::byte word[4];
  for (std::size_t i = 0; i < in.bits.size(); ++i) {
    std::int64_t const address = s.address + 4 * static_cast<std::int64_t>(i);
    store_scalar_bits(word, ScalarType::i32, 0, in.bits[i]);
    vrf.write(address, 4, word);
    if (in.undefined[i] != 0) vrf.undefine(2 * address, 8);
  }
}

}  // namespace tcp::sim
