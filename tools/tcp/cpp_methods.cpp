// The table. A method of dsl/methods.def that is missing here stops the build.
#include "cpp_methods.hpp"

namespace tcp::tool {
namespace {

constexpr CppMethod cpp_methods[] = {
    {"begin", "", "Starts a pass: the elements of this view go through the engines."},
    {"begin_interleaved", "-", "Starts a pass over two tensors in turn, told apart by an axis of two."},
    {"to_dm", "Cluster Slice Element", "DMA into DM, the memory of the slices."},
    {"to_hbm", "Element Chip", "DMA into HBM, the memory of the chip."},
    {"to_spm", "Cluster Pe Element", "DMA into the scratchpads of the PEs."},
    {"to_host", "Element", "Copies the tensor to the host, over PCIe."},
    {"view", "", "The tensor, to be read."},
    {"view_mut", "", "The tensor, to be written."},
    {"fetch_slice_lift", "Slice", "Lets copies in Slice read parts of their own."},
    {"fetch_cluster_lift", "Cluster", "Lets copies in Cluster read parts of their own."},
    {"fetch_chip_lift", "Chip", "Lets copies in Chip read parts of their own."},
    {"fetch", "Type Time Packet", "Fetch Engine: reads DM as a stream of packets, one per step of Time."},
    {"fetch_with_table", "Type Time Packet", "Fetch Engine: reads indices, and sends the entries of a table."},
    {"fetch_with_zero_point", "Type Time Packet", "Fetch Engine: subtracts a zero point while it reads."},
    {"fetch_with_zero_points", "Type Time Packet", "Fetch Engine: subtracts a zero point of each of two tensors."},
    {"switch_to", "- Slice Time", "Switch Engine: sends packets from slice to slice."},
    {"collect", "Time Packet", "Collect Engine: makes flits of 32 bytes."},
    {"align", "Time Packet", "Aligner: pairs the stream with the weights in TRF."},
    {"contract", "Packet", "Contraction Engine: multiplies, and adds up within a packet."},
    {"contract_max", "Packet", "Contraction Engine: multiplies, and keeps the greatest product."},
    {"accumulate", "Time Packet", "Reducer: adds up over time, and puts the rows into the packet."},
    {"vector_init", "", "Enters the Vector Engine."},
    {"vector_intra_slice_branch", "", "Vector Engine: gives each element the execution id that operations choose by."},
    {"vector_branch_log", "Element", "Vector Engine: writes the execution ids to VRF."},
    {"vector_intra_slice_unzip", "- - Time", "Vector Engine: takes two interleaved tensors as two groups."},
    {"vector_logic", "", "Vector Engine: bits and shifts."},
    {"vector_logic_with_mode", "", "Vector Engine: bits and shifts, in a mode."},
    {"vector_logic_zip", "", "Vector Engine: bits and shifts of two groups."},
    {"vector_logic_zip_with_mode", "", "Vector Engine: bits and shifts of two groups, in a mode."},
    {"vector_fxp", "", "Vector Engine: integer and fixed-point arithmetic."},
    {"vector_fxp_with_mode", "", "Vector Engine: integer and fixed-point arithmetic, in a mode."},
    {"vector_fxp_zip", "", "Vector Engine: integer arithmetic of two groups."},
    {"vector_fxp_zip_with_mode", "", "Vector Engine: integer arithmetic of two groups, in a mode."},
    {"vector_fxp_to_fp", "", "Vector Engine: fixed point to f32."},
    {"vector_split", "Time Packet", "Vector Engine: eight lanes become two steps of four, for floating point."},
    {"vector_trim_way4", "Packet", "Vector Engine: keeps four of eight lanes, for floating point."},
    {"vector_fp_unary", "", "Vector Engine: a function of one f32."},
    {"vector_fp_unary_with_mode", "", "Vector Engine: a function of one f32, in a mode."},
    {"vector_fp_binary", "", "Vector Engine: floating-point arithmetic."},
    {"vector_fp_binary_with_mode", "", "Vector Engine: floating-point arithmetic, in a mode."},
    {"vector_fp_zip", "", "Vector Engine: floating-point arithmetic of two groups."},
    {"vector_fp_zip_with_mode", "", "Vector Engine: floating-point arithmetic of two groups, in a mode."},
    {"vector_fp_ternary", "", "Vector Engine: an operation of three f32, such as a fused multiply-add."},
    {"vector_fp_ternary_with_mode", "", "Vector Engine: an operation of three f32, in a mode."},
    {"vector_intra_slice_reduce", "- Time Packet", "Vector Engine: folds an axis within each slice."},
    {"vector_fp_div", "", "Vector Engine: divides f32."},
    {"vector_fp_div_with_mode", "", "Vector Engine: divides f32, in a mode."},
    {"vector_concat", "Time Packet", "Vector Engine: two steps of four lanes become one of eight again."},
    {"vector_pad_way8", "Packet", "Vector Engine: four lanes become eight again, with padding."},
    {"vector_fp_to_fxp", "", "Vector Engine: f32 to fixed point."},
    {"vector_reinterpret", "Type", "Vector Engine: takes the bits for another type; costs nothing."},
    {"vector_clip", "", "Vector Engine: minimum, maximum, clamping."},
    {"vector_clip_with_mode", "", "Vector Engine: minimum, maximum, clamping, in a mode."},
    {"vector_clip_zip", "", "Vector Engine: minimum or maximum of two groups."},
    {"vector_clip_zip_with_mode", "", "Vector Engine: minimum or maximum of two groups, in a mode."},
    {"vector_stash", "", "Vector Engine: keeps the stream as it is now, for a later operation."},
    {"vector_write_operand", "", "Vector Engine: writes the stream to VRF, for later time steps."},
    {"vector_filter", "Time Packet", "Vector Engine: drops the elements of other execution ids and closes up."},
    {"vector_inter_slice_reduce", "Slice Time", "Vector Engine: folds over slices."},
    {"vector_final", "", "Leaves the Vector Engine."},
    {"cast", "Type Packet", "Cast Engine: a narrower type."},
    {"transpose", "Time Packet", "Transpose Engine: exchanges axes of Time and Packet."},
    {"commit_cast", "Type", "Commit Engine: casts on the way into DM."},
    {"commit_cast_relu", "Type", "Commit Engine: makes 0 of what is negative, then casts."},
    {"commit", "Element", "Commit Engine: writes the stream to DM."},
    {"commit_view", "", "Commit Engine: writes the stream into a tensor that exists."},
    {"to_trf", "Row Element", "Stores the stream in TRF, as the weights of a contraction."},
    {"to_vrf", "Element", "Stores the stream in VRF, as an operand of the Vector Engine."},
};

constexpr const CppMethod* found_in_table(std::string_view name) {
  for (const CppMethod& m : cpp_methods)
    if (m.name == name) return &m;
  return nullptr;
}

#define TCP_METHOD(NAME, STAGE) static_assert(found_in_table(#NAME) != nullptr, "cpp_methods.cpp has no sentence for " #NAME);
#include "tcp/dsl/methods.def"

}  // namespace

const CppMethod* cpp_method(std::string_view name) { return found_in_table(name); }

}  // namespace tcp::tool
