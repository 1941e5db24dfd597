// Casts into the wide type, element by element: by a table where there are few values.
#include <array>
#include <map>
#include <mutex>

#include "sim/engines.hpp"
#include "tcp/scalar/cast.hpp"

namespace tcp::sim {

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
  std::uint32_t moderate = 1;
  auto const cast = [&](auto each) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t const made = each(from[i]);
      moderate &= is_moderate(made);
      to[i] = made;
    }
  };
  if (from_ == ScalarType::bf16) {
    std::uint32_t const smallest = flushes_ ? 0x00800000 : 0;
    cast([smallest](std::uint32_t bits) {
      std::uint32_t const wide = bits << 16, magnitude = wide & 0x7fffffff;
      std::uint32_t const number = magnitude < smallest ? wide & 0x80000000 : wide;
      return magnitude > 0x7f800000 ? 0x7fc00000 : number;
    });
  } else {
    cast(*this);
  }
  return moderate != 0;
}

std::uint32_t WideCast::slowly(std::uint32_t bits) const { return scalar_cast_bits(from_, to_, bits & mask_, numeric_); }

}  // namespace tcp::sim
