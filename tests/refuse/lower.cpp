// Lowering: sound programs that no setting of the engines can carry out.
#include "tcp/lower/lower.hpp"
#include "../module_builder.hpp"
#include "helpers/vector_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;

// # lower-count-too-long
// Which lanes of a flit hold data is held against every time step before the registers of the Valid Count Generator are believed. A stream of so many steps would
// keep the compiler busy; none fits into the memory of a slice.
// run time only: counts are checked by the compiler
namespace lower_count_too_long {
// error[lower-count-too-long]: Time m![A, R] has 8388608 steps; counts are made for at most 4194304; help: reduce or filter in several passes
REFUSED_AT_RUN_TIME {
  return tcp_refuse::refusal_of_pass("A = 4096, R = 2048, B = 4", "1", "A, R", "B # 8",
                                     [](build::ModuleBuilder& b, build::ModuleBuilder::PassBuilder& pass) {
                                       auto const out = b.dm("out", ScalarType::i32, "1", "A, B", 1 << 30);
                                       ir::VectorOperation trim, pad;
                                       trim.step = step_of(VectorMethod::trim_way4);
                                       pad.step = step_of(VectorMethod::pad_way8);
                                       pass.stage(ir::Branch{BranchMode::Unconditional, ir::none}).packet("B").stage(trim);
                                       pass.time("A").stage(ir::IntraSliceReduce{Name("R"), ReduceOp::AddSat}).packet("B # 8").stage(pad);
                                       pass.stage(ir::VectorFinal{}).into(ir::Commit{out, {}, false});
                                     });
}
}  // namespace lower_count_too_long

// # lower-lanes-not-counted
// A filter drops what is padding, and knows it by the valid count of each flit: a number of first lanes. Here lanes 0 and 4 hold data, the lanes between them
// none.
// run time only: registers are chosen by the compiler
namespace lower_lanes_not_counted {
// error[lower-lanes-not-counted]: with Time m![B], Packet m![A, 1 # 4], which lanes hold data is not told by any count of first lanes; help: keep the data of a packet together, padding behind it
REFUSED_AT_RUN_TIME {
  return tcp_refuse::refusal_of_pass("A = 2, B = 8, K = 64", "1", "B", "A, 1 # 4",
                                     [](build::ModuleBuilder& b, build::ModuleBuilder::PassBuilder& pass) {
                                       auto const out = b.dm("out", ScalarType::i32, "1", "K", 4096);
                                       pass.stage(ir::Branch{BranchMode::comparing(InputCmp::Less(0)), ir::none});
                                       pass.time("K / 8").packet("K % 8").stage(ir::Filter{OperandGuard::bit(0), ir::none});
                                       pass.stage(ir::VectorFinal{}).into(ir::Commit{out, {}, false});
                                     });
}
}  // namespace lower_lanes_not_counted

// # lower-toggle-by-slice
// `BranchMode::AxisToggle` makes bit 3 of the execution id from counters of the time step and the lane, which are the same in all slices. An axis whose odd
// and even steps lie in different slices cannot be told by them.
// run time only: registers are chosen by the compiler
namespace lower_toggle_by_slice {
// error[lower-toggle-by-slice]: BranchMode::AxisToggle by A, whose odd and even steps lie apart in Slice m![A % 2]; help: keep A % 2 in Time or Packet
REFUSED_AT_RUN_TIME {
  return tcp_refuse::refusal_of_pass(
      "A = 64, B = 8", "A % 2", "A / 2", "B", [](build::ModuleBuilder& b, build::ModuleBuilder::PassBuilder& pass) {
        auto const out = b.dm("out", ScalarType::i32, "A % 2", "A / 2, B", 4096);
        pass.stage(ir::Branch{BranchMode::toggle(Name("A")), ir::none}).stage(ir::VectorFinal{}).into(ir::Commit{out, {}, false});
      });
}
}  // namespace lower_toggle_by_slice

// # lower-transfer-beyond-memory
// The second slice gets 7 of 15 elements, in a row of 8 bytes: the packet reads one byte more than the source has. Here there is no such byte, for the source lies
// at the very end of a slice.
// run time only: descriptors are made by the compiler
namespace lower_transfer_beyond_memory {
// error[lower-transfer-beyond-memory]: this transfer reads up to byte 524289 of DM, which has 524288; help: place the source a row of DM further down, or pad it
REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 15");
  auto const in = b.dm("in", ScalarType::i8, "1 # 256", "A", 512 * 1024 - 15);
  b.module.tensors[static_cast<std::size_t>(in)].role = ir::Role::from_addr;
  b.move(in, b.dm("out", ScalarType::i8, "A # 16 / 8 # 256", "A # 16 % 8", 0));
  return lower::lower(b.module, rngd).refusal();
}
}  // namespace lower_transfer_beyond_memory

// # lower-transfer-no-such-unit
// A logical device does not count its slices, so that the book's bare listings run. A program is for a chip, which has as many as it has.
// run time only: descriptors are made by the compiler
namespace lower_transfer_no_such_unit {
// error[lower-transfer-no-such-unit]: this transfer reaches slice 511; there are 256; help: use no more positions than logical has units
REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 512, B = 8");
  b.cluster = "1";
  b.move(b.hbm("in", ScalarType::i8, "A, B", 0, ir::Role::argument), b.dm("out", ScalarType::i8, "A", "B", 0));
  return lower::lower(b.module, logical).refusal();
}
}  // namespace lower_transfer_no_such_unit

// # lower-transfer-partial-row
// Of 15 elements of a row the second slice gets 7, and DM is written in rows of 8 bytes. In a tensor of its own the eighth byte is padding and may be written; a
// gather does not look behind a view.
// run time only: descriptors are made by the compiler
namespace lower_transfer_partial_row {
// error[lower-transfer-partial-row]: a part of this transfer writes packets of 7 bytes; DM takes multiples of 8 bytes: HBM Element m![V, A # 16] to DM Cluster m![1 # 2] Slice m![A # 16 / 8 # 256] Element m![T, A = 8]; help: move into a tensor of its own that is padded to whole rows, and not into a view
REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("V = 4, T = 2, A = 15");
  auto const table = b.hbm("table", ScalarType::i8, "V, A # 16", 0, ir::Role::argument);
  auto const index = b.hbm("index", ScalarType::i32, "T", 4096, ir::Role::argument);
  auto const whole = b.dm("whole", ScalarType::i8, "A # 16 / 8 # 256", "T, A # 16 % 8", 0);
  ir::Tensor seen = b.module.tensor(whole);
  seen.name = "seen";
  seen.address.reset();
  seen.view = ir::ViewOf{whole, ir::ViewOf::Kind::whole, 0, 0, 0};
  b.module.tensors.push_back(seen);
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::gather;
  t.source = table;
  t.destination = whole + 1;
  t.rows = index;
  t.row_axis = Name("V");
  b.module.commands.push_back({t, {}, ir::none});
  return lower::lower(b.module, rngd).refusal();
}
}  // namespace lower_transfer_partial_row

// # lower-transfer-splits-byte
// Two 4-bit elements share a byte, and DMA moves bytes. On a chip the rules refuse such a layout; a logical device lets it pass, so that the interpreters run it.
// run time only: descriptors are made by the compiler
namespace lower_transfer_splits_byte {
// error[lower-transfer-splits-byte]: elements of 4 bits would be moved of which others share a byte: HBM Element m![A, B] to HBM Element m![B, A]; help: keep pairs of elements together on both sides, or pad axes of odd size
REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 4, B = 4");
  b.move(b.hbm("in", ScalarType::i4, "A, B", 0, ir::Role::argument), b.hbm("out", ScalarType::i4, "B, A", 64, ir::Role::result));
  return lower::lower(b.module, logical).refusal();
}
}  // namespace lower_transfer_splits_byte

// # lower-transfer-too-fragmented
// Fifteen axes in the opposite order are fifteen loops over single bytes. An engine has eight; the others would be 16,384 descriptors, each with its start-up.
// run time only: descriptors are made by the compiler
namespace lower_transfer_too_fragmented {
// error[lower-transfer-too-fragmented]: this transfer falls into more than 4096 descriptors: HBM Element m![A, B, C, D, E, F, G, H, I, J, K, L, M, N, O] to HBM Element m![O, N, M, L, K, J, I, H, G, F, E, D, C, B, A]; help: move in two steps, each of which keeps larger blocks together
REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 4, B = 4, C = 4, D = 4, E = 4, F = 4, G = 4, H = 4, I = 4, J = 4, K = 4, L = 4, M = 4, N = 4, O = 4");
  auto const in = b.hbm("in", ScalarType::i8, "A, B, C, D, E, F, G, H, I, J, K, L, M, N, O", 0, ir::Role::argument);
  b.move(in, b.hbm("out", ScalarType::i8, "O, N, M, L, K, J, I, H, G, F, E, D, C, B, A", std::int64_t{1} << 30, ir::Role::result));
  return lower::lower(b.module, rngd).refusal();
}
}  // namespace lower_transfer_too_fragmented

// # lower-valid-count-shared
// The Valid Count Generator counts once, where flits enter a block. Here the inter-slice reduce must leave out the end of R before the intra-slice block, and the
// reduce inside it the end of B, behind an operation that identity values would not survive.
// run time only: registers are chosen by the compiler
namespace lower_valid_count_shared {
// error[lower-valid-count-shared]: the padding of Time m![R = 4, B # 8], Packet m![A # 8] and what the pass's other stages must leave out cannot be told by one setting of counts; help: reduce or filter in two passes, or choose placements that end at the same steps
REFUSED_AT_RUN_TIME {
  return tcp_refuse::refusal_of_pass(
      "R = 13, A = 4, B = 5", "R # 16 / 4", "R # 16 % 4, B # 8", "A # 8",
      [](build::ModuleBuilder& b, build::ModuleBuilder::PassBuilder& pass) {
        ir::VectorOperation add{step_of(FxpBinaryOp::AddFxp), {}}, trim{step_of(VectorMethod::trim_way4), {}},
            pad{step_of(VectorMethod::pad_way8), {}};
        add.operands.push_back({{OperandKind::immediate, ScalarType::i32, OperandGuard::always(), true, 1}, ir::none});
        auto const out = b.dm("out", ScalarType::i32, "1 # 4", "R # 16 % 4, A # 8", 4096);
        pass.slice("1 # 4").stage(ir::InterSliceReduce{ReduceOp::AddSat}).stage(ir::Branch{}).stage(add);
        pass.packet("A").stage(trim).time("R # 16 % 4").stage(ir::IntraSliceReduce{Name("B"), ReduceOp::AddSat});
        pass.packet("A # 8").stage(pad).stage(ir::VectorFinal{}).into(ir::Commit{out, {}, false});
      });
}
}  // namespace lower_valid_count_shared

// # lower-zero-lanes-by-slice
// At zero padding of one operand a product is +0.0, whatever the other operand holds there. The Reducer forces that by lanes and time steps, alike in all slices.
// Here A ends inside the last slice only, and the weights behind its end are not known to be zero.
// run time only: lanes are masked by the compiler
namespace lower_zero_lanes_by_slice {
// error[lower-zero-lanes-by-slice]: axis A ends inside of Time m![M], Packet m![A = 32] in some positions of Slice m![A #z 128 / 32] only, and only one of the operands is zero there; help: give both operands zero padding along A in DM, or split A so that every slice has the same number of elements
REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 120, M = 4");
  b.cluster = "1";
  auto const weights = b.dm("weights", ScalarType::bf16, "A # 128 / 32", "A # 128 % 32", 0);
  auto const x = b.dm("x", ScalarType::bf16, "A #z 128 / 32", "M, A #z 128 % 32", 1024);
  auto const trf = b.trf("trf", ScalarType::bf16, "A # 128 / 32", "1", "A # 128 % 32");
  auto const y = b.dm("y", ScalarType::f32, "A #z 128 / 32", "M, 1 # 8", 2048);
  b.sub(weights).time("A # 128 % 32 / 16").packet("A # 128 % 16").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToTrf{trf});
  auto pass = b.main(x);
  pass.time("M, A #z 128 % 32 / 16").packet("A #z 128 % 16").stage(ir::Fetch{}).stage(ir::Collect{});
  pass.time("M").packet("A #z 128 % 32").stage(ir::Align{trf});
  pass.type(ScalarType::f32).packet("1").stage(ir::Contract{});
  pass.packet("1 # 8").stage(ir::Accumulate{AccumulationKind::Interleaved});
  pass.into(ir::Commit{y, {}, false});
  return lower::lower(b.module, logical).refusal();
}
}  // namespace lower_zero_lanes_by_slice
