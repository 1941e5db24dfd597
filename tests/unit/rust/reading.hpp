// What the tests of tcp::rust share: a text read as a crate, and what is said of it.
#pragma once

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/rust/crate.hpp"

namespace tcp::rust {

/// What most kernels of these tests begin with.
inline const std::string opening = R"(use vendor_std::prelude::*;
axes![A = 2048, B = 8];
type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];
type Dm = DmTensor<i32, Chip, Cluster, Slice, m![A % 8]>;
)";

/// The body of a kernel that takes x and gives back a tensor of the same type.
inline std::string kernel(const std::string& body) {
  return opening + "#[device(chip = 1)]\nfn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {\n" +
         body + "\n}\n";
}

/// One pass over `dm` that adds a number.
inline std::string adding(const std::string& number) {
  return "ctx.main.begin(dm.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().vector_init()"
         ".vector_intra_slice_tag(TagMode::Zero).vector_fxp(FxpBinaryOp::AddFxp, " +
         number + ").vector_final().commit()";
}

inline std::string place(const Where& at) { return std::to_string(at.line) + ":" + std::to_string(at.column); }

/// Every error of every kernel, as `line:column code`.
inline std::vector<std::string> errors_of(const std::string& text, Edition edition = {}) {
  Crate const crate = Crate::of_text("test.rs", text, edition);
  std::vector<std::string> all;
  auto const add = [&all](const std::vector<SourceError>& errors) {
    for (const SourceError& e : errors) all.push_back(place(e.refusal.at) + " " + e.refusal.code);
  };
  add(crate.errors());
  for (const Kernel& k : crate.kernels())
    if (!k.generic) add(crate.read(k, rngd).errors);
  return all;
}

/// The kernel's commands in text form; its first error if it is refused.
inline std::string text_of(const std::string& text, const LaunchScalars& scalars = {}) {
  Crate const crate = Crate::of_text("test.rs", text);
  if (!crate.errors().empty()) return "error: " + std::string(crate.errors()[0].refusal.headline.view());
  if (crate.kernels().empty()) return "no kernel";
  KernelReading const reading = crate.read(crate.kernels()[0], rngd, scalars);
  if (!reading.module) return "error: " + std::string(reading.errors.at(0).refusal.headline.view());
  auto const verified = ir::verify(*reading.module, rngd);
  if (!verified) return "error: " + std::string(verified.refusal().headline.view());
  return ir::print(*reading.module);
}

}  // namespace tcp::rust
