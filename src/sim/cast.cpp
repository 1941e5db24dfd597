// The Cast Engine, and the same at a commit: elements keep their places and become narrower; the flit is filled up
// with zeros.
#include "tcp/scalar/cast.hpp"

#include <array>
#include <map>
#include <mutex>

#include "sim/engines.hpp"
#include "sim/plain_steps.hpp"

namespace tcp::sim {

namespace {

/// f32 to bf16. What is moderate only needs its digits rounded, to the nearest, ties to even.
void narrow(const PassContext& context, const Stream& in, Stream& out) {
  for (std::int64_t packet = 0; packet < in.packets; ++packet) {
    std::uint32_t* const to = out.bits.data() + out.at(packet, 0);
    const std::uint32_t* const from = in.bits.data() + in.at(packet, 0);
    std::uint32_t moderate = 1;
    for (std::int64_t lane = 0; lane < in.lanes; ++lane) {
      to[lane] = (from[lane] + 0x7fff + (from[lane] >> 16 & 1)) >> 16;
      moderate &= is_moderate(from[lane]);
    }
    for (std::int64_t lane = 0; moderate == 0 && lane < in.lanes; ++lane)
      to[lane] = scalar_cast_bits(ScalarType::f32, ScalarType::bf16, from[lane], context.numeric);
    std::copy_n(in.undefined.begin() + static_cast<std::ptrdiff_t>(in.at(packet, 0)), in.lanes,
                out.undefined.begin() + static_cast<std::ptrdiff_t>(out.at(packet, 0)));
  }
}

}  // namespace

void cast(const PassContext& context, const program::Cast& cast, const Stream& in, Stream& out) {
  out.shape(cast.to, in.packets, context.flit_lanes(cast.to));
  if (cast.from == ScalarType::f32 && cast.to == ScalarType::bf16) return narrow(context, in, out);
  for (std::int64_t packet = 0; packet < in.packets; ++packet)
    for (std::int64_t lane = 0; lane < in.lanes; ++lane) {
      out.bits[out.at(packet, lane)] = scalar_cast_bits(cast.from, cast.to, in.bits[in.at(packet, lane)], context.numeric);
      out.undefined[out.at(packet, lane)] = in.undefined[in.at(packet, lane)];
    }
}

void relu(Stream& stream) {
  for (std::uint32_t& bits : stream.bits) bits = relu_bits(stream.type, bits);
}

// Casts into the wide type, element by element: by a table where there are few values.

namespace {

using Table = std::array<std::uint32_t, 256>;

/// Tables are made once for each type and model, and stay.
const Table& table_of(ScalarType from, ScalarType to, NumericModel numeric) {
  static std::mutex mutex;
  static std::map<std::pair<ScalarType, NumericModel>, Table> tables;
  std::lock_guard const lock(mutex);
  auto const [found, fresh] = tables.try_emplace({from, numeric});
  if (fresh)
    for (std::uint32_t bits = 0; bits < 256; ++bits) found->second[bits] = scalar_cast_bits(from, to, bits & scalar_mask(from), numeric);
  return found->second;
}

}  // namespace

WideCast::WideCast(ScalarType from, NumericModel numeric)
    : from_(from),
      to_(is_integer(from) ? ScalarType::i32 : ScalarType::f32),
      numeric_(numeric),
      flushes_(numeric == NumericModel::rngd),
      mask_(scalar_mask(from)) {
  if (scalar_info(from).bits <= 8) table_ = table_of(from, to_, numeric).data();
}

bool WideCast::all(const std::uint32_t* from, std::size_t count, std::uint32_t* to) const {
  if (from_ == ScalarType::bf16) return widen_bf16(from, count, flushes_, to);
  for (std::size_t i = 0; i < count; ++i) to[i] = (*this)(from[i]);
  return are_moderate(to, count);
}

std::uint32_t WideCast::slowly(std::uint32_t bits) const { return scalar_cast_bits(from_, to_, bits & mask_, numeric_); }

}  // namespace tcp::sim
