// Programs for the chip, as records and as files.
// no kernels: programs are made by the compiler, or by hand as the page does
#include <initializer_list>
#include <vector>

#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
#include "tcp/program/encode.hpp"

using namespace tcp;

// A program of one command, and files with any body under a right header.
namespace tcp_refuse {

inline tcp::program::Program small_program() {
  tcp::program::Itos itos;
  itos.units.chips = {true};
  itos.units.clusters = 1;
  itos.units.slices.insert(0);
  tcp::program::Program p;
  p.name = "small";
  p.chip = "rngd";
  p.commands.push_back({itos, bit(tcp::program::Resource::Sub), {}, {}, -1});
  return p;
}

/// A program with a right header and wrong records.
inline std::vector<std::byte> sealed(std::initializer_list<int> body) {
  std::vector<std::byte> file = tcp::program::encode({});
  file.resize(24);
  std::uint32_t crc = ~0u;
  for (int b : body) {
    file.push_back(static_cast<std::byte>(b));
    crc ^= static_cast<std::uint32_t>(b);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  for (std::size_t i = 0; i < 4; ++i) file[12 + i] = static_cast<std::byte>(~crc >> (8 * i));
  for (std::size_t i = 0; i < 8; ++i) file[16 + i] = static_cast<std::byte>(body.size() >> (8 * i));
  return file;
}

}  // namespace tcp_refuse

// # program-address-out-of-range
// Every walk is held to its memory, from the lowest byte that it touches to the highest, before anything runs.
// run time only: programs are read from files
namespace program_address_out_of_range {
// error[program-address-out-of-range]: commands[0].Itos.address touches the bytes from 524286 to 524290 of Dm, which has 524288; help: compile the program again for this chip
REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  std::get<program::Itos>(p.commands[0].what).address = 524286;
  return program::check(p, rngd).refusal();
}
}  // namespace program_address_out_of_range

// # program-bad-value
// Every type of a field has one encoding for each of its values (docs/program.md). Here `numeric`, which is 0 or 1, is 9.
// run time only: programs are read from files
namespace program_bad_value {
// error[program-bad-value]: byte 27: Program.numeric is 9, but the last word of this field is 1; help: write the file again: tcp compile --emit program
REFUSED_AT_RUN_TIME { return program::decode(tcp_refuse::sealed({0, 0, 2, 9, 0, 0, 0, 0, 0})).refusal(); }
}  // namespace program_bad_value

// # program-checksum
// The header of a program has a CRC-32 of all that follows. A bit that flipped on the way would be another setting of some register.
// run time only: programs are read from files
namespace program_checksum {
// error[program-checksum]: byte 12: the header's checksum is 3579827913, but that of the 68 bytes after it is 2723735135; help: copy it again, or write it again: tcp compile --emit program
REFUSED_AT_RUN_TIME {
  auto bytes = program::encode(tcp_refuse::small_program());
  bytes.back() ^= std::byte{1};
  return program::decode(bytes).refusal();
}
}  // namespace program_checksum

// # program-count-too-large
// A list is its length and then its items. A length that the rest of the file cannot hold is refused before room is made for it.
// run time only: programs are read from files
namespace program_count_too_large {
// error[program-count-too-large]: byte 29: Program.commands says that 100 items follow, but the 2 bytes left hold at most 0; help: write the file again: tcp compile --emit program
REFUSED_AT_RUN_TIME {
  return program::decode(tcp_refuse::sealed({0, 0, 2, 0, 0, 100, 0, 0})).refusal();  // 100 commands in two bytes
}
}  // namespace program_count_too_large

// # program-counts-disagree
// Numbers that two parts of a program tell must be the same: the rounds of a walk and the packets it makes, the steps that go into an engine and those it counts, chips and their bits.
// run time only: programs are read from files
namespace program_counts_disagree {
// error[program-counts-disagree]: commands[0].Itos.units.chips and the number of chips must be equal, but are 2 and 1; help: compile the program again
REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  std::get<program::Itos>(p.commands[0].what).units.chips = {true, true};
  return program::check(p, rngd).refusal();
}
}  // namespace program_counts_disagree

// # program-cut-short
// A record goes on after the end of the program, although length and checksum are right: the writer of the file left something out.
// run time only: programs are read from files
namespace program_cut_short {
// error[program-cut-short]: byte 26: Program.chips begins or goes on after the end of the program; help: write the file again: tcp compile --emit program
REFUSED_AT_RUN_TIME {
  return program::decode(tcp_refuse::sealed({0, 0})).refusal();  // name and chip, and then nothing
}
}  // namespace program_cut_short

// # program-index-out-of-range
// Tables, texts, loops, gates and operations are named by their number. A number beyond the list names nothing.
// run time only: programs are read from files
namespace program_index_out_of_range {
// error[program-index-out-of-range]: commands[0].debug is 3, but there are 0 to choose from; help: compile the program again
REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  p.commands[0].debug = 3;
  return program::check(p, rngd).refusal();
}
}  // namespace program_index_out_of_range

// # program-json-key
// Every field of a record is a key of its object, once, and nothing else is. Here `chip` is missing.
// run time only: programs are read from files
namespace program_json_key {
// error[program-json-key]: the program has no key chip; help: add it, or write the file again: tcp compile --emit json
REFUSED_AT_RUN_TIME { return program::from_json(R"({"tcp_program": 7, "name": "x"})").refusal(); }
}  // namespace program_json_key

// # program-json-syntax
// The JSON twin of a program is one JSON text, nested no deeper than programs are.
// run time only: programs are read from files
namespace program_json_syntax {
// error[program-json-syntax]: line 3, byte 25: this is not JSON; help: look there for a comma, quote, colon or bracket that is missing or too many
REFUSED_AT_RUN_TIME { return program::from_json("{\n  \"tcp_program\": 7,\n  // a comment\n}").refusal(); }
}  // namespace program_json_syntax

// # program-json-value
// Every field takes values of its type: whole numbers that fit into it, words of its list, printable ASCII, sets of slices such as `0-15,32`.
// run time only: programs are read from files
namespace program_json_value {
// error[program-json-value]: chip is a number, but must be a text; help: write one of those, or write the file again: tcp compile --emit json
REFUSED_AT_RUN_TIME { return program::from_json(R"({"tcp_program": 7, "name": "x", "chip": 7})").refusal(); }
}  // namespace program_json_value

// # program-length
// The header of a program says how many bytes follow it. A file that was cut, or to which something was added, has another number.
// run time only: programs are read from files
namespace program_length {
// error[program-length]: byte 16: the header says that 68 bytes follow it, but there are 67; help: copy it again, or write it again: tcp compile --emit program
REFUSED_AT_RUN_TIME {
  auto bytes = program::encode(tcp_refuse::small_program());
  bytes.pop_back();
  return program::decode(bytes).refusal();
}
}  // namespace program_length

// # program-not-a-multiple
// A number that is not a whole number of the hardware's units: here a transfer into DM of packets of 12 bytes, where rows of 8 bytes are written as a whole.
// run time only: programs are read from files
namespace program_not_a_multiple {
// error[program-not-a-multiple]: commands[0].Dma.descriptors[0].packet_bytes is 12, but must be a multiple of 8; help: compile the program again for this chip
REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  program::DmaDescriptor d;
  d.write.memory = program::Memory::Dm;
  d.packet_bytes = 12;
  p.commands[0].what = program::Dma{false, false, {d}};
  return program::check(p, rngd).refusal();
}
}  // namespace program_not_a_multiple

// # program-not-encoded
// A program in binary form begins with eight bytes that no other file has. Two of them are line ends: a transfer as text, which changes those, is noticed here.
// run time only: programs are read from files
namespace program_not_encoded {
// error[program-not-encoded]: byte 0: this is not a program in binary form: the first 8 bytes are others, or missing; help: name a file that tcp compile --emit program wrote, and copy it as it is
REFUSED_AT_RUN_TIME {
  auto bytes = program::encode(tcp_refuse::small_program());
  bytes[5] = std::byte{10};  // a line end became another
  return program::decode(bytes).refusal();
}
}  // namespace program_not_encoded

// # program-number-out-of-range
// A setting that the hardware does not have: here a command that occupies no resource, so that nothing would run it.
// run time only: programs are read from files
namespace program_number_out_of_range {
// error[program-number-out-of-range]: commands[0].resources is 0, but must be from 1 to 31; help: compile the program again for this chip
REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  p.commands[0].resources = 0;
  return program::check(p, rngd).refusal();
}
}  // namespace program_number_out_of_range

// # program-other-chip
// A program is made for one chip: addresses, sizes of accesses and register settings are that chip's.
// run time only: programs are read from files
namespace program_other_chip {
// error[program-other-chip]: the program was made for the chip 'rngd', not for 'rngd_s'; help: compile it again with --chip rngd_s, or run it on the other chip
REFUSED_AT_RUN_TIME { return program::check(tcp_refuse::small_program(), rngd_s).refusal(); }
}  // namespace program_other_chip

// # program-size-unavailable
// A size that the hardware does not offer: here a fetch of 3 bytes at once. The sizes of an access, of a ring, of a group of rows and the like are sets, and a
// number between two of them is not rounded.
// run time only: programs are read from files
namespace program_size_unavailable {
// error[program-size-unavailable]: commands[0].Exec.fetch.read.access_bytes is 3, but must be 1, 2, 4, 8, 16 or 32; help: compile the program again for this chip
REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  program::Exec pass;
  pass.units = std::get<program::Itos>(p.commands[0].what).units;
  pass.fetch.read.access_bytes = 3;
  p.commands[0].what = pass;
  return program::check(p, rngd).refusal();
}
}  // namespace program_size_unavailable

// # program-trailing-bytes
// A program ends with its last record. Bytes after it, inside the length that the header tells, belong to nothing.
// run time only: programs are read from files
namespace program_trailing_bytes {
// error[program-trailing-bytes]: byte 39: the last record ends here, but the program goes on to byte 40; help: write the file again: tcp compile --emit program
REFUSED_AT_RUN_TIME { return program::decode(tcp_refuse::sealed({0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7})).refusal(); }
}  // namespace program_trailing_bytes

// # program-unit-unknown
// Bitmaps say which chips, clusters and slices take part. A bit for a unit that the chip does not have asks for nothing.
// run time only: programs are read from files
namespace program_unit_unknown {
// error[program-unit-unknown]: commands[0].Itos.units.clusters is 4, a bit a cluster, but a chip of rngd has 2; help: compile the program again for this chip
REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  std::get<program::Itos>(p.commands[0].what).units.clusters = 4;
  return program::check(p, rngd).refusal();
}
}  // namespace program_unit_unknown

// # program-version
// Every change of the records counts up the version of the encoding, in the header of the binary form and as `tcp_program` in JSON. A reader takes its own version only.
// run time only: programs are read from files
namespace program_version {
// error[program-version]: the program has version 99 of the encoding; this is a reader of version 7; help: compile it again with this version of tcp
REFUSED_AT_RUN_TIME {
  auto bytes = program::encode(tcp_refuse::small_program());
  bytes[8] = std::byte{99};
  return program::decode(bytes).refusal();
}
}  // namespace program_version
