// The description of a chip: what it may say, and which chips exist.
// no kernels: the chip is described by a file or by C++, which the page shows
#include <string>

#include "refuse_test.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/check.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/device/load.hpp"

using namespace tcp;

// # device-dm-address-out-of-range
// A DM address counts the bytes of one slice, from 0. A slice of RNGD has 512 KiB, so the last address is 524287.
//
// Which slice holds an element is said by the mapping of Slice, never by the address: all slices use the same addresses.
namespace device_dm_address_out_of_range {
// error[device-dm-address-out-of-range]: DM address 524288 is outside the 524288 bytes of a slice of rngd; help: use an address from 0 to 524287
REFUSED(check_dm_address(rngd, Bytes{524288}));
}  // namespace device_dm_address_out_of_range

// # device-file-bad-value
// A number of a chip file is one that no chip can have, or two numbers contradict each other. Counts and sizes are at least 1; where an
// address is taken apart by bits they are powers of two; a capacity is the product of its banks, rows and bytes; what goes into a flit
// is no larger than a flit. The geometry of HBM must be RNGD's, because its address bits are published for that one only.
//
// Change the parts and the whole together.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
namespace device_file_bad_value {
// error[device-file-bad-value]: my_chip.json:40: dm.slice_capacity is 524288 bytes, but 16 banks of 2048 rows of 8 bytes make 262144 bytes; help: change the parts or the whole, so that they agree
REFUSED_AT_RUN_TIME {
  std::string my_chip = to_chip_file(rngd);
  std::string const rows = "\"rows_per_bank\": {\"value\": 4096";
  my_chip.replace(my_chip.find(rows), rows.size(), "\"rows_per_bank\": {\"value\": 2048");
  return parse_device(my_chip, "my_chip.json").refusal();
}
}  // namespace device_file_bad_value

// # device-file-duplicate-key
// The same key occurs twice in one object of a chip file. Many readers of JSON would silently take the last; a chip whose numbers
// depend on the reader is not a chip, so we take neither.
//
// Delete one of the two.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
namespace device_file_duplicate_key {
static const char my_chip[] = R"({
  "chip": "my_chip",
  "chip": "your_chip"
}
)";
// error[device-file-duplicate-key]: my_chip.json:3: key chip occurs twice in one object; line 2 has it already; help: delete one of the two
REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
}  // namespace device_file_duplicate_key

// # device-file-missing-key
// Every number of a device is in its chip file, with its unit and its source. Nothing has a default: a number that is not there
// would be a guess that no report could name.
//
// Copy the entry from `data/chips/rngd.json`; the message shows RNGD's value.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
namespace device_file_missing_key {
static const char my_chip[] = R"({
  "chip": "my_chip",
  "levels": {
  }
}
)";
// error[device-file-missing-key]: my_chip.json:3: levels.clusters_per_chip is missing; help: add, as RNGD has it, "clusters_per_chip": {"value": 2, "source": "..."}
REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
}  // namespace device_file_missing_key

// # device-file-syntax
// A chip file is one JSON object (RFC 8259): keys and texts in double quotes, no comments, no comma after the last entry of an object.
// The message names the line and shows what was read last; the mistake is there or just before. The same code refuses a text that is
// JSON but can be no chip file, because it is nested too deeply or has too many entries.
//
// Remarks belong into the `note` of an entry.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
namespace device_file_syntax {
static const char my_chip[] = R"({
  "chip": "my_chip",
}
)";
// error[device-file-syntax]: my_chip.json:3: is not JSON: reading stopped after }; help: look there for a comma, quote, colon or bracket that is missing or too many; data/chips/rngd.json shows the form
REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
}  // namespace device_file_syntax

// # device-file-unknown-key
// A chip file has a key that means nothing to us. It may be misspelt, or be in the wrong group. It is refused, because a key that
// is never read would look as if it had an effect.
//
// Every key is in `data/chips/rngd.json`. An entry has `value`, `source`, for a size or a time `unit`, and if you
// like a `note`.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
namespace device_file_unknown_key {
static const char my_chip[] = R"({
  "chip": "my_chip",
  "dm": {
    "bank_per_slice": {"value": 16, "source": "MEM-02"}
  }
}
)";
// error[device-file-unknown-key]: my_chip.json:4: unknown key dm.bank_per_slice; help: write banks_per_slice
REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
}  // namespace device_file_unknown_key

// # device-file-unreadable
// A chip file describes a device; `load_device` and `tcp_target_chip` read it. It must be a regular file of at most 1 MiB that may be
// read.
//
// The chips we ship are `rngd.json`, `rngd_s.json` and `logical.json`; copy one of them to describe another chip.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
namespace device_file_unreadable {
// error[device-file-unreadable]: my_chips/no_such_chip.json: cannot be read: there is no such file; help: give the path of a chip file
REFUSED_AT_RUN_TIME { return load_device("my_chips/no_such_chip.json").refusal(); }
}  // namespace device_file_unreadable

// # device-file-wrong-type
// A value of a chip file is of another type than it must be: a text where a number belongs, a number with a fraction, a number that
// does not fit 64 bits, or a bare value where an object belongs.
//
// An entry has the form `{"value": 512, "unit": "KiB", "source": "MEM-02"}`; counts and flags have no `unit`. Numbers are whole and
// written without quotes.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
namespace device_file_wrong_type {
static const char my_chip[] = R"({
  "chip": "my_chip",
  "vrf": {
    "slice_capacity": 8192
  }
}
)";
// error[device-file-wrong-type]: my_chip.json:4: vrf.slice_capacity is a whole number, but must be an object; help: write {"value": ..., "source": "assumption: ..."} around it
REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
}  // namespace device_file_wrong_type

// # device-hbm-address-out-of-range
// An HBM address counts the bytes of one chip, from 0. RNGD has 48 GiB: three times 2^34 bytes, so bits 34 and 35 of an address are
// never both set.
//
// Which chip holds an element is said by the mapping of Chip: all chips use the same addresses.
namespace device_hbm_address_out_of_range {
// error[device-hbm-address-out-of-range]: HBM address 51539607552 is outside the 51539607552 bytes of rngd; help: use an address from 0 to 51539607551
REFUSED(check_hbm_address(rngd, Bytes{51539607552}));
}  // namespace device_hbm_address_out_of_range

// # device-hbm-place-out-of-range
// A place in HBM is a stack, a channel of the stack, a slice of the channel, a bank group, a bank of the group, a row and a byte. On
// RNGD there are 2 stacks of 16 channels of 3 slices of 4 bank groups of 4 banks of 16384 rows of 2048 bytes. Each is counted from 0.
//
// Only tools that look at channels and rows ask for places; kernels use addresses.
namespace device_hbm_place_out_of_range {
// error[device-hbm-place-out-of-range]: HBM of rngd has no slice 3: there are 3; help: use a slice from 0 to 2
REFUSED(check_hbm_place(rngd, {.stack = 0, .channel = 5, .slice = 3}));
}  // namespace device_hbm_place_out_of_range

// # device-impossible
// A device that was written in C++ has a number that no chip can have, or two numbers that contradict each other: a capacity that is
// not the product of its banks, rows and bytes, a list of sizes that does not ascend, a tree that sums more elements than a cycle
// brings. Rules and timing models trust the device that they are given, so such a device is refused before anything is judged by it.
//
// Start from one of the chips we ship (`tcp::rngd`, `tcp::rngd_s`, `tcp::logical`) and change parts and whole together.
namespace device_impossible {
static constexpr Device with_half_the_rows() {
  Device d = rngd;
  d.name = "half";
  d.dm.rows_per_bank = 2048;
  return d;
}
// error[device-impossible]: device half: dm.slice_capacity is 524288 bytes, but 16 banks of 2048 rows of 8 bytes make 262144 bytes; help: change the parts or the whole, so that they agree
REFUSED(check_device(with_half_the_rows()));
}  // namespace device_impossible

// # device-unknown
// A device is one of the chips that the program knows by name, or a chip file: a path with a `/`, or a name that ends in `.json`. So it is for `--chip` and for `TCP_CHIP`.
//
// To try a chip of your own, copy `data/chips/rngd.json` (installed as `share/tcp/chips/rngd.json`), change it, and give its path.
// run time only: names are met when the program runs
namespace device_unknown {
// error[device-unknown]: there is no device 'rngd2'; help: use rngd, rngd_s or logical, or the path of a chip file
REFUSED_AT_RUN_TIME { return find_device("rngd2").refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(find_device("rngd_s")); }
}  // namespace device_unknown
