// Which addresses DM and HBM have, and where a byte of HBM is: which bank, which row. Timing depends on it, values
// never do.
//
// One function takes an address of HBM apart, and its inverse puts it together.
// Law: encode(decode(a)) = a for every address that the memory has, and decode(encode(p)) = p for every place.
#pragma once

#include <cstdint>

#include "tcp/device/device.hpp"
#include "tcp/support/expected.hpp"

namespace tcp {

struct HbmPlace {
  std::int64_t stack = 0;
  std::int64_t channel = 0;  // of the stack
  std::int64_t slice = 0;    // of the channel
  std::int64_t bank_group = 0;
  std::int64_t bank = 0;  // of the group
  std::int64_t row = 0;   // of the bank
  std::int64_t byte = 0;  // of the row

  constexpr bool operator==(const HbmPlace&) const = default;
};

constexpr Verdict check_dm_address(const Device& d, Bytes address, Where at = {}) {
  if (address >= Bytes{0} && address < d.dm.slice_capacity) return accept();
  return refuse("device-dm-address-out-of-range", at)
      .what("DM address ", address.value, " is outside the ", d.dm.slice_capacity, " of a slice of ", d.name.view())
      .why("a DM address counts the bytes of one slice; the slice is chosen by the mapping")
      .help("use an address from 0 to ", d.dm.slice_capacity.value - 1);
}

constexpr Verdict check_hbm_address(const Device& d, Bytes address, Where at = {}) {
  if (address >= Bytes{0} && address < d.hbm.capacity) return accept();
  return refuse("device-hbm-address-out-of-range", at)
      .what("HBM address ", address.value, " is outside the ", d.hbm.capacity, " of ", d.name.view())
      .why("an HBM address counts the bytes of one chip; bits 34 and 35 are never both set")
      .help("use an address from 0 to ", d.hbm.capacity.value - 1);
}

constexpr Verdict check_hbm_place(const Device& d, const HbmPlace& p, Where at = {}) {
  struct Part {
    const char* name;
    std::int64_t has, limit;
  };
  const Part parts[] = {{"stack", p.stack, d.hbm.stacks_per_chip},    {"channel", p.channel, d.hbm.channels_per_stack},
                        {"slice", p.slice, d.hbm.slices_per_channel}, {"bank group", p.bank_group, d.hbm.bank_groups_per_slice},
                        {"bank", p.bank, d.hbm.banks_per_group},      {"row", p.row, d.hbm.rows_per_bank},
                        {"byte", p.byte, d.hbm.row_bytes.value}};
  for (const Part& part : parts)
    if (part.has < 0 || part.has >= part.limit)
      return refuse("device-hbm-place-out-of-range", at)
          .what("HBM of ", d.name.view(), " has no ", part.name, " ", part.has, ": there are ", part.limit)
          .why("every component is counted from 0 within the next larger one")
          .help("use a ", part.name, " from 0 to ", part.limit - 1);
  return accept();
}

namespace detail {

/// `count` bits of `from`, the lowest at `low`.
constexpr std::int64_t bits(std::int64_t from, int low, int count) { return (from >> low) & ((std::int64_t{1} << count) - 1); }

/// What the channel is XORed with: the four nibbles of bits 13 to 28 (the book's example leaves out bit 17; its table
/// does not).
constexpr std::int64_t hbm_channel_twist(std::int64_t address) {
  return bits(address, 13, 4) ^ bits(address, 17, 4) ^ bits(address, 21, 4) ^ bits(address, 25, 4);
}

}  // namespace detail

/// Where the byte of an address is that check_hbm_address accepts.
/// The bits are those of the book's table: 0-7 byte, 8 stack, 9-12 channel, 13 bank group, 14-16 byte, 17-18 bank, 19
/// bank group, 20 slice, 21-33 row, 34 slice, 35 row; the channel is twisted by bits 13-28. Two things are our
/// inference. Of a component with several bits the lowest address bit is the lowest. And how bits 20, 34 and 35 name
/// three slices and the top bit of the row: six of their values lie below 48 GiB, and this is the simplest bijection:
/// bit 34 clear, slice = bit 20 and row top = bit 35; bit 34 set, slice = 2 and row top = bit 20. Geometries other than
/// RNGD's are refused by check_device.
constexpr HbmPlace hbm_place(Bytes address) {
  using detail::bits;
  std::int64_t const a = address.value;
  bool const third_slice = bits(a, 34, 1) != 0;
  HbmPlace p;
  p.stack = bits(a, 8, 1);
  p.channel = bits(a, 9, 4) ^ detail::hbm_channel_twist(a);
  p.slice = third_slice ? 2 : bits(a, 20, 1);
  p.bank_group = bits(a, 19, 1) << 1 | bits(a, 13, 1);
  p.bank = bits(a, 17, 2);
  p.row = (third_slice ? bits(a, 20, 1) : bits(a, 35, 1)) << 13 | bits(a, 21, 13);
  p.byte = bits(a, 14, 3) << 8 | bits(a, 0, 8);
  return p;
}

constexpr Expected<HbmPlace> hbm_decode(const Device& d, Bytes address, Where at = {}) {
  if (Verdict v = check_hbm_address(d, address, at); !v) return v.refusal();
  return hbm_place(address);
}

constexpr Expected<Bytes> hbm_encode(const Device& d, const HbmPlace& p, Where at = {}) {
  if (Verdict v = check_hbm_place(d, p, at); !v) return v.refusal();
  using detail::bits;
  bool const third_slice = p.slice == 2;
  std::int64_t const row_top = bits(p.row, 13, 1);
  std::int64_t a = bits(p.byte, 0, 8) | p.stack << 8 | bits(p.bank_group, 0, 1) << 13 | bits(p.byte, 8, 3) << 14 | p.bank << 17 |
                   bits(p.bank_group, 1, 1) << 19 | bits(p.row, 0, 13) << 21;
  a |= third_slice ? row_top << 20 | std::int64_t{1} << 34 : p.slice << 20 | row_top << 35;
  a |= (p.channel ^ detail::hbm_channel_twist(a)) << 9;
  return Bytes{a};
}

}  // namespace tcp
