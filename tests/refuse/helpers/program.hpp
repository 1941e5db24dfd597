// A small sound program that the files of this folder break, each in one way, and a pass that they write stage by stage.
#pragma once

#include "../module_builder.hpp"
#include "lower_module.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp_refuse {

/// out[a] = in[a] + 1 over A = 2048: HBM, DM, one pass, DM, HBM.
struct AddOne : tcp::build::ModuleBuilder {
  tcp::ir::TensorId in, dm, sum, out;

  AddOne() : ModuleBuilder("A = 2048, B = 8") {
    using namespace tcp;
    in = hbm("in", ScalarType::i32, "A", 0, ir::Role::argument);
    dm = this->ModuleBuilder::dm("dm", ScalarType::i32, "A / 8", "A % 8", 0);
    sum = this->ModuleBuilder::dm("sum", ScalarType::i32, "A / 8", "A % 8", 4096);
    out = hbm("out", ScalarType::i32, "A", 1 << 28, ir::Role::result);
    move(in, dm);
    main(dm)
        .stage(ir::Fetch{})
        .stage(ir::Collect{})
        .stage(ir::VectorInit{})
        .stage(ir::Branch{})
        .stage(ir::VectorFinal{})
        .into(ir::Commit{sum, {}, false});
    move(sum, out);
  }

  tcp::ir::Pass& pass() { return std::get<tcp::ir::Pass>(module.commands[1].what); }
  tcp::ir::Stage& stage(std::size_t i) { return pass().stages[i]; }
  tcp::Refusal refusal() const { return tcp::ir::verify(module, tcp::rngd).refusal(); }
};

/// From DM to DM: `stages` adds what is between vector_init and vector_final.
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
