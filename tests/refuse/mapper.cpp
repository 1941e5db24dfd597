// Kernels made of formulas: what the mapper makes, and mappings that do not fit.
#include "tcp/device/chips.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/mapper/search.hpp"

#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

namespace {

Expected<mapper::Product> product(const char* text) {
  auto const f = formula::parse(text);
  if (!f) return f.refusal();
  return mapper::product_of(*f);
}
constexpr const char* small = "C[m,n] = sum[k] A[m,k] * B[n,k] where m = 8, n = 128, k = 64";

}  // namespace

// # mapper-formula
// The mapper makes kernels of one product of two tensors, or of one convolution whose channels stand last in image, filters and result, with steps after the sum. The product
// may have an axis that both operands and the result share (batches). A formula with several statements or sums, with other windows or with more axes has no mapping yet: the kernel library has kernels for attention, batches and rows.
// run time only: a formula is text
namespace mapper_formula {
constexpr const char* before = R"(
y[m] = max[k] x[m, k] where m = 4, k = 4
)";
constexpr const char* after = R"(
C[m, n] = sum[k] A[m, k] * B[n, k] where m = 4, n = 4, k = 4
)";
// error[mapper-formula]: the maximum is over 1 axis, of x[m, k]; help: write the product as a formula of its own, and use the kernel library for the rest
REFUSED_AT_RUN_TIME { return product(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(product(after)); }
// error[mapper-formula]: A[b, c, m, k] * B[b, c, n, k] has two axes of batches, b and c; help: write the product as a formula of its own, and use the kernel library for the rest
REFUSED_AT_RUN_TIME { return product("C[b,c,m,n] = sum[k] A[b,c,m,k] * B[b,c,n,k] where b = 2, c = 2, m = 4, n = 4, k = 4").refusal(); }
}  // namespace mapper_formula

// # mapper-maximum
// `max[k] A[m, k] * B[n, k]` takes the greatest of the products. Packets of 64 bytes must be full, since zeros would take part in the maximum; and a slice finds the maxima of one row, which is
// in its TRF as a whole.
// run time only: a formula is text
namespace mapper_maximum {
constexpr const char* before = R"(
C[m, n] = max[k] A[m, k] * B[n, k] where m = 4, n = 4, k = 40
)";
constexpr const char* after = R"(
C[m, n] = max[k] A[m, k] * B[n, k] where m = 4, n = 4, k = 64
)";
// error[mapper-maximum]: a maximum over 40 products of bf16; help: take a multiple of 32: repeat a pair, which changes no maximum
REFUSED_AT_RUN_TIME { return product(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(product(after)); }
// error[mapper-maximum]: maxima of 10000 rows over 64 products; help: cut the formula into several, with at most 8192 rows and 16384 products each
REFUSED_AT_RUN_TIME { return product("C[m,n] = max[k] A[m,k] * B[n,k] where m = 10000, n = 4, k = 64").refusal(); }
}  // namespace mapper_maximum

// # mapper-operand-order
// A Row of the Contraction Engine multiplies neighbours along the summed axis. An operand whose rows go along another axis would have to be transposed on the way, element by element.
//
// Store it with the summed axis last, or write `{any}` after it if the mapper may choose how it is stored.
// run time only: a formula is text
namespace mapper_operand_order {
constexpr const char* before = R"(
C[m, n] = sum[k] A[m, k] * B[k, n] where m = 4, n = 4, k = 4
)";
constexpr const char* after = R"(
C[m, n] = sum[k] A[m, k] * B[k, n]{any} where m = 4, n = 4, k = 4
)";
// error[mapper-operand-order]: B[k, n] is stored with k outside; help: store it with k last, or let the mapper choose: {any}
REFUSED_AT_RUN_TIME { return product(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(product(after)); }
// error[mapper-operand-order]: C is stored with b inside; help: store it with b outside of n
REFUSED_AT_RUN_TIME { return product("C[m,n,b] = sum[k] A[b,m,k] * B[b,n,k] where b = 4, m = 4, n = 4, k = 4").refusal(); }
}  // namespace mapper_operand_order

// # mapper-operand-type
// Both operands of a product have one type that the Contraction Engine multiplies: bf16, f8 or i8.
// run time only: a formula is text
namespace mapper_operand_type {
constexpr const char* before = R"(
C[m, n] = sum[k] A: bf16[m, k] * B: f8e4m3[n, k] where m = 4, n = 4, k = 4
)";
constexpr const char* after = R"(
C[m, n] = sum[k] A: f8e4m3[m, k] * B: f8e4m3[n, k] where m = 4, n = 4, k = 4
)";
// error[mapper-operand-type]: a product of bf16 and f8e4m3 with a result of bf16; help: write types on which both agree: A: bf16[m, k] * B[n, k]
REFUSED_AT_RUN_TIME { return product(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(product(after)); }
}  // namespace mapper_operand_type

// # mapper-epilogue
// What follows a sum is a chain of steps: each takes what the one before made, and perhaps a number, or a bf16 tensor with one number for each row or each column, on its right.
// run time only: a formula is text
namespace mapper_epilogue {
constexpr const char* before = R"(
C[m, n] = 1 - (sum[k] A[m, k] * B[n, k]) where m = 4, n = 4, k = 4
)";
constexpr const char* after = R"(
C[m, n] = (sum[k] A[m, k] * B[n, k]) * -1 + 1 where m = 4, n = 4, k = 4
)";
// error[mapper-epilogue]: the sum meets 1 from the right of a difference or quotient; help: make it in a formula of its own
REFUSED_AT_RUN_TIME { return product(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(product(after)); }
// error[mapper-epilogue]: v is f32; help: write v: bf16
REFUSED_AT_RUN_TIME { return product("C[m,n] = sum[k] A[m,k] * B[n,k] + v: f32[n] where m = 4, n = 4, k = 4").refusal(); }
// error[mapper-epilogue]: after the sum comes relu, in whole numbers; help: make it in a formula of its own, or leave it to a kernel of kernels/rowwise
REFUSED_AT_RUN_TIME { return product("C[m,n] = relu(sum[k] A: i8[m,k] * B: i8[n,k]) where m = 4, n = 4, k = 4").refusal(); }
// error[mapper-epilogue]: the sum is in fma(...); help: write a product and a sum, or make it in a formula of its own
REFUSED_AT_RUN_TIME { return product("C[m,n] = fma(sum[k] A[m,k] * B[n,k], 2, 1) where m = 4, n = 4, k = 4").refusal(); }
// error[mapper-epilogue]: v has a number for each b; help: multiply or add it in a formula of its own
REFUSED_AT_RUN_TIME { return product("C[b,m,n] = sum[k] A[b,m,k] * B[b,n,k] + v[b] where b = 4, m = 4, n = 4, k = 4").refusal(); }
}  // namespace mapper_epilogue

// # mapper-size
// Axes of a product have at most 131,072 steps, so that a program can be checked and scheduled in seconds.
// run time only: a formula is text
namespace mapper_size {
constexpr const char* before = R"(
C[m, n] = sum[k] A[m, k] * B[n, k] where m = 200000, n = 4, k = 4
)";
constexpr const char* after = R"(
C[m, n] = sum[k] A[m, k] * B[n, k] where m = 100000, n = 4, k = 4
)";
// error[mapper-size]: the product is 200000 x 4 x 4; help: cut the product into several
REFUSED_AT_RUN_TIME { return product(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(product(after)); }
// error[mapper-size]: 5000 batches; help: cut the batches into several kernels
REFUSED_AT_RUN_TIME { return product("C[b,m,n] = sum[k] A[b,m,k] * B[b,n,k] where b = 5000, m = 4, n = 4, k = 4").refusal(); }
}  // namespace mapper_size

// # mapper-text
// A mapping is text: the formula with its sizes in the first line, and a decision on each line after it. `tcp map --save FILE` writes one. A pin has some of the lines only.
// run time only: a mapping is text
// no kernel: mappings of the mapper are texts of their own
namespace mapper_text {
// error[mapper-text]: 'keep: C': this value is not known; help: write 'A' or 'B'
REFUSED_AT_RUN_TIME { return mapper::read_pin("keep: C", *product(small)).refusal(); }
// error[mapper-text]: 'kept: A': no decision is called 'kept'; help: the decisions are keep, clusters, row, channels, fill, parts, loops, loads, first, ahead, stored and band; of a convolution also pixels and image, and of batches also batches
REFUSED_AT_RUN_TIME { return mapper::read_pin("kept: A", *product(small)).refusal(); }
// error[mapper-text]: 'clusters': a mapping has this decision, and it is not there; help: write all decisions; some of them alone are a pin: tcp map --pin
REFUSED_AT_RUN_TIME {
  return mapper::read_mapping("C[m,n] = sum[k] A[m,k] * B[n,k] where m = 8, n = 128, k = 64\nkeep: A", rngd).refusal();
}
}  // namespace mapper_text

// # mapper-illegal
// A decision of a mapping does not fit the product or the chip: parts that do not make up the axis, more than a register file holds, less than a unit of HBM per write.
// run time only: a mapping is text
namespace mapper_illegal {
constexpr const char* before = R"(C[m, n] = sum[k] A[m, k] * B[n, k] where m = 8, n = 128, k = 64
keep: A
clusters: one
row: 8
channels: 2
fill: main
parts: 60
loops: parts, tiles
loads: A by part, B by part
first: A
ahead: 1
stored: rows
band: m 8, ring 1, groups 1, reuse 1, tiles 128
)";
constexpr const char* after = R"(C[m, n] = sum[k] A[m, k] * B[n, k] where m = 8, n = 128, k = 64
keep: A
clusters: one
row: 8
channels: 2
fill: main
parts: 64
loops: parts, tiles
loads: A by part, B by part
first: A
ahead: 1
stored: rows
band: m 8, ring 1, groups 1, reuse 1, tiles 128
)";
// error[mapper-illegal]: the parts have 60 steps, and the summed axis has 64; help: change that decision, or leave it to the search: tcp map
REFUSED_AT_RUN_TIME { return mapper::read_mapping(before, rngd).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(mapper::read_mapping(after, rngd)); }
}  // namespace mapper_illegal

// # mapper-nothing-fits
// The decisions that were pinned leave no mapping: for instance a ring that has more slices than there are rows.
// run time only: a pin is text
// no kernel: it is the mapper that makes kernels
namespace mapper_nothing_fits {
// error[mapper-nothing-fits]: no mapping of the product has all the decisions that are pinned; help: pin fewer decisions
REFUSED_AT_RUN_TIME {
  mapper::SearchOptions options;
  options.pin = *mapper::read_pin("keep: A; ring: 256; reuse: 4", *product(small));
  return mapper::search(rngd, *product(small), options).refusal();
}
}  // namespace mapper_nothing_fits
