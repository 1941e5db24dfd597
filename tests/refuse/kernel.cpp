// The kernel library: sizes and types that a kernel of the library does not serve.
// no kernels: the library makes the kernels; the page shows the call
#include "helpers/asked.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/attention/decode.hpp"
#include "kernels/attention/flash.hpp"
#include "kernels/collectives/collectives.hpp"
#include "kernels/conv/conv.hpp"
#include "kernels/gather/gather.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/gemm_on_chips.hpp"
#include "kernels/moe/blocks.hpp"
#include "kernels/moe/topk.hpp"
#include "kernels/rowwise/formula/row_formula.hpp"
#include "kernels/rowwise/rope/rope.hpp"
#include "kernels/rowwise/spread/spread.hpp"
#include "kernels/tiling/tiling.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # kernel-attention-cache
// A cache is made for a number of sequences and positions, and a token needs one of them.
// run time only: sizes are values
namespace kernel_attention_cache {
// error[kernel-attention-cache]: a cache for 1 sequences of 0 positions; help: give one sequence of one position at least
REFUSED_AT_RUN_TIME { return kernels::check_attention(rngd, {.q_heads = 8, .kv_heads = 2, .head_dim = 64, .capacity = 0}).refusal(); }
}  // namespace kernel_attention_cache

// # kernel-attention-head-dim
// Columns of a head are treated by eights: the Transpose Engine takes so many of a packet. Zeros that are added to queries and keys change no score.
// run time only: sizes are values
namespace kernel_attention_head_dim {
// error[kernel-attention-head-dim]: heads of 100 numbers; help: pad the heads with zeros to 104
REFUSED_AT_RUN_TIME { return kernels::check_attention(rngd, {.q_heads = 8, .kv_heads = 2, .head_dim = 100, .capacity = 100}).refusal(); }
}  // namespace kernel_attention_head_dim

// # kernel-attention-heads
// Heads of queries share heads of keys and values in equal groups: head h reads kv head h / group. Seven heads cannot be shared out among two.
// run time only: sizes are values
namespace kernel_attention_heads {
// error[kernel-attention-heads]: 7 heads of queries for 2 heads of keys and values; help: give a multiple of 2 heads of queries
REFUSED_AT_RUN_TIME { return kernels::check_attention(rngd, {.q_heads = 7, .kv_heads = 2, .head_dim = 64, .capacity = 100}).refusal(); }
}  // namespace kernel_attention_heads

// # kernel-attention-lengths
// A decode step adds one token to each sequence of the cache; the length that it is given counts that token.
// run time only: sizes are values
namespace kernel_attention_lengths {
// error[kernel-attention-lengths]: 2 sequences, one of 101 tokens, in a cache for 2 of 1 to 100; help: give a length from 1 to 100 for each of 2 sequences
REFUSED_AT_RUN_TIME {
  return kernels::check_lengths({.q_heads = 8, .kv_heads = 2, .head_dim = 64, .capacity = 100, .sequences = 2}, {100, 101}).refusal();
}
}  // namespace kernel_attention_lengths

// # kernel-attention-many-heads
// Every head of queries has slices of its own; both the kv heads and the heads that share one are rounded up to powers of two, so that slices
// fall into equal rings.
// run time only: sizes are values
namespace kernel_attention_many_heads {
// error[kernel-attention-many-heads]: 33 heads of keys and values with 15 heads of queries each; help: attend to some heads at a time, or split them over several chips
REFUSED_AT_RUN_TIME { return kernels::check_attention(rngd, {.q_heads = 495, .kv_heads = 33, .head_dim = 64, .capacity = 100}).refusal(); }
}  // namespace kernel_attention_many_heads

// # kernel-attention-scores
// Models differ in what they do with scores: Mistral looks back at a window of the last tokens, Gemma 2 scales by a number of its own and caps scores by a hyperbolic tangent.
// Each of the three is 0, for what is usual, or a positive number.
// run time only: sizes are values
namespace kernel_attention_scores {
// error[kernel-attention-scores]: a window of -1 tokens, scores scaled by 0.000000 and capped at 0.000000; help: give 0, or a positive number
REFUSED_AT_RUN_TIME {
  return kernels::check_attention(rngd, {.q_heads = 8, .kv_heads = 8, .head_dim = 64, .capacity = 100, .window = -1}).refusal();
}
}  // namespace kernel_attention_scores

// # kernel-attention-tokens
// The keys and values of all tokens are in the cache before anyone attends to them.
// run time only: sizes are values
namespace kernel_attention_tokens {
// error[kernel-attention-tokens]: 60 tokens after 50 others, in a cache of 100 positions; help: attend from 1 to 50 tokens, or make the cache larger
REFUSED_AT_RUN_TIME { return kernels::check_tokens({.q_heads = 8, .kv_heads = 2, .head_dim = 64, .capacity = 100}, 60, 50).refusal(); }
}  // namespace kernel_attention_tokens

// # kernel-collective-chips
// A collective gives every chip a part of the same size. It is written for the numbers of chips that cards come in.
// run time only: sizes are values
namespace kernel_collective_chips {
// error[kernel-collective-chips]: a collective over 3 chips; help: take 2, 4 or 8 chips
REFUSED_AT_RUN_TIME {
  return outcome([] { kernels::AllReduce(rngd, ScalarType::bf16, 3, 64, 128); }).refusal();
}
}  // namespace kernel_collective_chips

// # kernel-collective-rotations
// The book's tables cut a matrix into as many equal parts as there are chips: each chip copies another one out of its own matrix, with one command for all of them.
// Without equal parts the exchange is one transfer (`Moves::at_once`), which moves the same bytes.
// run time only: sizes are values
namespace kernel_collective_rotations {
// error[kernel-collective-rotations]: rotations over 4 chips of m![Row, Col # 256], which has no 4 equal parts of rows; help: use Moves::at_once, or pad the matrix
REFUSED_AT_RUN_TIME {
  return outcome([] { kernels::AllReduce(rngd, ScalarType::bf16, 4, 3, 130, kernels::Moves::rotations); }).refusal();
}
}  // namespace kernel_collective_rotations

// # kernel-collective-size
// The matrix and the sum both are in the HBM of each chip.
// run time only: sizes are values
namespace kernel_collective_size {
// error[kernel-collective-size]: a collective of 0 x 128 bf16; help: take at least one row and column, and cut what is too large
REFUSED_AT_RUN_TIME {
  return outcome([] { kernels::AllReduce(rngd, ScalarType::bf16, 2, 0, 128); }).refusal();
}
}  // namespace kernel_collective_size

// # kernel-collective-type
// A sum over chips is added by the Vector Engine, in f32 or i32. bf16 widens on the way there; other types are to be converted by the author, who knows what that costs.
// run time only: sizes are values
namespace kernel_collective_type {
// error[kernel-collective-type]: a collective of i8; help: convert the matrix to bf16, f32 or i32
REFUSED_AT_RUN_TIME {
  return outcome([] { kernels::AllReduce(rngd, ScalarType::i8, 2, 64, 128); }).refusal();
}
}  // namespace kernel_collective_type

// # kernel-conv-filter
// A row of the filter is applied by shifting one packet of columns. The stream adapter holds three flits, 48 columns of bf16; a packet takes 32 of them, and what is
// left is how far the filter can reach. Strides and dilations other than 1 and 2 would leave most of a packet empty.
// run time only: sizes are values
namespace kernel_conv_filter {
// error[kernel-conv-filter]: a filter of 3 x 3 with stride 3 and dilation 1; help: use a stride and a dilation of 1 or 2
REFUSED_AT_RUN_TIME {
  return kernels::tile_conv(rngd, {.rows = 64, .columns = 64, .filter_rows = 3, .filter_columns = 3, .stride = 3}).refusal();
}
}  // namespace kernel_conv_filter

// # kernel-conv-size
// A result of a convolution is where the whole filter is within the padded image. A filter that is larger than that has no result, and neither has one without
// channels.
// run time only: sizes are values
namespace kernel_conv_size {
// error[kernel-conv-size]: 1 images of 1 x 4 x 5, padding 0, and 1 filters of 3 x 3; help: pad the image more, or use a smaller filter
REFUSED_AT_RUN_TIME {
  return kernels::tile_conv(rngd, {.rows = 4, .columns = 5, .filter_rows = 3, .filter_columns = 3, .dilation = 2, .padding = 0}).refusal();
}
}  // namespace kernel_conv_size

// # kernel-conv-weights
// All filters that look at one place of an image are applied at once, by slices that share it. There are as many filters as these slices have Rows, several times over,
// and as many weights as their memories hold.
// run time only: sizes are values
namespace kernel_conv_weights {
// error[kernel-conv-weights]: 64 filters of 4096 x 3 x 3 over rows of 56 columns; help: cut the channels into parts and add up the results, or the filters
REFUSED_AT_RUN_TIME {
  return kernels::tile_conv(rngd, {.channels = 4096, .filters = 64, .rows = 56, .columns = 56, .filter_rows = 3, .filter_columns = 3})
      .refusal();
}
}  // namespace kernel_conv_weights

// # kernel-gemm-batch
// A batch of products is one kernel, and every product is commands of its own. Where all of them have the same second matrix, one product with more rows does the
// same, and faster.
// run time only: sizes are values
namespace kernel_gemm_batch {
// error[kernel-gemm-batch]: a batch of 2000 products of 1 x 64 by 64 x 16; help: give a batch 1 to 1024 products; with one B for all of them, write one product with more rows
REFUSED_AT_RUN_TIME { return kernels::check_batch(2000, 1, 16, 64).refusal(); }
}  // namespace kernel_gemm_batch

// # kernel-gemm-chips
// On several chips all run the same commands at the same time, each on what its own HBM holds: parts of one size, so the chips must divide what is spread over them.
// run time only: sizes are values
namespace kernel_gemm_chips {
// error[kernel-gemm-chips]: a product whose N of 1001 is spread over 4 chips; help: pad N to a multiple of the number of chips, or spread another size over them
REFUSED_AT_RUN_TIME { return kernels::part_on_chips(1001, 4, kernels::GemmSplit::n).refusal(); }
}  // namespace kernel_gemm_chips

// # kernel-gemm-size
// The product of two matrices is written for M from 1 to 16,384 and N and K from 1 to 131,072, the longest vocabularies. The author of a
// larger product must say where its parts are stored.
// run time only: sizes are values
namespace kernel_gemm_size {
// error[kernel-gemm-size]: a product of 16385 x 0 by 0 x 16; help: cut the product into parts of at most 16384 rows and 131072 columns, and add up those along K
REFUSED_AT_RUN_TIME { return kernels::tile_gemm(rngd, ScalarType::bf16, 16385, 16, 0).refusal(); }
}  // namespace kernel_gemm_size

// # kernel-gemm-type
// The kernel multiplies bf16, f8 and i8, which the Contraction Engine takes as they are in memory. Matrices of other types are converted before.
// run time only: types are values
namespace kernel_gemm_type {
// error[kernel-gemm-type]: a product of f32 matrices; help: convert the matrices to bf16, f8e4m3, f8e5m2 or i8
REFUSED_AT_RUN_TIME { return kernels::tile_gemm(rngd, ScalarType::f32, 16, 16, 16).refusal(); }
}  // namespace kernel_gemm_type

// # kernel-moe-block
// A row's block is its number shifted, and a block of one row could be the only row of a table.
// run time only: sizes are values
namespace kernel_moe_block {
// error[kernel-moe-block]: blocks of 12 rows; help: take a power of two from 2 to 1024
REFUSED_AT_RUN_TIME {
  return outcome([] { kernels::BlockIndices(rngd, 16, 8, 2, 12); }).refusal();
}
}  // namespace kernel_moe_block

// # kernel-rope-head
// A rotary embedding turns pairs of columns in the Contraction Engine, in packets that do not cross the border of a head: 8, 16 or 32 columns. Heads are therefore
// multiples of 8; they are at most 512 columns long, so that a slice holds the table's rows of many tokens.
// run time only: sizes are values
namespace kernel_rope_head {
// error[kernel-rope-head]: 32 heads of 100 columns; help: use heads of 8 to 512 columns, in multiples of 8
REFUSED_AT_RUN_TIME { return kernels::spread_rope(rngd, {.tokens = 1, .heads = 32, .head = 100, .positions = 1}).refusal(); }
}  // namespace kernel_rope_head

// # kernel-rope-position
// A token is turned by the row of the table that belongs to its position. A table is as long as the longest context, so a position after its end is one that the
// model was not made for.
// run time only: sizes are values
namespace kernel_rope_position {
// error[kernel-rope-position]: 1 tokens from position 4096 on; the table has 4096 positions; help: make a table of at least 4097 positions
REFUSED_AT_RUN_TIME {
  return kernels::spread_rope(rngd, {.tokens = 1, .heads = 32, .head = 128, .positions = 4096, .start = 4096}).refusal();
}
}  // namespace kernel_rope_position

// # kernel-row-formula
// A row formula makes a matrix of bf16, `y[m, n]`, of matrices like it, of numbers that all rows share, `w[n]`, and of reductions over its rows, `sum[n]` and `max[n]`, in sequence. What streams through the
// Vector Engine are rows, or numbers of rows; numbers of columns and constants meet them on the way.
// run time only: a formula is text
// no kernel: formulas are texts of their own
namespace kernel_row_formula {
Refusal rows(const char* text) {
  return outcome([&] { kernels::RowFormula(rngd, text, 4, 64); }).refusal();
}
// error[kernel-row-formula]: the result has 1 axis; help: write c[m] = max[n] x[m, n]; y[m, n] = exp(x[m, n] - c[m])
REFUSED_AT_RUN_TIME { return rows("y[m] = max[n] x[m, n]"); }
// error[kernel-row-formula]: 1 + w[n] has nothing of a row; help: bring the row in first, as in (x[m, n] * w[n]) * 2, or store the numbers as they are needed
REFUSED_AT_RUN_TIME { return rows("y[m, n] = x[m, n] * (1 + w[n])"); }
// error[kernel-row-formula]: x[n, m] is neither the same row of a matrix nor a number of the column; help: write c[m] = max[n] x[m, n]; y[m, n] = exp(x[m, n] - c[m])
REFUSED_AT_RUN_TIME { return rows("y[m, n] = x[n, m]"); }
// error[kernel-row-formula]: max(x[m, n], z[m, n]) takes the greatest of two matrices; help: write c[m] = max[n] x[m, n]; y[m, n] = exp(x[m, n] - c[m])
REFUSED_AT_RUN_TIME { return rows("y[m, n] = max(x[m, n], z[m, n])"); }
// error[kernel-row-formula]: c is bf16, and what is made in between f32; help: write c[m] = max[n] x[m, n]; y[m, n] = exp(x[m, n] - c[m])
REFUSED_AT_RUN_TIME { return rows("c: bf16[m] = max[n] x[m, n]; y[m, n] = x[m, n] - c[m]"); }
// error[kernel-row-formula]: x is f32, with 64 columns; help: write c[m] = max[n] x[m, n]; y[m, n] = exp(x[m, n] - c[m])
REFUSED_AT_RUN_TIME { return rows("y[m, n] = exp(x: f32[m, n])"); }
// error[kernel-row-formula]: fma(x[m, n], w[n], b[n]) takes two numbers of rows or columns at once; help: write a product and a sum, which round twice
REFUSED_AT_RUN_TIME { return rows("y[m, n] = fma(x[m, n], w[n], b[n])"); }
}  // namespace kernel_row_formula

// # kernel-rows-size
// What is computed row by row (norms, softmax, activations, residuals) takes rows of 1 to 28,672 columns, the longest of published models, and at least one of
// them: of no row and of no column there is nothing to compute.
// run time only: sizes are values
namespace kernel_rows_size {
// error[kernel-rows-size]: 4 rows of 28673 columns; help: cut the matrix into parts, or leave out the kernel where there is nothing to do
REFUSED_AT_RUN_TIME { return kernels::spread_rows(rngd, 4, 28'673, {}).refusal(); }
}  // namespace kernel_rows_size

// # kernel-table-size
// A table from which rows are picked is in the HBM of one chip. It has two rows at least: with one there is nothing to choose, and no loop to go by numbers.
// run time only: sizes are values
namespace kernel_table_size {
// error[kernel-table-size]: a table of 4000000 rows of 8192 bf16, of which 4096 are picked at once; help: split the columns over several chips, or the rows over several tables
REFUSED_AT_RUN_TIME {
  return outcome([] { kernels::Embedding(rngd, 4096, 4'000'000, 8192); }).refusal();
}
}  // namespace kernel_table_size

// # kernel-topk-size
// Experts are compared with each other eight at a time, and what a token chose is one flit of eight.
// run time only: sizes are values
namespace kernel_topk_size {
// error[kernel-topk-size]: the best 2 of 12 experts for 16 tokens; help: take 8 to 128 experts, a multiple of 8, of which each token has 1 to 8
REFUSED_AT_RUN_TIME {
  return outcome([] { kernels::TopK(rngd, 16, 12, 2); }).refusal();
}
}  // namespace kernel_topk_size
