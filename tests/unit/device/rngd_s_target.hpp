// Generated from the chip file of rngd_s by tcp_target_chip.
#pragma once

#include "tcp/device/device.hpp"

namespace tcp {

namespace detail {

constexpr Device make_target() {
  Device d;
  d.name = "rngd_s";
  d.levels.clusters_per_chip = 2;
  d.levels.slices_per_cluster = 256;
  d.levels.dmns_per_cluster = 8;
  d.levels.slices_per_dmn = 32;
  d.levels.pes_per_cluster = 4;
  d.levels.rows_per_slice = 8;
  d.clocks.core_mhz = 1000;
  d.clocks.hbm_channel_mhz = 750;
  d.clocks.hbm_command_mhz = 1500;
  d.hbm.capacity = Bytes{51539607552};
  d.hbm.stacks_per_chip = 2;
  d.hbm.channels_per_stack = 16;
  d.hbm.slices_per_channel = 3;
  d.hbm.bank_groups_per_slice = 4;
  d.hbm.banks_per_group = 4;
  d.hbm.rows_per_bank = 16384;
  d.hbm.row_bytes = Bytes{2048};
  d.hbm.alignment = Bytes{1};
  d.hbm.access_bytes = Bytes{256};
  d.hbm.command_bytes = Bytes{64};
  d.hbm.channel_bytes_per_cycle = Bytes{64};
  d.hbm.nominal_gb_per_s = 1500;
  d.hbm.queue_entries = 64;
  d.hbm.partial_write_factor = 50;
  d.hbm.row_switch = Cycles{40};
  d.hbm.ccd_other_group = HbmCycles{2};
  d.hbm.ccd_other_slice = HbmCycles{3};
  d.hbm.ccd_same_group = HbmCycles{4};
  d.dm.slice_capacity = Bytes{524288};
  d.dm.banks_per_slice = 16;
  d.dm.rows_per_bank = 4096;
  d.dm.row_bytes = Bytes{8};
  d.dm.read_alignment = Bytes{1};
  d.dm.write_alignment = Bytes{8};
  d.dm.dmn_bytes_per_cycle = Bytes{128};
  d.dm.dma_slice_stride = Bytes{4194304};
  d.dm.dma_queue_entries = 2;
  d.dm.same_bank_limit = 64;
  d.dm.response_timeout = Cycles{4096};
  d.trf.slice_capacity = Bytes{65536};
  d.trf.bank_columns = 2;
  d.trf.lines_per_bank = 128;
  d.trf.line_bytes = Bytes{32};
  d.trf.slots_per_line = 64;
  d.trf.slot_bits = 5;
  d.trf.halves = 2;
  d.trf.read_sizes = {1, 2, 4, 8, 16, 32, 64};
  d.trf.stride_bits = 32;
  d.trf.cache_lines_per_row = 8;
  d.vrf.slice_capacity = Bytes{8192};
  d.spm.dmn_capacity = Bytes{1048576};
  d.spm.dmn_bytes_per_cycle = Bytes{128};
  d.sequencer.entries = 8;
  d.sequencer.iterations = 65536;
  d.sequencer.base_packets = {1, 2, 4, 8, 16, 32};
  d.flit.bytes = Bytes{32};
  d.flit.dual_bytes = Bytes{64};
  d.fetch.main_sizes = {1, 2, 4, 8, 16, 32};
  d.fetch.sub_size = Bytes{8};
  d.fetch.sub_size_i4_to_i32 = Bytes{4};
  d.fetch.packet_multiple = Bytes{8};
  d.fetch.interleaved_tensors = 2;
  d.fetch.mask_packet_limit = Bytes{128};
  d.fetch.mask_count_limit = 255;
  d.fetch.mask_counts = 8;
  d.fetch.cast_latency = Cycles{2};
  d.fetch_casts.i4_to_i5 = true;
  d.fetch_casts.i4_to_i32 = true;
  d.fetch_casts.i8_to_i9 = true;
  d.fetch_casts.i8_to_i32 = true;
  d.fetch_casts.i16_to_i32 = true;
  d.fetch_casts.f8e4m3_to_f32 = true;
  d.fetch_casts.f8e5m2_to_f32 = true;
  d.fetch_casts.bf16_to_f32 = true;
  d.fetch_casts.f16_to_f32 = true;
  d.fetch_casts.f32_to_bf16 = true;
  d.fetch_casts.i4_to_i9 = true;
  d.fetch_casts.i16_to_i9 = true;
  d.fetch_casts.f8e4m3_to_bf16 = true;
  d.fetch_casts.f8e5m2_to_bf16 = true;
  d.contraction.mac_bytes = Bytes{64};
  d.contraction.flit_buffer = Bytes{96};
  d.contraction.row_counts = {1, 2, 4, 8};
  d.contraction.tree_depth_i4 = 7;
  d.contraction.tree_depth_i8 = 6;
  d.contraction.tree_depth_f8 = 6;
  d.contraction.tree_depth_bf16 = 5;
  d.contraction.tree_latency_i4 = Cycles{7};
  d.contraction.tree_latency_i8 = Cycles{6};
  d.contraction.tree_latency_f8 = Cycles{6};
  d.contraction.tree_latency_bf16 = Cycles{5};
  d.contraction.columns = 32;
  d.contraction.registers_per_column = 4;
  d.contraction.accumulator_slots = 1024;
  d.vector.lanes = 8;
  d.vector.narrow_lanes = 4;
  d.vector.execution_ids = 16;
  d.vector.comparisons = 4;
  d.vector.reduce_slots = 8;
  d.vector.valid_count_counters = 8;
  d.vector.valid_count_gates = 3;
  d.vector.alu_latency = Cycles{1};
  d.vector.inter_slice_latency = Cycles{1};
  d.cast.i32_to_i4 = true;
  d.cast.i32_to_i8 = true;
  d.cast.i32_to_i16 = true;
  d.cast.f32_to_f8e5m2 = true;
  d.cast.f32_to_f8e4m3 = true;
  d.cast.f32_to_f16 = true;
  d.cast.f32_to_bf16 = true;
  d.transpose.packet_elements_4bit = 16;
  d.transpose.packet_elements_8bit = 8;
  d.transpose.packet_elements_16bit = 8;
  d.transpose.packet_elements_32bit = 8;
  d.transpose.rows_4bit = 16;
  d.transpose.rows_8bit = 8;
  d.transpose.rows_16bit = 4;
  d.transpose.rows_32bit = 2;
  d.transpose.columns_4bit = {16, 32};
  d.transpose.columns_8bit = {8, 16, 32};
  d.transpose.columns_16bit = {8, 16, 32};
  d.transpose.columns_32bit = {8, 16, 32};
  d.transpose.buffer_columns = 16;
  d.transpose.buffers = 2;
  d.commit.packet_sizes = {8, 16, 24, 32};
  d.commit.main_sizes = {8, 16, 24, 32};
  d.commit.sub_size = Bytes{8};
  d.commit.stride_multiple = Bytes{8};
  d.dma.engines_per_chip = 8;
  d.dma.engine_bytes_per_cycle = Bytes{256};
  d.dma.request_bytes = Bytes{256};
  d.dma.packet_limit = Bytes{4096};
  d.dma.hbm_to_dm_alignment = Bytes{8};
  d.dma.pcie_bytes_per_cycle = Bytes{30};
  d.dma.startup = Cycles{500};
  d.checks.geometry = true;
  d.checks.dma_alignment = true;
  d.assumed = {{18446744073709551615u, 18446744073709490175u, 127u, 0u}};
  return d;
}

}  // namespace detail

inline constexpr Device target = detail::make_target();

}  // namespace tcp
