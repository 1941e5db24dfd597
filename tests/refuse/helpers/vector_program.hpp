// A pass through the vector engine that the files of this folder write stage by stage.
#pragma once

#include "../module_builder.hpp"
#include "lower_module.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp_refuse {

/// From DM to DM: `stages` adds what lies between vector_init and vector_final.
template <class Stages>
tcp::Refusal refusal_of_pass(const char* axes, const char* slice, const char* time, const char* packet, Stages stages) {
  using namespace tcp;
  build::ModuleBuilder b(axes);
  b.cluster = "1";
  auto const in = b.dm("in", ScalarType::i32, slice, std::string(time) + ", " + packet, 0);
  b.module.tensors[0].role = ir::Role::from_addr;
  auto pass = b.main(in);
  pass.time(time).packet(packet).stage(ir::Fetch{}).stage(ir::Collect{}).stage(ir::VectorInit{});
  stages(b, pass);
  return build::lower_module(b.module, logical).refusal();
}

}  // namespace tcp_refuse
