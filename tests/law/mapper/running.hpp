// Runs the kernel of a mapping on random numbers, and compares with what the formula is worth.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/mapper/search.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/numeric_model.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/render.hpp"

namespace tcp::mapper_tests {

inline mapper::Product product(const std::string& text) {
  auto const f = formula::parse(text);
  if (!f) throw Refused(f.refusal());
  return value_or_throw(mapper::product_of(*f));
}

/// An array of random numbers for each input: of a few bits, so that sums differ only where their order matters.
inline std::vector<formula::Elements> random_inputs(const mapper::ProductKernel& kernel, Random& random) {
  std::vector<formula::Elements> all;
  for (int t : kernel.inputs()) {
    const mapper::Product& p = kernel.mapping().product;
    formula::Elements e{p.tensor(t).type, p.formula.extents(t), {}};
    std::int64_t count = 1;
    for (std::int64_t n : e.extent) count *= n;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t const n = random.between(-99, 99);
      e.bits.push_back(is_integer(e.type) ? static_cast<std::uint32_t>(n) & 0xffu
                                          : scalar_cast_bits(ScalarType::f32, e.type, f32::from_float(static_cast<float>(n) / 37).bits,
                                                             NumericModel::rngd));
    }
    all.push_back(std::move(e));
  }
  return all;
}

template <class D>
std::vector<std::uint32_t> download(Context& ctx, const dyn::Tensor& from, const Mapping& plain) {
  auto host = from.to_host(ctx.pdma, plain);
  std::vector<std::uint32_t> bits;
  for (std::size_t i = 0; i < host.size(); ++i) bits.push_back(static_cast<std::uint32_t>(host.data<D>()[i].bits));
  return bits;
}

inline std::vector<std::uint32_t> run(BackendKind backend, const mapper::ProductKernel& kernel,
                                      const std::vector<formula::Elements>& inputs) {
  ContextOptions options;
  options.backend = backend;
  Context ctx = Context::acquire(options);
  std::vector<dyn::Tensor> given;
  std::vector<int> const numbers = kernel.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    given.push_back(kernel.host_of(numbers[i], inputs[i]).to_hbm(ctx.pdma, dyn::one, kernel.layout_of(numbers[i])));
  dyn::Tensor const made = launch(kernel, ctx, given).get();
  Mapping const plain = kernel.plain_result();
  switch (kernel.mapping().product.result) {
    case ScalarType::bf16: return download<bf16>(ctx, made, plain);
    case ScalarType::f32: return download<f32>(ctx, made, plain);
    default: return download<i32>(ctx, made, plain);
  }
}

/// Law: the kernel's result has the bits of its formula, in the kernel's order of sums, on every executor.
inline void expect_right(const mapper::KernelMapping& mapping, std::initializer_list<BackendKind> backends, std::uint64_t seed) {
  SCOPED_TRACE(mapper::print(mapping));
  try {
    auto const kernel = value_or_throw(mapper::make_kernel(rngd, mapping));
    Random random(seed);
    std::vector<formula::Elements> const inputs = random_inputs(kernel, random);
    formula::Elements const wanted = value_or_throw(formula::evaluate(mapping.product.formula, inputs, kernel.order()));
    for (BackendKind backend : backends) EXPECT_EQ(run(backend, kernel, inputs), wanted.bits) << name_of(backend);
  } catch (const Refused& refused) {
    ADD_FAILURE() << refused.what();
  }
}

}  // namespace tcp::mapper_tests
