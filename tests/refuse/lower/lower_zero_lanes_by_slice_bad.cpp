// At zero padding of one operand a product is +0.0, whatever the other operand holds there. The Reducer forces that by lanes and time steps, alike in all slices.
// Here A ends inside the last slice only, and the weights behind its end are not known to be zero.
//
// run time only: lanes are masked by the compiler
#include "../module_builder.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
using namespace tcp;

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
