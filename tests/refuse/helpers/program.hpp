// A small sound program that the files of this folder break, each in one way.
#pragma once

#include "../module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/verify.hpp"

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

}  // namespace tcp_refuse
