// The table of every number of a device: its name, RNGD's value, the values it may take, and where it comes from. The
// one place for all of that.
//
// The table is a function that shows its rows, one after the other, to a visitor; so the chips (chips.hpp), the check
// (check.hpp), the reader and the writer of chip files (load.hpp) and the tests all walk the same rows, and none of
// them can know a field that the others forget. The group and the key of a row are the member's name in C++ and its key
// in a chip file: `dm.banks_per_slice`.
//
// A source is one of
//   - row and erratum numbers of our ledger of the vendor's book: `MEM-02`, `DMA-29, E-68`;
//   - `public figures, later editions` for what the vendor's later editions say;
//   - `public figures of plans`, `public figures of chips` for what others saw, or what follows from it
//     (docs/accuracy.md);
//   - `assumption: ...` for a number that is not published; reports say how many of these a result rests on;
//   - `choice: ...` for a switch of ours that says nothing about the hardware.
#pragma once

#include <string_view>
#include <type_traits>

#include "tcp/device/device.hpp"

namespace tcp {

/// Which values a field may take, beyond a limit against overflow that all have (check.hpp).
enum class FieldRange { any, not_negative, positive, power_of_two };

struct DeviceField {
  const char* key;
  FieldRange range;
  const char* source;
  const char* note = "";
};

constexpr bool says_assumption(std::string_view source) { return source.substr(0, 10) == "assumption"; }
constexpr bool says_choice(std::string_view source) { return source.substr(0, 6) == "choice"; }

/// Where in the table a visitor is. Visitors derive from it and call `next()` once in each `field`.
struct FieldCursor {
  const char* group_name = "";
  int index = -1;

  constexpr void group(const char* name) { group_name = name; }
  constexpr void next() { ++index; }
};

namespace detail {
constexpr Bytes in_b(std::int64_t n) { return Bytes{n}; }
constexpr Bytes in_kib(std::int64_t n) { return Bytes{n << 10}; }
constexpr Bytes in_mib(std::int64_t n) { return Bytes{n << 20}; }
constexpr Bytes in_gib(std::int64_t n) { return Bytes{n << 30}; }
/// Whose figures a set of observed numbers has.
enum class Observer { plans, chips };

/// The rows of one such set: what plans have, then what chips were seen to take.
template <class AnyObserved, class Visitor>
constexpr void each_observed(AnyObserved& o, Observer observer, Visitor& v) {
  using chip::Observed;
  constexpr FieldRange not_negative = FieldRange::not_negative, positive = FieldRange::positive;
  bool const plans = observer == Observer::plans;
  // Whose figures a number has; without one of its own, a chip is taken to be as plans have it, and plans as the book.
  enum class From { both, plans_only, chips_only };
  auto const row = [&]<class T>(const char* key, FieldRange range, const char* note, T Observed::* member, std::int64_t plan,
                                std::int64_t seen, From from = From::both) {
    const char* source = plans ? "public figures of plans" : "public figures of chips";
    if (plans && from == From::chips_only) source = "assumption: not published for plans";
    if (!plans && from == From::plans_only) source = "assumption: not published for chips, as plans have it";
    v.field({key, range, source, note}, o.*member, T{plans ? plan : seen});
  };
  // clang-format off
  row("sub_pass", positive, "before a pass into TRF or VRF streams", &Observed::sub_pass, 263, 168);
  row("behind_pass", not_negative, "that such a pass waits for the pass right before it that made its source", &Observed::behind_pass, 0, 47);
  row("contraction_pass", positive, "before a pass with a contraction streams; on a chip 340, and nearly always 400 more", &Observed::contraction_pass, 265, 600);
  row("vector_pass", positive, "before a pass with the Vector Engine streams", &Observed::vector_pass, 281, 184);
  row("move_pass", positive, "before a pass that only moves streams", &Observed::move_pass, 263, 263, From::plans_only);
  row("switch_pass", positive, "the same where data go round in a ring", &Observed::switch_pass, 263, 500);
  row("lookup_pass", positive, "the same through a lookup table", &Observed::lookup_pass, 263, 730);
  row("lookup_hundredths", positive, "of a cycle that a flit takes after a lookup table", &Observed::lookup_hundredths, 250, 273);
  row("long_ring_steps", not_negative, "that each slice of a ring takes beyond its packets, if the ring leaves its PE", &Observed::long_ring_steps, 2, 0);
  row("ring_hundredths", not_negative, "of a cycle that each slice of a broadcast's ring takes where only some send, and data wait for these alone (chips)", &Observed::ring_hundredths, 0, 50);
  row("switch_table", positive, "of the DMA that writes the table of a custom switch", &Observed::switch_table, 719, 1100);
  row("lookup_table_dma", positive, "of the DMA that writes a lookup table", &Observed::lookup_table_dma, 838, 1100);
  row("lookup_table_sub", positive, "of the sub context, which stages it", &Observed::lookup_table_sub, 1293, 3000);
  row("reduce", not_negative, "that an inter-slice reduce takes, whatever its size", &Observed::reduce, 0, 284);
  row("reduce_hundredths", positive, "of a cycle that it takes for each slice", &Observed::reduce_hundredths, 896, 5600);
  row("reduce_sums_hundredths", positive, "the same of the sums of a contraction", &Observed::reduce_sums_hundredths, 88, 1200);
  row("stash", not_negative, "that a pass with a stash takes longer", &Observed::stash, 0, 36);
  row("vrf_walk_percent", positive, "of the time of a narrow pass whose operand in the VRF is another one for each packet", &Observed::vrf_walk_percent, 100, 247);
  row("vrf_coarse_percent", positive, "the same where all lanes have one operand, and later packets another one", &Observed::vrf_coarse_percent, 100, 125);
  row("memset", positive, "before a memset writes", &Observed::memset, 263, 415, From::chips_only);
  row("memset_bytes", positive, "hundredths of a byte that it writes in a cycle in each slice", &Observed::memset_bytes, 400, 1500, From::chips_only);
  row("loop_entry", not_negative, "to enter a loop that is not unrolled", &Observed::loop_entry, 0, 2500);
  row("prologue", positive, "before the first command", &Observed::prologue, 1003, 50);
  row("synchronisation", positive, "after the last command", &Observed::synchronisation, 600, 650);
  row("dma_startup", positive, "of a transfer by one engine", &Observed::dma_startup, 472, 420);
  row("dma_startup_several", positive, "of a transfer by several engines", &Observed::dma_startup_several, 549, 500);
  row("index", positive, "before a gather or a scatter, for its index", &Observed::index, 380, 380, From::plans_only);
  row("engine_256", positive, "hundredths of a byte that an engine moves in a cycle, in runs of 256 bytes", &Observed::engine_256, 15170, 16150);
  row("engine_512", positive, "the same in runs of 512 bytes", &Observed::engine_512, 15170, 15050);
  row("engine_1024", positive, "of 1,024 bytes", &Observed::engine_1024, 15170, 14450);
  row("engine_2048", positive, "of 2,048 bytes", &Observed::engine_2048, 15170, 14800);
  row("engine_long", positive, "of 4,096 bytes to 64 KiB", &Observed::engine_long, 15170, 13500);
  row("engine_block", positive, "of 128 KiB and more; between both it grows", &Observed::engine_block, 15170, 17800);
  row("run_hundredths", positive, "of a cycle that an engine takes for a run of 128 bytes and more, at least", &Observed::run_hundredths, 163, 160);
  row("run_64_hundredths", positive, "the same of 64 bytes and more", &Observed::run_64_hundredths, 245, 344);
  row("run_short_hundredths", positive, "of fewer", &Observed::run_short_hundredths, 380, 380, From::plans_only);
  row("aligned_64_percent", positive, "of the time of runs that begin at multiples of 64 bytes, and not of 256", &Observed::aligned_64_percent, 119, 150);
  row("unaligned_percent", positive, "the same, not of 64 either", &Observed::unaligned_percent, 143, 160);
  row("half_engines_percent", positive, "of that time where at most half of the engines of a chip work", &Observed::half_engines_percent, 100, 92);
  row("second_cluster_percent", positive, "of the pace of cluster 0 that cluster 1 has while both load", &Observed::second_cluster_percent, 100, 78);
  row("one_stack_percent", positive, "where a cluster reads one stack of HBM alone", &Observed::one_stack_percent, 100, 168);
  row("broadcast_shared", positive, "hundredths of a byte that a cluster gets in a cycle where its engines read one stretch of HBM", &Observed::broadcast_shared, 11010, 9180);
  row("broadcast_own", positive, "the same where each reads its own", &Observed::broadcast_own, 42400, 35300);
  row("broadcast_packet_hundredths", positive, "of a cycle that a packet of a broadcast takes, at least", &Observed::broadcast_packet_hundredths, 1110, 1330);
  row("dm_startup", positive, "of a transfer within DM", &Observed::dm_startup, 240, 240, From::plans_only);
  row("dm_slice", positive, "hundredths of a byte that a slice of DM sends in a cycle", &Observed::dm_slice, 3630, 15200);
  row("dm_all", positive, "the same, all slices together", &Observed::dm_all, 30400, 30400, From::plans_only);
  row("dm_run_hundredths", positive, "of a cycle that a run within DM takes, at least", &Observed::dm_run_hundredths, 200, 200, From::plans_only);
  row("pieces", not_negative, "of a store in parts of units of HBM from several DMNs of a cluster", &Observed::pieces, 1100, 0);
  row("piece_hundredths", not_negative, "of a cycle that each part takes", &Observed::piece_hundredths, 1100, 0);
  row("contested_write", not_negative, "of a write in part into a unit of HBM that several engines write", &Observed::contested_write, 722, 0);
  row("unaligned_store", not_negative, "that a store takes longer that does not write whole units", &Observed::unaligned_store, 11, 415);
  // clang-format on
}
}  // namespace detail

/// Shows each row to `v`: `v.group(name)`, then for each field of the group `v.field(row, member, rngd_value)`, both
/// values of one type: std::int64_t, Bytes, Cycles, HbmCycles, bool, or a OneOf.
/// Law: the order of the rows, and so the number of each, is the same for every visitor.
template <class AnyDevice, class Visitor>
constexpr void each_field(AnyDevice& d, Visitor& v) {
  using detail::in_b, detail::in_kib, detail::in_mib, detail::in_gib;
  constexpr FieldRange any = FieldRange::any, positive = FieldRange::positive, power_of_two = FieldRange::power_of_two;

  // clang-format off
  v.group("levels");
  v.field({"clusters_per_chip", positive, "HEL-05"}, d.levels.clusters_per_chip, 2);
  v.field({"slices_per_cluster", power_of_two, "HEL-05"}, d.levels.slices_per_cluster, 256);
  v.field({"dmns_per_cluster", power_of_two, "MEM-02, E-67"}, d.levels.dmns_per_cluster, 8);
  v.field({"slices_per_dmn", power_of_two, "MEM-02"}, d.levels.slices_per_dmn, 32);
  v.field({"pes_per_cluster", power_of_two, "COM-16, E-67", "a PE is a pair of DMNs with one DMA engine"}, d.levels.pes_per_cluster, 4);
  v.field({"rows_per_slice", power_of_two, "HEL-05", "MAC rows, each with its own bank of the TRF"}, d.levels.rows_per_slice, 8);

  v.group("clocks");
  v.field({"core_mhz", positive, "DMA-29, E-92"}, d.clocks.core_mhz, 1000);
  v.field({"hbm_channel_mhz", positive, "MEM-27"}, d.clocks.hbm_channel_mhz, 750);
  v.field({"hbm_command_mhz", positive, "MEM-34"}, d.clocks.hbm_command_mhz, 1500);
  v.field({"ticks_per_cycle", positive, "public figures of chips", "of the counter that chips are measured with"}, d.clocks.ticks_per_cycle, 2);

  v.group("hbm");
  v.field({"capacity", positive, "HEL-07, E-91", "of a chip"}, d.hbm.capacity, in_gib(48));
  v.field({"stacks_per_chip", positive, "MEM-20"}, d.hbm.stacks_per_chip, 2);
  v.field({"channels_per_stack", positive, "MEM-20"}, d.hbm.channels_per_stack, 16);
  v.field({"slices_per_channel", positive, "MEM-20"}, d.hbm.slices_per_channel, 3);
  v.field({"bank_groups_per_slice", positive, "MEM-20"}, d.hbm.bank_groups_per_slice, 4);
  v.field({"banks_per_group", positive, "MEM-20"}, d.hbm.banks_per_group, 4);
  v.field({"rows_per_bank", positive, "MEM-20"}, d.hbm.rows_per_bank, 16384);
  v.field({"row_bytes", positive, "MEM-20"}, d.hbm.row_bytes, in_kib(2));
  v.field({"alignment", power_of_two, "DMA-08", "of reads and writes; less than access_bytes is legal, and slow"}, d.hbm.alignment, in_b(1));
  v.field({"access_bytes", power_of_two, "MEM-27, MEM-30", "the unit of transfer"}, d.hbm.access_bytes, in_b(256));
  v.field({"command_bytes", power_of_two, "MEM-34"}, d.hbm.command_bytes, in_b(64));
  v.field({"channel_bytes_per_cycle", power_of_two, "MEM-27", "a cycle of hbm_channel_mhz"}, d.hbm.channel_bytes_per_cycle, in_b(64));
  v.field({"nominal_gb_per_s", positive, "HEL-07, E-91", "as advertised, decimal, for people: times follow from the channels, which add up to 1536"}, d.hbm.nominal_gb_per_s, 1500);
  v.field({"queue_entries", positive, "MEM-29", "of a channel"}, d.hbm.queue_entries, 64);
  v.field({"partial_write_factor", positive, "MEM-31", "what a read-modify-write costs, against a write of a whole unit"}, d.hbm.partial_write_factor, 50);
  v.field({"row_switch", positive, "MEM-32, DMA-40", "40 to 50; the book's totals take 40"}, d.hbm.row_switch, Cycles{40});
  v.field({"row_open", positive, "assumption: unpublished; half of a row switch, as closing and opening take about the same in DRAM", "of a bank whose rows are all closed"}, d.hbm.row_open, Cycles{20});
  v.field({"ccd_other_group", positive, "MEM-34", "same slice, different bank group"}, d.hbm.ccd_other_group, HbmCycles{2});
  v.field({"ccd_other_slice", positive, "MEM-34"}, d.hbm.ccd_other_slice, HbmCycles{3});
  v.field({"ccd_same_group", positive, "MEM-34", "same slice, same bank group"}, d.hbm.ccd_same_group, HbmCycles{4});

  v.group("dm");
  v.field({"slice_capacity", positive, "HEL-07, MEM-02"}, d.dm.slice_capacity, in_kib(512));
  v.field({"banks_per_slice", power_of_two, "MEM-02"}, d.dm.banks_per_slice, 16);
  v.field({"rows_per_bank", power_of_two, "MEM-02"}, d.dm.rows_per_bank, 4096);
  v.field({"row_bytes", power_of_two, "MEM-02"}, d.dm.row_bytes, in_b(8));
  v.field({"read_alignment", power_of_two, "FET-08, DMA-08"}, d.dm.read_alignment, in_b(1));
  v.field({"write_alignment", power_of_two, "DMA-08, E-29"}, d.dm.write_alignment, in_b(8));
  v.field({"dmn_bytes_per_cycle", positive, "DMA-29, E-68"}, d.dm.dmn_bytes_per_cycle, in_b(128));
  v.field({"dma_slice_stride", positive, "DMA-22, E-69", "between two slices in the addresses that DMA sees"}, d.dm.dma_slice_stride, in_mib(4));
  v.field({"dma_queue_entries", positive, "MEM-08", "of a slice"}, d.dm.dma_queue_entries, 2);
  v.field({"same_bank_limit", positive, "MEM-11, E-84", "this many accesses in a row to one bank starve DMA"}, d.dm.same_bank_limit, 64);
  v.field({"response_timeout", positive, "MEM-10"}, d.dm.response_timeout, Cycles{4096});

  v.group("trf");
  v.field({"slice_capacity", positive, "CTR-055, F-28, F-29", "logical bytes, over all Rows"}, d.trf.slice_capacity, in_kib(64));
  v.field({"bank_columns", positive, "CTR-055"}, d.trf.bank_columns, 2);
  v.field({"lines_per_bank", power_of_two, "CTR-055"}, d.trf.lines_per_bank, 128);
  v.field({"line_bytes", power_of_two, "CTR-055, F-28"}, d.trf.line_bytes, in_b(32));
  v.field({"slots_per_line", positive, "CTR-056, CTR-058"}, d.trf.slots_per_line, 64);
  v.field({"slot_bits", positive, "CTR-056, CTR-058"}, d.trf.slot_bits, 5);
  v.field({"halves", positive, "CTR-063"}, d.trf.halves, 2);
  v.field({"read_sizes", power_of_two, "CTR-050"}, d.trf.read_sizes, {1, 2, 4, 8, 16, 32, 64});
  v.field({"stride_bits", positive, "CTR-065", "signed"}, d.trf.stride_bits, 32);
  v.field({"cache_lines_per_row", positive, "CTR-066"}, d.trf.cache_lines_per_row, 8);

  v.group("vrf");
  v.field({"slice_capacity", positive, "HEL-07"}, d.vrf.slice_capacity, in_kib(8));
  v.field({"stash", positive, "CHIP-19", "that a pass with a stash takes"}, d.vrf.stash, in_kib(1));

  v.group("spm");
  v.field({"pe_capacity", positive, "CHIP-25", "the one scratchpad of a PE"}, d.spm.pe_capacity, in_kib(4));
  v.field({"pe_bytes_per_cycle", positive, "MEM-19, E-87, CHIP-25"}, d.spm.pe_bytes_per_cycle, in_b(128));

  v.group("sequencer");
  v.field({"entries", positive, "SEQ-19"}, d.sequencer.entries, 8);
  v.field({"iterations", positive, "SEQ-20, E-41", "of one entry"}, d.sequencer.iterations, 65536);
  v.field({"base_packets", power_of_two, "SEQ-21, E-33"}, d.sequencer.base_packets, {1, 2, 4, 8, 16, 32});

  v.group("flit");
  v.field({"bytes", power_of_two, "PIP-02"}, d.flit.bytes, in_b(32));
  v.field({"dual_bytes", power_of_two, "FET-53"}, d.flit.dual_bytes, in_b(64));

  v.group("switching");
  v.field({"blocking_flits", positive, "CHIP-23", "that a slice may send to one other in a row in InterTranspose, two halves of 9"}, d.switching.blocking_flits, 18);

  v.group("fetch");
  v.field({"main_sizes", power_of_two, "FET-09, E-57"}, d.fetch.main_sizes, {1, 2, 4, 8, 16, 32});
  v.field({"sub_size", power_of_two, "FET-09"}, d.fetch.sub_size, in_b(8));
  v.field({"sub_size_i4_to_i32", power_of_two, "FET-09"}, d.fetch.sub_size_i4_to_i32, in_b(4));
  v.field({"packet_multiple", power_of_two, "FET-01, E-42", "of the output packet"}, d.fetch.packet_multiple, in_b(8));
  v.field({"interleaved_tensors", positive, "FET-20"}, d.fetch.interleaved_tensors, 2);
  v.field({"mask_packet_limit", positive, "E-52"}, d.fetch.mask_packet_limit, in_b(128));
  v.field({"mask_count_limit", positive, "FET-25, E-52", "in units of 4 bits"}, d.fetch.mask_count_limit, 255);
  v.field({"mask_counts", positive, "FET-30"}, d.fetch.mask_counts, 8);
  v.field({"cast_latency", positive, "FET-54", "1 to 2; we take 2"}, d.fetch.cast_latency, Cycles{2});
  v.field({"lift_table", positive, "assumption: unpublished; what plans count for the table of a custom switch, which a DMA brings as well", "before a fetch whose slices begin apart (CHIP-26)"}, d.fetch.lift_table, Cycles{719});

  v.group("fetch_casts");
  v.field({"i4_to_i5", any, "FET-33"}, d.fetch_casts.i4_to_i5, true);
  v.field({"i4_to_i32", any, "FET-33"}, d.fetch_casts.i4_to_i32, true);
  v.field({"i8_to_i9", any, "FET-33"}, d.fetch_casts.i8_to_i9, true);
  v.field({"i8_to_i32", any, "FET-33"}, d.fetch_casts.i8_to_i32, true);
  v.field({"i16_to_i32", any, "FET-33"}, d.fetch_casts.i16_to_i32, true);
  v.field({"f8e4m3_to_f32", any, "FET-33"}, d.fetch_casts.f8e4m3_to_f32, true);
  v.field({"f8e5m2_to_f32", any, "FET-33"}, d.fetch_casts.f8e5m2_to_f32, true);
  v.field({"bf16_to_f32", any, "FET-33"}, d.fetch_casts.bf16_to_f32, true);
  v.field({"f16_to_f32", any, "FET-33, E-83"}, d.fetch_casts.f16_to_f32, true);
  v.field({"f32_to_bf16", any, "FET-33"}, d.fetch_casts.f32_to_bf16, true);
  v.field({"i4_to_i9", any, "FET-34", "RNGD-S"}, d.fetch_casts.i4_to_i9, false);
  v.field({"i16_to_i9", any, "FET-34", "RNGD-S"}, d.fetch_casts.i16_to_i9, false);
  v.field({"f8e4m3_to_bf16", any, "FET-34", "RNGD-S"}, d.fetch_casts.f8e4m3_to_bf16, false);
  v.field({"f8e5m2_to_bf16", any, "FET-34", "RNGD-S"}, d.fetch_casts.f8e5m2_to_bf16, false);

  v.group("contraction");
  v.field({"mac_bytes", power_of_two, "CTR-049", "per cycle and Row"}, d.contraction.mac_bytes, in_b(64));
  v.field({"flit_buffer", positive, "CTR-038"}, d.contraction.flit_buffer, in_b(96));
  v.field({"row_counts", power_of_two, "CTR-039, CTR-103"}, d.contraction.row_counts, {1, 2, 4, 8});
  v.field({"tree_depth_i4", positive, "CTR-082"}, d.contraction.tree_depth_i4, 7);
  v.field({"tree_depth_i8", positive, "CTR-082"}, d.contraction.tree_depth_i8, 6);
  v.field({"tree_depth_f8", positive, "CTR-082"}, d.contraction.tree_depth_f8, 6);
  v.field({"tree_depth_bf16", positive, "CTR-082"}, d.contraction.tree_depth_bf16, 5);
  v.field({"tree_latency_i4", positive, "CTR-108"}, d.contraction.tree_latency_i4, Cycles{7});
  v.field({"tree_latency_i8", positive, "CTR-108"}, d.contraction.tree_latency_i8, Cycles{6});
  v.field({"tree_latency_f8", positive, "CTR-108"}, d.contraction.tree_latency_f8, Cycles{6});
  v.field({"tree_latency_bf16", positive, "CTR-108"}, d.contraction.tree_latency_bf16, Cycles{5});
  v.field({"columns", positive, "CTR-086", "that a Row supplies after the tree"}, d.contraction.columns, 32);
  v.field({"registers_per_column", positive, "CTR-088"}, d.contraction.registers_per_column, 4);
  v.field({"accumulator_slots", positive, "CTR-088", "over all Rows"}, d.contraction.accumulator_slots, 1024);

  v.group("vector");
  v.field({"lanes", power_of_two, "VEC-001, VEC-151", "Way8: 32-bit elements per cycle"}, d.vector.lanes, 8);
  v.field({"narrow_lanes", power_of_two, "VEC-151", "Way4"}, d.vector.narrow_lanes, 4);
  v.field({"execution_ids", power_of_two, "VEC-039"}, d.vector.execution_ids, 16);
  v.field({"comparisons", positive, "VEC-043"}, d.vector.comparisons, 4);
  v.field({"reduce_slots", positive, "RED-07"}, d.vector.reduce_slots, 8);
  v.field({"unzip_group", positive, "CHIP-18", "of one group that may come before the other"}, d.vector.unzip_group, in_kib(1));
  v.field({"valid_count_counters", positive, "VCG-35"}, d.vector.valid_count_counters, 8);
  v.field({"valid_count_gates", positive, "VCG-35, VCG-68"}, d.vector.valid_count_gates, 3);
  v.field({"alu_latency", positive, "VEC-152"}, d.vector.alu_latency, Cycles{1});
  v.field({"inter_slice_latency", positive, "INT-18, F-32", "for each slice of a reduction group"}, d.vector.inter_slice_latency, Cycles{1});

  v.group("cast");
  v.field({"i32_to_i4", any, "CAS-02"}, d.cast.i32_to_i4, true);
  v.field({"i32_to_i8", any, "CAS-02"}, d.cast.i32_to_i8, true);
  v.field({"i32_to_i16", any, "CAS-02"}, d.cast.i32_to_i16, true);
  v.field({"f32_to_f8e5m2", any, "CAS-03"}, d.cast.f32_to_f8e5m2, true);
  v.field({"f32_to_f8e4m3", any, "CAS-03"}, d.cast.f32_to_f8e4m3, true);
  v.field({"f32_to_f16", any, "CAS-03"}, d.cast.f32_to_f16, true);
  v.field({"f32_to_bf16", any, "CAS-03"}, d.cast.f32_to_bf16, true);

  v.group("transpose");
  v.field({"packet_elements_4bit", power_of_two, "TRA-08", "live elements of a packet"}, d.transpose.packet_elements_4bit, 16);
  v.field({"packet_elements_8bit", power_of_two, "TRA-08"}, d.transpose.packet_elements_8bit, 8);
  v.field({"packet_elements_16bit", power_of_two, "TRA-08"}, d.transpose.packet_elements_16bit, 8);
  v.field({"packet_elements_32bit", power_of_two, "TRA-08"}, d.transpose.packet_elements_32bit, 8);
  v.field({"packed_elements_8bit", power_of_two, "CHIP-22", "of a packet, packed"}, d.transpose.packed_elements_8bit, 16);
  v.field({"packed_elements_16bit", power_of_two, "CHIP-22"}, d.transpose.packed_elements_16bit, 16);
  v.field({"rows_4bit", positive, "TRA-11", "in_rows at most"}, d.transpose.rows_4bit, 16);
  v.field({"rows_8bit", positive, "TRA-12"}, d.transpose.rows_8bit, 8);
  v.field({"rows_16bit", positive, "TRA-13"}, d.transpose.rows_16bit, 4);
  v.field({"rows_32bit", positive, "TRA-14"}, d.transpose.rows_32bit, 2);
  v.field({"columns_4bit", power_of_two, "TRA-11", "in_cols"}, d.transpose.columns_4bit, {16, 32});
  v.field({"columns_8bit", power_of_two, "TRA-12"}, d.transpose.columns_8bit, {8, 16, 32});
  v.field({"columns_16bit", power_of_two, "TRA-13"}, d.transpose.columns_16bit, {8, 16, 32});
  v.field({"columns_32bit", power_of_two, "TRA-14"}, d.transpose.columns_32bit, {8, 16, 32});
  v.field({"buffer_columns", positive, "TRA-16", "of one buffer; more columns than these take both"}, d.transpose.buffer_columns, 16);
  v.field({"buffers", positive, "TRA-16"}, d.transpose.buffers, 2);

  v.group("commit");
  v.field({"packet_sizes", positive, "COM-04", "what may be left of a packet after truncation"}, d.commit.packet_sizes, {8, 16, 24, 32});
  v.field({"main_sizes", positive, "COM-10"}, d.commit.main_sizes, {8, 16, 24, 32});
  v.field({"sub_size", positive, "COM-10, E-62"}, d.commit.sub_size, in_b(8));
  v.field({"stride_multiple", power_of_two, "COM-17"}, d.commit.stride_multiple, in_b(8));

  v.group("dma");
  v.field({"engines_per_chip", positive, "DMA-03, E-67"}, d.dma.engines_per_chip, 8);
  v.field({"engine_bytes_per_cycle", positive, "DMA-29"}, d.dma.engine_bytes_per_cycle, in_b(256));
  v.field({"request_bytes", power_of_two, "DMA-13"}, d.dma.request_bytes, in_b(256));
  v.field({"packet_limit", positive, "DMA-09"}, d.dma.packet_limit, in_kib(4));
  v.field({"hbm_to_dm_alignment", power_of_two, "DMA-08, E-80", "of both addresses and of the packet"}, d.dma.hbm_to_dm_alignment, in_b(8));
  v.field({"pcie_bytes_per_cycle", positive, "DMA-02, DMA-29"}, d.dma.pcie_bytes_per_cycle, in_b(30));
  v.field({"startup", positive, "DMA-12", "of each descriptor"}, d.dma.startup, Cycles{500});

  v.group("planned");
  detail::each_observed(d.planned, detail::Observer::plans, v);
  v.group("calibrated");
  detail::each_observed(d.calibrated, detail::Observer::chips, v);

  v.group("checks");
  v.field({"geometry", any, "choice: sizes of Chip, Cluster and Slice and capacities are checked; a logical device does without"}, d.checks.geometry, true);
  v.field({"dma_alignment", any, "choice: addresses and packets of DMA are checked; a logical device does without"}, d.checks.dma_alignment, true);
  // clang-format on
}

namespace detail {

struct FieldCounter : FieldCursor {
  template <class T>
  constexpr void field(const DeviceField&, const T&, const std::type_identity_t<T>&) {
    next();
  }
};

/// Finds a field by the path that users see.
struct FieldFinder : FieldCursor {
  std::string_view group_wanted, key_wanted;
  int found = -1;

  constexpr FieldFinder(std::string_view group_to_find, std::string_view key_to_find)
      : group_wanted(group_to_find), key_wanted(key_to_find) {}

  template <class T>
  constexpr void field(const DeviceField& row, const T&, const std::type_identity_t<T>&) {
    next();
    if (key_wanted == row.key && group_wanted == group_name) found = index;
  }
};

/// Whether a timing model looks at the numbers of a group: `planned` and `calibrated` have groups of their own.
constexpr bool rests_on(std::string_view model, std::string_view group) {
  return (group != "planned" && group != "calibrated") || group == model;
}

/// Counts the assumed fields that a timing model looks at.
struct AssumedCounter : FieldCursor {
  FieldSet assumed;
  std::string_view model;
  int count = 0;

  constexpr AssumedCounter(const FieldSet& fields, std::string_view asked) : assumed(fields), model(asked) {}

  template <class T>
  constexpr void field(const DeviceField&, const T&, const std::type_identity_t<T>&) {
    next();
    count += assumed.contains(index) && rests_on(model, group_name);
  }
};

}  // namespace detail

/// How many rows the table has.
constexpr int field_count() {
  const Device d{};
  detail::FieldCounter counter;
  each_field(d, counter);
  return counter.index + 1;
}
static_assert(field_count() <= FieldSet::room);

/// The number of the row of `group.key`, or -1.
constexpr int field_number(std::string_view group, std::string_view key) {
  const Device d{};
  detail::FieldFinder finder(group, key);
  each_field(d, finder);
  return finder.found;
}

/// Whether the value of `group.key` has no published source.
constexpr bool is_assumed(const Device& d, std::string_view group, std::string_view key) {
  int const number = field_number(group, key);
  return number >= 0 && d.assumed.contains(number);
}

/// How many values of this device that a timing model looks at have no published source.
constexpr int assumption_count(const Device& d, std::string_view model) {
  detail::AssumedCounter counter(d.assumed, model);
  each_field(d, counter);
  return counter.count;
}

}  // namespace tcp
