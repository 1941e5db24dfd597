// The operations of the Vector Engine on blocks of lanes, and the casts between formats: bit for bit the functions of
// tcp/scalar, several lanes at once.
//
// A chain of operations runs block by block: take some thousand lanes, which stay in the first-level cache, and call
// one function after the other on them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tcp/device/tensor_unit.hpp"
#include "tcp/scalar/elementary.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::vector::kernels {

enum class Op : std::uint8_t {
  // i32
  add_fxp,
  add_fxp_sat,
  sub_fxp,
  sub_fxp_sat,
  mul_fxp,
  mul_int,
  left_shift,
  left_shift_sat,
  logic_right_shift,
  arith_right_shift,
  arith_right_shift_round,
  min_i32,
  max_i32,
  abs_min_i32,
  abs_max_i32,
  // either
  bit_and,
  bit_or,
  bit_xor,
  // f32
  add,
  sub,
  mul,
  div,
  fma,
  min,
  max,
  abs_min,
  abs_max,
  // one argument
  exp,
  neg_exp,
  sqrt,
  tanh,
  sigmoid,
  erf,
  log,
  sin,
  cos,
  fxp_to_fp,  // takes an int_width
  fp_to_fxp,
  relu,       // of f32: law: lane by lane relu_bits
  canonical,  // of f32: what an operand that is folded with nothing becomes
};

constexpr bool is_unary(Op op) { return op >= Op::exp; }

/// The second or third argument: lane by lane, or one value for all.
struct Argument {
  const std::uint32_t* lanes = nullptr;
  std::uint32_t value = 0;
};

struct Lanes {
  std::uint32_t* out = nullptr;  // may be one of the arguments
  const std::uint32_t* a = nullptr;
  Argument b{}, c{};  // c: of fma, out = a * b + c
  std::size_t count = 0;
};

void compute(Op op, const Lanes& lanes, NumericModel model, int int_width = 31);

/// Sets `bit` in the id of each lane where the comparison of a with the boundary holds. Law: other bits stay.
void compare(Compare how, ScalarType type, const std::uint32_t* a, std::uint32_t boundary, NumericModel model, std::uint8_t bit,
             std::uint8_t* ids, std::size_t count);

/// out[i] = guard has the lane's id ? then[i] : otherwise[i]. Ids are 0 to 15.
void choose(std::uint16_t guard, const std::uint8_t* ids, const std::uint32_t* then, const std::uint32_t* otherwise, std::uint32_t* out,
            std::size_t count);

/// Cells (products.hpp: cell_bytes) of one format into cells of another. Law: lane by lane scalar_cast_bits.
void cast(ScalarType from, ScalarType to, const std::byte* in, std::byte* out, std::size_t count, NumericModel model);

/// Law: lane by lane subtract_zero_point_bits.
void subtract_zero_point(ScalarType from, ScalarType to, std::int32_t zero_point, const std::byte* in, std::byte* out, std::size_t count);

/// out[i] = table[in[i]]; `in` has one-byte cells, `out` cells of so many bytes.
void look_up(const std::uint32_t* table, const std::byte* in, std::byte* out, int out_bytes, std::size_t count);

}  // namespace tcp::vector::kernels
