// The chip as data: how many of each unit there are, how large the memories are, what the engines accept, how long
// things take.
//
// A Device is plain data that works in constant expressions, so the same rule reads it while a kernel compiles and when
// a program is loaded. Find a number by its place: `rngd.dm.banks_per_slice`, `rngd.hbm.row_switch`. Its value on RNGD,
// its source and the values it may take are in one row of fields.hpp; chips.hpp has the chips we ship; load.hpp reads
// a chip file; check.hpp says whether a device is possible. Byte sizes are binary (KiB), bandwidths decimal, cycles
// those of the core clock where nothing else is said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "tcp/support/units.hpp"

namespace tcp {

/// Cycles of the clock that HBM commands are counted in (chip::Clocks::hbm_command_mhz); a type of its own, lest they
/// are added to core cycles.
struct HbmCycleUnit {
  static constexpr const char* suffix = " HBM command cycles";
};
using HbmCycles = Count<HbmCycleUnit>;

/// A short list of the values that a piece of hardware accepts, ascending.
template <class T>
struct OneOf {
  static constexpr int room = 8;

  T item[room]{};
  int count = 0;

  constexpr OneOf() = default;
  constexpr OneOf(std::initializer_list<std::int64_t> values) {
    for (std::int64_t v : values)
      if (count < room) item[count++] = T(v);
  }

  constexpr const T* begin() const { return item; }
  constexpr const T* end() const { return item + count; }
  constexpr bool contains(T v) const {
    for (const T& each : *this)
      if (each == v) return true;
    return false;
  }
  constexpr T largest() const { return count > 0 ? item[count - 1] : T{}; }

  constexpr bool operator==(const OneOf&) const = default;
};

/// What a device is called: letters, digits, `_`, `-` and `.`.
struct DeviceName {
  static constexpr std::size_t room = 31;

  char s[room + 1]{};

  constexpr DeviceName() = default;
  constexpr DeviceName(std::string_view v) {
    for (std::size_t i = 0; i < v.size() && i < room; ++i) s[i] = v[i];
  }
  constexpr DeviceName(const char* v) : DeviceName(std::string_view(v)) {}

  constexpr std::string_view view() const { return std::string_view(s); }
  constexpr bool operator==(const DeviceName&) const = default;
};

/// A set of fields, by their number in the table of fields.hpp.
struct FieldSet {
  static constexpr int room = 4 * 64;

  std::uint64_t word[4]{};

  constexpr bool contains(int field) const { return (word[field / 64] >> (field % 64) & 1) != 0; }
  constexpr void insert(int field) { word[field / 64] |= std::uint64_t{1} << (field % 64); }
  constexpr int size() const {
    int n = 0;
    for (int i = 0; i < room; ++i) n += contains(i);
    return n;
  }
  constexpr bool operator==(const FieldSet&) const = default;
};

/// The parts of a Device, one a unit of the chip.
namespace chip {

/// How many of each unit the next larger one has. The number of chips belongs to the machine, not to the chip.
struct Levels {
  std::int64_t clusters_per_chip = 0;
  std::int64_t slices_per_cluster = 0;
  std::int64_t dmns_per_cluster = 0;
  std::int64_t slices_per_dmn = 0;
  std::int64_t pes_per_cluster = 0;
  std::int64_t rows_per_slice = 0;

  constexpr bool operator==(const Levels&) const = default;
};

struct Clocks {
  std::int64_t core_mhz = 0;
  std::int64_t hbm_channel_mhz = 0;
  std::int64_t hbm_command_mhz = 0;
  std::int64_t ticks_per_cycle = 0;  // of the counter that chips are measured with

  constexpr bool operator==(const Clocks&) const = default;
};

struct Hbm {
  Bytes capacity{};  // of a chip
  std::int64_t stacks_per_chip = 0;
  std::int64_t channels_per_stack = 0;
  std::int64_t slices_per_channel = 0;
  std::int64_t bank_groups_per_slice = 0;
  std::int64_t banks_per_group = 0;
  std::int64_t rows_per_bank = 0;
  Bytes row_bytes{};
  Bytes alignment{};
  Bytes access_bytes{};
  Bytes command_bytes{};
  Bytes channel_bytes_per_cycle{};  // a cycle of hbm_channel_mhz
  std::int64_t nominal_gb_per_s = 0;
  std::int64_t queue_entries = 0;  // of a channel
  std::int64_t partial_write_factor = 0;
  Cycles row_switch{};
  Cycles row_open{};
  HbmCycles ccd_other_group{};
  HbmCycles ccd_other_slice{};
  HbmCycles ccd_same_group{};

  constexpr bool operator==(const Hbm&) const = default;
};

struct Dm {
  Bytes slice_capacity{};
  std::int64_t banks_per_slice = 0;
  std::int64_t rows_per_bank = 0;
  Bytes row_bytes{};
  Bytes read_alignment{};
  Bytes write_alignment{};
  Bytes dmn_bytes_per_cycle{};
  Bytes dma_slice_stride{};            // between two slices in the addresses that DMA sees
  std::int64_t dma_queue_entries = 0;  // of a slice
  std::int64_t same_bank_limit = 0;    // this many accesses in a row to one bank starve DMA
  Cycles response_timeout{};

  constexpr bool operator==(const Dm&) const = default;
};

struct Trf {
  Bytes slice_capacity{};
  std::int64_t bank_columns = 0;
  std::int64_t lines_per_bank = 0;  // the book's rows of a bank; a Row is a MAC row here
  Bytes line_bytes{};
  std::int64_t slots_per_line = 0;
  std::int64_t slot_bits = 0;
  std::int64_t halves = 0;
  OneOf<Bytes> read_sizes{};
  std::int64_t stride_bits = 0;
  std::int64_t cache_lines_per_row = 0;

  constexpr bool operator==(const Trf&) const = default;
};

struct Vrf {
  Bytes slice_capacity{};
  Bytes stash{};  // that a pass with a stash takes

  constexpr bool operator==(const Vrf&) const = default;
};

struct Spm {
  Bytes pe_capacity{};
  Bytes pe_bytes_per_cycle{};

  constexpr bool operator==(const Spm&) const = default;
};

struct Sequencer {
  std::int64_t entries = 0;
  std::int64_t iterations = 0;  // of one entry
  OneOf<Bytes> base_packets{};

  constexpr bool operator==(const Sequencer&) const = default;
};

struct Switching {
  std::int64_t blocking_flits = 0;  // that a slice may send to one other in a row in InterTranspose

  constexpr bool operator==(const Switching&) const = default;
};

struct Flit {
  Bytes bytes{};
  Bytes dual_bytes{};  // main and sub channel joined

  constexpr bool operator==(const Flit&) const = default;
};

struct Fetch {
  OneOf<Bytes> main_sizes{};
  Bytes sub_size{};
  Bytes sub_size_i4_to_i32{};
  Bytes packet_multiple{};
  std::int64_t interleaved_tensors = 0;
  Bytes mask_packet_limit{};
  std::int64_t mask_count_limit = 0;  // in units of 4 bits
  std::int64_t mask_counts = 0;
  Cycles cast_latency{};
  Cycles lift_table{};

  constexpr bool operator==(const Fetch&) const = default;
};

/// Which conversions the fetch adapter has; the identity always.
struct FetchCasts {
  bool i4_to_i5 = false;
  bool i4_to_i32 = false;
  bool i8_to_i9 = false;
  bool i8_to_i32 = false;
  bool i16_to_i32 = false;
  bool f8e4m3_to_f32 = false;
  bool f8e5m2_to_f32 = false;
  bool bf16_to_f32 = false;
  bool f16_to_f32 = false;
  bool f32_to_bf16 = false;
  bool i4_to_i9 = false;
  bool i16_to_i9 = false;
  bool f8e4m3_to_bf16 = false;
  bool f8e5m2_to_bf16 = false;

  constexpr bool operator==(const FetchCasts&) const = default;
};

struct Contraction {
  Bytes mac_bytes{};  // what the reducer takes per cycle and Row
  Bytes flit_buffer{};
  OneOf<std::int64_t> row_counts{};
  std::int64_t tree_depth_i4 = 0;
  std::int64_t tree_depth_i8 = 0;
  std::int64_t tree_depth_f8 = 0;
  std::int64_t tree_depth_bf16 = 0;
  Cycles tree_latency_i4{};
  Cycles tree_latency_i8{};
  Cycles tree_latency_f8{};
  Cycles tree_latency_bf16{};
  std::int64_t columns = 0;  // that a Row supplies after the tree
  std::int64_t registers_per_column = 0;
  std::int64_t accumulator_slots = 0;

  constexpr bool operator==(const Contraction&) const = default;
};

struct Vector {
  std::int64_t lanes = 0;         // Way8: 32-bit elements per cycle
  std::int64_t narrow_lanes = 0;  // Way4
  std::int64_t execution_ids = 0;
  std::int64_t comparisons = 0;
  std::int64_t reduce_slots = 0;
  Bytes unzip_group{};  // of one group that may come before the other
  std::int64_t valid_count_counters = 0;
  std::int64_t valid_count_gates = 0;
  Cycles alu_latency{};
  Cycles inter_slice_latency{};  // for each slice of a reduction group

  constexpr bool operator==(const Vector&) const = default;
};

/// Which conversions the Cast Engine has.
struct Cast {
  bool i32_to_i4 = false;
  bool i32_to_i8 = false;
  bool i32_to_i16 = false;
  bool f32_to_f8e5m2 = false;
  bool f32_to_f8e4m3 = false;
  bool f32_to_f16 = false;
  bool f32_to_bf16 = false;

  constexpr bool operator==(const Cast&) const = default;
};

struct Transpose {
  std::int64_t packet_elements_4bit = 0;
  std::int64_t packet_elements_8bit = 0;
  std::int64_t packet_elements_16bit = 0;
  std::int64_t packet_elements_32bit = 0;
  std::int64_t packed_elements_8bit = 0;  // of a packet that is packed more tightly than the book has it
  std::int64_t packed_elements_16bit = 0;
  std::int64_t rows_4bit = 0;  // at most
  std::int64_t rows_8bit = 0;
  std::int64_t rows_16bit = 0;
  std::int64_t rows_32bit = 0;
  OneOf<std::int64_t> columns_4bit{};
  OneOf<std::int64_t> columns_8bit{};
  OneOf<std::int64_t> columns_16bit{};
  OneOf<std::int64_t> columns_32bit{};
  std::int64_t buffer_columns = 0;
  std::int64_t buffers = 0;

  constexpr bool operator==(const Transpose&) const = default;
};

struct Commit {
  OneOf<Bytes> packet_sizes{};  // what may be left of a packet after truncation
  OneOf<Bytes> main_sizes{};
  Bytes sub_size{};
  Bytes stride_multiple{};

  constexpr bool operator==(const Commit&) const = default;
};

struct Dma {
  std::int64_t engines_per_chip = 0;
  Bytes engine_bytes_per_cycle{};
  Bytes request_bytes{};
  Bytes packet_limit{};
  Bytes hbm_to_dm_alignment{};
  Bytes pcie_bytes_per_cycle{};
  Cycles startup{};  // of each descriptor

  constexpr bool operator==(const Dma&) const = default;
};

/// What others saw of passes and transfers: for the timing model `planned`, the vendor's scheduler; for `calibrated`,
/// chips. One form, two sets of numbers; fields.hpp says what each is. All are cycles of the core clock.
struct Observed {
  Cycles sub_pass{};
  Cycles behind_pass{};
  Cycles contraction_pass{};
  Cycles vector_pass{};
  Cycles move_pass{};
  Cycles switch_pass{};
  Cycles lookup_pass{};
  std::int64_t lookup_hundredths = 0;
  std::int64_t long_ring_steps = 0;
  std::int64_t ring_hundredths = 0;
  Cycles switch_table{};
  Cycles lookup_table_dma{};
  Cycles lookup_table_sub{};
  Cycles reduce{};
  std::int64_t reduce_hundredths = 0;
  std::int64_t reduce_sums_hundredths = 0;
  Cycles stash{};
  std::int64_t vrf_walk_percent = 0;
  std::int64_t vrf_coarse_percent = 0;
  Cycles memset{};
  std::int64_t memset_bytes = 0;
  Cycles loop_entry{};
  Cycles prologue{};
  Cycles synchronisation{};
  Cycles dma_startup{};
  Cycles dma_startup_several{};
  Cycles index{};
  std::int64_t engine_256 = 0;
  std::int64_t engine_512 = 0;
  std::int64_t engine_1024 = 0;
  std::int64_t engine_2048 = 0;
  std::int64_t engine_long = 0;
  std::int64_t engine_block = 0;
  std::int64_t run_hundredths = 0;
  std::int64_t run_64_hundredths = 0;
  std::int64_t run_short_hundredths = 0;
  std::int64_t aligned_64_percent = 0;
  std::int64_t unaligned_percent = 0;
  std::int64_t half_engines_percent = 0;
  std::int64_t second_cluster_percent = 0;
  std::int64_t one_stack_percent = 0;
  std::int64_t broadcast_shared = 0;
  std::int64_t broadcast_own = 0;
  std::int64_t broadcast_packet_hundredths = 0;
  Cycles dm_startup{};
  std::int64_t dm_slice = 0;
  std::int64_t dm_all = 0;
  std::int64_t dm_run_hundredths = 0;
  Cycles pieces{};
  std::int64_t piece_hundredths = 0;
  Cycles contested_write{};
  Cycles unaligned_store{};

  constexpr bool operator==(const Observed&) const = default;
};

/// What a program is held to. `logical` is held to less than a chip, so that the book's bare listings run.
struct Checks {
  bool geometry = false;
  bool dma_alignment = false;

  constexpr bool operator==(const Checks&) const = default;
};

}  // namespace chip

struct Device {
  DeviceName name{};
  chip::Levels levels{};
  chip::Clocks clocks{};
  chip::Hbm hbm{};
  chip::Dm dm{};
  chip::Trf trf{};
  chip::Vrf vrf{};
  chip::Spm spm{};
  chip::Sequencer sequencer{};
  chip::Flit flit{};
  chip::Switching switching{};
  chip::Fetch fetch{};
  chip::FetchCasts fetch_casts{};
  chip::Contraction contraction{};
  chip::Vector vector{};
  chip::Cast cast{};
  chip::Transpose transpose{};
  chip::Commit commit{};
  chip::Dma dma{};
  chip::Observed planned{};
  chip::Observed calibrated{};
  chip::Checks checks{};
  FieldSet assumed{};  // the fields whose value has no published source: see assumption_count and is_assumed in fields.hpp

  constexpr bool operator==(const Device&) const = default;
};

}  // namespace tcp
