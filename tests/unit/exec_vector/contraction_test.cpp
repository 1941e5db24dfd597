// The contraction against loops over tcp/scalar, one product after the other: every type, tree, layout and processor.
#include "exec/vector/contraction/products.hpp"

#include <gtest/gtest.h>

#if defined(__x86_64__) && defined(__linux__)
#include <signal.h>
#include <ucontext.h>
#endif

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "exec/vector/contraction/kept.hpp"
#include "exec/vector/kernels/target.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/fixed_point.hpp"

namespace {

using namespace tcp;
using namespace tcp::vector::kernels;

using Offsets = std::vector<std::int64_t>;

/// A tensor of raw cells with the offsets of its rows and of its k.
struct Tensor {
  ScalarType type;
  std::vector<std::byte> cells;
  Offsets outer, inner;
  std::vector<std::uint32_t> wide{};  // [row][k], in f32 or i32

  void widen(NumericModel model) {
    ScalarType const to = is_floating(type) ? ScalarType::f32 : ScalarType::i32;
    for (std::int64_t i = 0; i < std::ssize(outer); ++i)
      for (std::int64_t k = 0; k < std::ssize(inner); ++k) wide.push_back(scalar_cast_bits(type, to, at(i, k), model));
  }
  std::uint32_t at(std::int64_t i, std::int64_t k) const {
    auto const cell = static_cast<std::size_t>(outer[static_cast<std::size_t>(i)] + inner[static_cast<std::size_t>(k)]);
    if (cell_bytes(type) == 1) return std::to_integer<std::uint32_t>(cells[cell]);
    return std::to_integer<std::uint32_t>(cells[2 * cell]) | std::to_integer<std::uint32_t>(cells[2 * cell + 1]) << 8;
  }
  Factor factor() const { return {type, cells.data(), outer.data(), inner.data()}; }
};

enum class Values { ordinary, tiny, huge, mixed, any };

std::uint32_t random_bits(ScalarType type, Values values, std::mt19937& random) {
  std::uint32_t const bits = static_cast<std::uint32_t>(random()) & scalar_mask(type);
  if (type != ScalarType::bf16 || values == Values::any) return bits;
  std::uint32_t const sign_and_fraction = bits & 0x807f, r = static_cast<std::uint32_t>(random());
  switch (values) {
    case Values::ordinary: return sign_and_fraction | (115 + r % 25) << 7;
    case Values::tiny: return sign_and_fraction | (57 + r % 12) << 7;
    case Values::huge: return sign_and_fraction | (186 + r % 8) << 7;
    default:
      return r % 8 == 0 ? bits & 0x8000 : r % 8 == 1 ? sign_and_fraction : r % 64 == 2 ? 0x7f80 : sign_and_fraction | (r >> 8) % 255 << 7;
  }
}

enum class Layout { k_inside, rows_inside, scattered, window };

Tensor tensor(ScalarType type, std::int64_t rows, std::int64_t ks, Layout layout, Values values, std::mt19937& random) {
  Tensor t{type, {}, {}, {}, {}};
  for (std::int64_t i = 0; i < rows; ++i)
    t.outer.push_back(layout == Layout::k_inside ? i * ks : layout == Layout::rows_inside ? i : layout == Layout::window ? i : 3 * i * ks);
  for (std::int64_t k = 0; k < ks; ++k)
    t.inner.push_back(layout == Layout::k_inside      ? k
                      : layout == Layout::rows_inside ? k * rows
                      : layout == Layout::window      ? k / 3 * (rows + 3) + k % 3
                                                      : 3 * (ks - 1 - k));
  std::int64_t const cells = 3 * rows * ks + 8 * (rows + ks) + 16;
  for (std::int64_t i = 0; i < cells; ++i) {
    std::uint32_t const bits = random_bits(type, values, random);
    for (int byte = 0; byte < cell_bytes(type); ++byte) t.cells.push_back(static_cast<std::byte>(bits >> (8 * byte) & 0xff));
  }
  return t;
}

std::uint32_t joined(const Contraction& c, bool floating, std::uint32_t a, std::uint32_t b) {
  if (floating) {
    f32 const x = f32::from_bits(a), y = f32::from_bits(b);
    return (c.join == Join::add ? arithmetic::add(x, y, c.model) : arithmetic::max(x, y, c.model)).bits;
  }
  i32 const x = i32::from_bits(a), y = i32::from_bits(b);
  return (c.join == Join::add ? arithmetic::add_fxp(x, y) : arithmetic::max(x, y)).bits;
}

std::optional<std::uint32_t> joined(const Contraction& c, bool floating, std::optional<std::uint32_t> a, std::optional<std::uint32_t> b) {
  return a && b ? joined(c, floating, *a, *b) : a ? a : b;
}

std::uint32_t expected(const Contraction& c, const Tensor& a, const Tensor& b, std::int64_t row, std::int64_t column) {
  bool const floating = is_floating(a.type);
  std::optional<std::uint32_t> sum;
  std::vector<std::optional<std::uint32_t>> tree(std::size_t{1} << c.depth);
  for (std::int64_t step = 0; step < c.steps; ++step) {
    for (std::size_t lane = 0; lane < tree.size(); ++lane) {
      std::int64_t const k = step * static_cast<std::int64_t>(tree.size()) + static_cast<std::int64_t>(lane);
      Leaf const leaf = c.leaves == nullptr ? Leaf::product : c.leaves[k];
      tree[lane].reset();
      if (leaf == Leaf::zero) tree[lane] = 0;
      if (leaf != Leaf::product) continue;
      std::uint32_t const x = a.wide[static_cast<std::size_t>(row * c.steps * std::ssize(tree) + k)];
      std::uint32_t const y = b.wide[static_cast<std::size_t>(column * c.steps * std::ssize(tree) + k)];
      tree[lane] = floating ? arithmetic::mul(f32::from_bits(x), f32::from_bits(y), c.model).bits
                            : arithmetic::mul_int(i32::from_bits(x), i32::from_bits(y)).bits;
    }
    for (std::size_t width = tree.size(); width > 1; width /= 2)
      for (std::size_t i = 0; i < width / 2; ++i) tree[i] = joined(c, floating, tree[2 * i], tree[2 * i + 1]);
    sum = joined(c, floating, sum, tree[0]);
  }
  return sum.value();
}

struct Case {
  ScalarType a = ScalarType::bf16, b = ScalarType::bf16;
  std::int64_t rows = 1, columns = 1, steps = 1;
  int depth = 5;
  Layout a_layout = Layout::k_inside, b_layout = Layout::k_inside;
  Values values = Values::ordinary;
  bool leaves = false;
  Join join = Join::add;
  NumericModel model = NumericModel::rngd;
  bool out_transposed = false;
};

#if defined(__x86_64__) && defined(__linux__)

/// AMX for a processor without it: what raises SIGILL is done here, so that the kernel's own instructions are tested.
class SoftwareTiles {
 public:
  SoftwareTiles() {
    struct sigaction action{};
    action.sa_sigaction = run;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGILL, &action, &before_);
  }
  ~SoftwareTiles() { sigaction(SIGILL, &before_, nullptr); }
  SoftwareTiles(const SoftwareTiles&) = delete;
  SoftwareTiles& operator=(const SoftwareTiles&) = delete;

 private:
  struct Tile {
    std::int8_t bytes[16][64];
  };
  static inline thread_local Tile tiles_[8];
  static inline thread_local bool configured_ = false;

  static std::int64_t& in_register(ucontext_t& at, unsigned number) {
    constexpr int names[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                             REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return reinterpret_cast<std::int64_t&>(at.uc_mcontext.gregs[names[number]]);
  }
  /// C4, R X B and the map of opcodes, W vvvv L and the prefix, the opcode, ModRM, SIB, and a displacement.
  static void run(int, siginfo_t*, void* context) {
    auto& at = *static_cast<ucontext_t*>(context);
    auto const* code = reinterpret_cast<const std::uint8_t*>(at.uc_mcontext.gregs[REG_RIP]);
    unsigned const prefix = code[2] & 3u, opcode = code[3], mod = code[4] >> 6, reg = code[4] >> 3 & 7u, rm = code[4] & 7u;
    if (code[0] != 0xc4 || (code[1] & 31u) != 2) abort();
    if (opcode == 0x5e && mod == 3) {
      multiply(tiles_[reg], tiles_[rm], tiles_[~code[2] >> 3 & 7]);
      code += 5;
    } else if (opcode == 0x49 && code[4] == 0xc0) {
      configured_ = false;
      code += 5;
    } else if (opcode == 0x49 && mod == 0 && rm == 5) {  // by the instruction pointer
      std::int32_t distance;
      std::memcpy(&distance, code + 5, 4);
      code += 9;
      configure(reinterpret_cast<const std::uint8_t*>(code) + distance);
    } else if (opcode == 0x4b && rm == 4 && configured_) {
      unsigned const sib = code[5], base = (sib & 7u) | (code[1] & 32u ? 0u : 8u), index = (sib >> 3 & 7u) | (code[1] & 64u ? 0u : 8u);
      std::int32_t distance = 0;
      if (mod == 1) distance = static_cast<std::int8_t>(code[6]);
      if (mod == 2) std::memcpy(&distance, code + 6, 4);
      code += 6 + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
      auto* memory = reinterpret_cast<std::int8_t*>(in_register(at, base) + distance);
      for (auto& row : tiles_[reg].bytes) {
        if (prefix == 3) std::memcpy(row, memory, sizeof row);
        else std::memcpy(memory, row, sizeof row);
        memory += in_register(at, index) << (sib >> 6);
      }
    } else {
      abort();
    }
    at.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(code);
  }
  /// All tiles have 16 rows of 64 bytes; loading a configuration clears them.
  static void configure(const std::uint8_t* from) {
    if (from[0] != 1 || from[1] != 0) abort();
    for (int t = 0; t < 8; ++t)
      if (from[16 + 2 * t] != 64 || from[17 + 2 * t] != 0 || from[48 + t] != 16) abort();
    std::memset(tiles_, 0, sizeof tiles_);
    configured_ = true;
  }
  static void multiply(Tile& c, const Tile& a, const Tile& b) {
    for (int m = 0; m < 16; ++m)
      for (int n = 0; n < 16; ++n) {
        std::int32_t dot = 0;
        for (int k = 0; k < 64; ++k) dot += a.bytes[m][k] * b.bytes[k / 4][4 * n + k % 4];
        std::uint32_t sum;
        std::memcpy(&sum, &c.bytes[m][4 * n], 4);
        sum += static_cast<std::uint32_t>(dot);
        std::memcpy(&c.bytes[m][4 * n], &sum, 4);
      }
  }

  struct sigaction before_{};
};

std::vector<Target> all_targets() {
  std::vector<Target> all = targets();
  if (all.front().amx) return all;
  static SoftwareTiles const emulated;
  all.insert(all.begin(), {all.front().id, "AMX in software", true});
  return all;
}

#else

std::vector<Target> all_targets() { return targets(); }

#endif

/// Runs the case on every target and compares all outputs. Each case draws its own numbers.
void check(const Case& test) {
  static std::uint32_t seed = 1;
  std::mt19937 random(++seed);
  std::int64_t const ks = test.steps << test.depth;
  Tensor a = tensor(test.a, test.rows, ks, test.a_layout, test.values, random);
  Tensor b = tensor(test.b, test.columns, ks, test.b_layout, test.values, random);
  a.widen(test.model);
  b.widen(test.model);
  std::vector<Leaf> leaves;
  for (std::int64_t k = 0; k < ks; ++k) {
    std::uint32_t const r = static_cast<std::uint32_t>(random()) % 8;
    leaves.push_back(k == ks - 1 || r > 2 ? Leaf::product : r == 0 ? Leaf::zero : Leaf::absent);
  }
  Offsets out_row, out_column;
  for (std::int64_t i = 0; i < test.rows; ++i) out_row.push_back(test.out_transposed ? i : i * (test.columns + 1));
  for (std::int64_t j = 0; j < test.columns; ++j) out_column.push_back(test.out_transposed ? j * (test.rows + 2) : j);
  std::vector<std::uint32_t> out(static_cast<std::size_t>((test.rows + 2) * (test.columns + 2)));

  Contraction c;
  c.a = a.factor();
  c.b = b.factor();
  c.rows = test.rows;
  c.columns = test.columns;
  c.steps = test.steps;
  c.depth = test.depth;
  c.leaves = test.leaves ? leaves.data() : nullptr;
  c.join = test.join;
  c.model = test.model;
  c.out = out.data();
  c.out_row = out_row.data();
  c.out_column = out_column.data();

  std::vector<std::uint32_t> want;
  for (std::int64_t i = 0; i < test.rows; ++i)
    for (std::int64_t j = 0; j < test.columns; ++j) want.push_back(expected(c, a, b, i, j));

  Workspace workspace;
  for (Target const target : all_targets()) {
    use(target);
    out.assign(out.size(), 0xdeadbeef);
    contract(c, workspace);
    std::size_t written = 0, wrong = 0;
    for (std::uint32_t const x : out) written += x != 0xdeadbeef;
    for (std::int64_t i = 0; i < test.rows; ++i)
      for (std::int64_t j = 0; j < test.columns; ++j)
        wrong += want[static_cast<std::size_t>(i * test.columns + j)] !=
                 out[static_cast<std::size_t>(out_row[static_cast<std::size_t>(i)] + out_column[static_cast<std::size_t>(j)])];
    EXPECT_EQ(wrong, 0u) << target.name << " " << scalar_info(test.a).name << " " << scalar_info(test.b).name << " " << test.rows << "x"
                         << test.columns << "x" << test.steps << " depth " << test.depth << " values " << static_cast<int>(test.values)
                         << " seed " << seed;
    EXPECT_LE(written, want.size()) << target.name;
    std::vector<std::uint32_t> const alone = out;
    out.assign(out.size(), 0xdeadbeef);
    contract(c, 3);
    EXPECT_EQ(out, alone) << target.name;
    if (test.rows <= test.columns) {
      out.assign(out.size(), 0xdeadbeef);
      contract_pairs(c, workspace);
      for (std::int64_t i = 0; i < test.rows; ++i)
        EXPECT_EQ(out[static_cast<std::size_t>(out_row[static_cast<std::size_t>(i)])], want[static_cast<std::size_t>(i * test.columns + i)])
            << target.name;
    }
  }
  use({});
}

constexpr NumericModel models[] = {NumericModel::rngd, NumericModel::ieee};

TEST(Contraction, every_depth_of_bf16_in_every_range) {
  for (int depth = 0; depth <= 6; ++depth)
    for (Values const values : {Values::ordinary, Values::tiny, Values::huge, Values::mixed, Values::any})
      for (NumericModel const model : models)
        for (bool const leaves : {false, true}) {
          Case test{.rows = 9,
                    .columns = 45,
                    .steps = 1 + 200 / (1 << depth),
                    .depth = depth,
                    .values = values,
                    .leaves = leaves,
                    .model = model};
          check(test);
        }
}

TEST(Contraction, every_pair_of_types) {
  constexpr ScalarType pairs[][2] = {
      {ScalarType::bf16, ScalarType::bf16}, {ScalarType::f8e4m3, ScalarType::f8e4m3}, {ScalarType::f8e5m2, ScalarType::f8e5m2},
      {ScalarType::f16, ScalarType::f16},   {ScalarType::i4, ScalarType::i4},         {ScalarType::i5, ScalarType::i4},
      {ScalarType::i4, ScalarType::i5},     {ScalarType::i8, ScalarType::i8},         {ScalarType::i9, ScalarType::i8},
      {ScalarType::i8, ScalarType::i9},     {ScalarType::i9, ScalarType::i9},         {ScalarType::i5, ScalarType::i5}};
  for (auto const& pair : pairs)
    for (Join const join : {Join::add, Join::max})
      for (NumericModel const model : models)
        for (bool const leaves : {false, true})
          for (Values const values : {Values::mixed, Values::any}) {
            Case test{.a = pair[0],
                      .b = pair[1],
                      .rows = 13,
                      .columns = 70,
                      .steps = 9,
                      .values = values,
                      .leaves = leaves,
                      .join = join,
                      .model = model};
            check(test);
          }
}

TEST(Contraction, odd_numbers_of_products) {
  for (ScalarType const type : {ScalarType::i8, ScalarType::i9, ScalarType::bf16})
    for (std::int64_t const steps : {1, 2, 3, 5, 255, 256, 257, 515})
      check({.a = type, .b = type, .rows = 5, .columns = 6, .steps = steps, .depth = 0});
}

TEST(Contraction, every_layout) {
  for (ScalarType const type : {ScalarType::bf16, ScalarType::f8e4m3, ScalarType::i8, ScalarType::i9})
    for (Layout const a : {Layout::k_inside, Layout::rows_inside, Layout::scattered, Layout::window})
      for (Layout const b : {Layout::k_inside, Layout::rows_inside, Layout::scattered, Layout::window})
        for (bool const transposed : {false, true}) {
          Case test{.a = type,
                    .b = type,
                    .rows = 11,
                    .columns = 67,
                    .steps = 10,
                    .a_layout = a,
                    .b_layout = b,
                    .leaves = true,
                    .out_transposed = transposed};
          check(test);
        }
}

TEST(Contraction, every_small_shape) {
  for (ScalarType const type : {ScalarType::bf16, ScalarType::i8})
    for (std::int64_t rows = 1; rows <= 9; ++rows)
      for (std::int64_t const columns : {1, 2, 3, 5, 31, 32, 33, 65}) {
        check({.a = type, .b = type, .rows = rows, .columns = columns, .steps = 2, .depth = 3});
        check({.a = type, .b = type, .rows = columns, .columns = rows, .steps = 2, .depth = 3});
      }
}

TEST(Contraction, more_than_one_block) {
  for (ScalarType const type : {ScalarType::bf16, ScalarType::i4, ScalarType::i8, ScalarType::i9})
    check({.a = type, .b = type, .rows = 261, .columns = 519, .steps = 17, .a_layout = Layout::k_inside, .b_layout = Layout::rows_inside});
}

/// Products of a few rows with columns of bf16 whose k is shared out among them.
struct SharedColumns {
  std::int64_t rows, columns, steps, products;
  std::shared_ptr<std::vector<std::uint16_t>> weights = std::make_shared<std::vector<std::uint16_t>>();
  std::vector<std::uint16_t> data{};
  Offsets data_outer{}, weights_outer{}, inner{}, out_row{}, out_column{};
  std::vector<Apart> apart{};
  std::shared_ptr<const void> owner = weights;

  SharedColumns(std::int64_t r, std::int64_t c, std::int64_t s, std::int64_t p) : rows(r), columns(c), steps(s), products(p) {
    std::int64_t const piece = steps * 32, whole = piece * products;
    for (std::int64_t i = 0; i < rows; ++i) data_outer.push_back(i * whole), out_row.push_back(i * columns);
    for (std::int64_t i = 0; i < columns; ++i) weights_outer.push_back(i * whole), out_column.push_back(i);
    for (std::int64_t k = 0; k < piece; ++k) inner.push_back(k);
    for (std::int64_t i = 0; i < products; ++i) apart.push_back({i * piece, i * piece, i * rows * columns});
    data.resize(static_cast<std::size_t>(rows * whole));
    weights->resize(static_cast<std::size_t>(columns * whole));
    draw(7);
  }
  void draw(std::uint32_t seed) {
    std::mt19937 random(seed);
    for (auto* all : {&data, weights.get()})
      for (auto& each : *all) {
        std::uint32_t const r = static_cast<std::uint32_t>(random());
        Values const values = r % 4001 == 0 ? Values::any : r % 5 == 0 ? Values::tiny : Values::ordinary;
        each = static_cast<std::uint16_t>(random_bits(ScalarType::bf16, values, random));
      }
  }
  Contraction contraction(std::vector<std::uint32_t>& out, bool keep) {
    out.assign(static_cast<std::size_t>(products * rows * columns), 1);
    Contraction c;
    c.a = {ScalarType::bf16, reinterpret_cast<const std::byte*>(data.data()), data_outer.data(), inner.data()};
    c.b = {ScalarType::bf16, reinterpret_cast<const std::byte*>(weights->data()), weights_outer.data(), inner.data()};
    if (keep) c.b.never_changes = &owner;
    c.rows = rows;
    c.columns = columns;
    c.steps = steps;
    c.depth = 5;
    c.out = out.data();
    c.out_row = out_row.data();
    c.out_column = out_column.data();
    return c;
  }
  std::vector<std::uint32_t> together(int threads, bool keep) {
    std::vector<std::uint32_t> out;
    contract(contraction(out, keep), apart, threads);
    return out;
  }
  /// Number by number.
  std::vector<std::uint32_t> expected() {
    std::vector<std::uint32_t> out;
    auto const number = [](std::uint16_t bits) { return f32::from_bits(static_cast<std::uint32_t>(bits) << 16); };
    for (const Apart& product : apart)
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
          std::optional<f32> sum;
          for (std::int64_t step = 0; step < steps; ++step) {
            std::vector<f32> tree;
            for (std::int64_t k = step * 32; k < step * 32 + 32; ++k) {
              auto const at = [&](std::int64_t outer, std::int64_t by) { return static_cast<std::size_t>(outer + by + k); };
              tree.push_back(arithmetic::mul(number(data[at(data_outer[static_cast<std::size_t>(r)], product.a)]),
                                             number((*weights)[at(weights_outer[static_cast<std::size_t>(c)], product.b)]),
                                             NumericModel::rngd));
            }
            for (std::size_t width = 32; width > 1; width /= 2)
              for (std::size_t i = 0; i < width / 2; ++i) tree[i] = arithmetic::add(tree[2 * i], tree[2 * i + 1], NumericModel::rngd);
            sum = sum ? arithmetic::add(*sum, tree[0], NumericModel::rngd) : tree[0];
          }
          out.push_back(sum->bits);
        }
    return out;
  }
};

TEST(Contraction, few_rows_of_products_that_share_columns) {
  for (std::int64_t const products : {2, 3, 8})
    for (std::int64_t const steps : {1, 2, 3, 8, 16, 24})
      for (std::int64_t const rows : {1, 2, 3, 4})
        for (std::int64_t const columns : {8, 17}) {
          SharedColumns all(rows, columns, steps, products);
          auto const expected = all.expected();
          for (Target const target : all_targets()) {
            use(target);
            EXPECT_EQ(all.together(1, false), expected) << target.name << " " << products << " x " << rows << " x " << columns;
          }
          use({});
        }
  SharedColumns many(2, 700, 8, 4);
  EXPECT_EQ(many.together(2, false), many.expected());
}

TEST(Contraction, columns_that_never_change_are_kept_in_order) {
  SharedColumns all(1, 40, 8, 2);
  std::vector<std::uint32_t> out;
  auto const c = all.contraction(out, true);
  std::span const one(all.apart.data(), 1);  // half of each column
  EXPECT_EQ(kept_columns(c, one), nullptr) << "read for the first time";
  auto const kept = kept_columns(c, one);
  ASSERT_NE(kept, nullptr);
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_EQ(std::memcmp(kept.get() + i * 512, all.weights->data() + i * 512, 512), 0) << "column " << i;
  EXPECT_EQ(kept_columns(c, one), kept);
  EXPECT_EQ(kept_columns(all.contraction(out, false), one), nullptr) << "nobody says that these stay as they are";

  auto const expected = all.expected();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(all.together(1, true), expected);
  // Another owner of the same memory: what was kept for the first is of no use.
  all.owner = std::shared_ptr<const void>(all.weights->data(), [](const void*) {});
  all.draw(8);
  auto const other = all.expected();
  EXPECT_NE(other, expected);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(all.together(1, true), other);
}

}  // namespace
