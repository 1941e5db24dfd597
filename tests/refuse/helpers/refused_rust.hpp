// What is refused of kernels in Rust: the first error of the first kernel that has one.
#pragma once

#include <deque>
#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/rust/crate.hpp"

inline tcp::Verdict checked_rust(const std::string& text, tcp::rust::Edition edition = {}) {
  static std::deque<tcp::rust::Crate> kept;  // refusals point at the names of their files
  const tcp::rust::Crate& crate = kept.emplace_back(tcp::rust::Crate::of_text("kernels.rs", text, edition));
  if (!crate.errors().empty()) return crate.errors()[0].refusal;
  for (const tcp::rust::Kernel& kernel : crate.kernels())
    if (auto const reading = crate.read(kernel, tcp::rngd); !reading.errors.empty()) return reading.errors[0].refusal;
  return tcp::accept();
}
inline tcp::Refusal refused_rust(const std::string& text, tcp::rust::Edition edition = {}) { return checked_rust(text, edition).refusal(); }

/// A kernel with this body, over x of 2048 i32, in DM as `dm`.
inline std::string rust_kernel(const std::string& body) {
  return R"(axes![A = 2048];
type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];
type Dm = DmTensor<i32, Chip, Cluster, Slice, m![A % 8]>;
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
  let dm: Dm = x.to_dm(&mut ctx.tdma);
)" + body +
         "\n}\n";
}
