// Types of elements, and the conversions between them.
#include "helpers/asked.hpp"
#include "refuse_test.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/scalar/numeric_model.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/scalar/zero_point.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # scalar-int-width-out-of-range
// `vector_fxp_to_fp(int_width)` and `vector_fp_to_fxp(int_width)` read an i32 as fixed point with `int_width` bits before the binary point,
// beside the sign: its value is the integer divided by 2^(31 - int_width). So 31 is the plain integer, 0 a fraction in [-1, 1), and nothing
// outside 0 to 31 exists.
namespace scalar_int_width_out_of_range {
constexpr const char* before = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: f32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp_to_fp(32)
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: f32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp_to_fp(31)
  .vector_final
  .commit(y)
)";
// error[scalar-int-width-out-of-range]: int_width 32: fixed point has 0 to 31 integer bits beside the sign; help: write 31 for plain integers, 0 for Q31 fractions, or a number between
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(check_int_width(32));
}  // namespace scalar_int_width_out_of_range

// # scalar-no-such-cast
// A cast stays within its kind: integers become other integers (wider by their sign, narrower by dropping high bits), floating-point
// numbers become other floating-point numbers (rounded once, to nearest even). Between the kinds the chip has no cast. The Vector Engine
// converts i32 to f32 and back as fixed point: `vector_fxp_to_fp(31)` and `vector_fp_to_fxp(31)` are the plain conversions.
//
// `f4e2m1` is decoded by table and never written by the chip; the host encodes it.
// no kernel: kernels cast in the Cast Engine: `cast-no-such-cast`; the page shows a call on the host
namespace scalar_no_such_cast {
#if TCP_AT_COMPILE_TIME
// error[scalar-no-such-cast]: there is no cast from f32 to i8: casts stay among integers or among floating-point types; help: use vector_fp_to_fxp(31) on f32, and cast before or after it
i8 mistake(f32 x) { return scalar_cast<i8>(x, NumericModel::rngd); }
#endif
REFUSED_AT_RUN_TIME { return check_scalar_cast(ScalarType::f32, ScalarType::i8).refusal(); }
}  // namespace scalar_no_such_cast

// # scalar-not-whole-bytes
// Two 4-bit values share a byte, so an odd number of `i4` or `f4e2m1` elements ends in the middle of one. Memories are addressed by bytes,
// and a neighbour that owned the other nibble could be overwritten.
//
// Sizes are counted in bits, and a total that is not a whole number of bytes is refused. Pad the innermost axis to an even size: `A # 8` for 7
// elements.
namespace scalar_not_whole_bytes {
constexpr const char* before = R"(
axes A = 7
hbm x: i4 Element[A] at 0
hbm y: i4 Element[A] at 64
move x -> y
)";
constexpr const char* after = R"(
axes A = 7
hbm x: i4 Element[A # 8] at 0
hbm y: i4 Element[A # 8] at 64
move x -> y
)";
// error[scalar-not-whole-bytes]: 7 elements of i4 are 28 bits, which is no whole number of bytes; help: pad to 8 elements
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(packed_size(ScalarType::i4, Elements{7}));
}  // namespace scalar_not_whole_bytes

// # scalar-shift-amount-out-of-range
// An i32 has 32 bits. An amount that comes from a register is taken modulo 32 (the book does not say; this is our choice).
//
// An amount that is written in the kernel and is outside 0 to 31 would silently do the same, `32` being no shift at all. That is never
// what was meant, so it is refused.
namespace scalar_shift_amount_out_of_range {
constexpr const char* before = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_logic(LeftShift, 32)
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_logic(LeftShift, 31)
  .vector_final
  .commit(y)
)";
// error[scalar-shift-amount-out-of-range]: a shift by 32 places: an i32 is shifted by 0 to 31; help: write an amount from 0 to 31
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(check_shift_amount(32));
}  // namespace scalar_shift_amount_out_of_range

// # scalar-size-overflow
// Sizes are 64-bit numbers that count bits, so that 4-bit types have exact ones. A tensor of 2^58 f32 elements or more has more bits than
// such a number counts.
//
// No memory of the chip comes near that size: the number of elements is most likely the product of sizes that do not belong together.
// no kernel: every memory is smaller
namespace scalar_size_overflow {
// error[scalar-size-overflow]: 1152921504606846976 elements of f32 take more bits than 64-bit sizes can count; help: use at most 288230376151711743 elements
REFUSED(packed_size(ScalarType::f32, Elements{std::int64_t{1} << 60}));
}  // namespace scalar_size_overflow

// # scalar-unknown-numeric-model
// A program carries the numeric model it was written for: `rngd`, the chip's arithmetic, or `ieee`.
//
// In `rngd` subnormal numbers of f32 and bf16 become zero, as operands and as results; in `ieee` they are kept. Everything else is equal,
// so that `ieee` serves to compare with a host library, and `rngd` (the default) to know what the chip computes.
// no kernel: numbers are computed as an option of the launch says
namespace scalar_unknown_numeric_model {
// error[scalar-unknown-numeric-model]: 'fast' is not a numeric model; help: write rngd or ieee
REFUSED(parse_numeric_model("fast"));
}  // namespace scalar_unknown_numeric_model

// # scalar-unknown-type
// Each number format has one name, that of its C++ type: `i4`, `i5`, `i8`, `i9`, `i16`, `i32`, `f4e2m1`, `f8e4m3`, `f8e5m2`, `f16`, `bf16`,
// `f32`.
//
// The book writes `fp16` in one place and `f16` in another, and `f8` where it means either 8-bit format. Files and text forms here know the
// canonical names only, so that a type is always spelt as the kernel spells it. Names are matched exactly: lower case, no blanks.
namespace scalar_unknown_type {
constexpr const char* before = R"(
axes A = 32
hbm x: fp16 Element[A] at 0
)";
constexpr const char* after = R"(
axes A = 32
hbm x: f16 Element[A] at 0
)";
// error[scalar-unknown-type]: 'fp16' is not a scalar type; help: write f16
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(parse_scalar_type("fp16"));
}  // namespace scalar_unknown_type

// # scalar-zero-point-out-of-range
// A zero point is the stored value that stands for zero, so it is a value of the stored type: -8 to 7 for `i4`, -128 to 127 for `i8`,
// -32768 to 32767 for `i16`.
//
// Only then does the difference fit the type that the fetch makes of it: `i4` minus `i4` fits `i5`, `i8` minus `i8` fits `i9`. Quantisers
// that store unsigned bytes have zero points from 0 to 255: store value - 128 as `i8`, and use zero point - 128.
namespace scalar_zero_point_out_of_range {
constexpr const char* before = R"(
axes A = 32
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
main.begin(x)
  .fetch(zero_points: (200)) i32 Time[1] Packet[A]
  .collect Time[A / 8] Packet[A % 8]
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 32
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
main.begin(x)
  .fetch(zero_points: (100)) i32 Time[1] Packet[A]
  .collect Time[A / 8] Packet[A % 8]
  .commit(y)
)";
// error[scalar-zero-point-out-of-range]: zero point 200 is no value of i8, whose range is -128 to 127; help: use a zero point from -128 to 127, or a wider source type
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(zero_point(ScalarType::i8, 200));
}  // namespace scalar_zero_point_out_of_range

// # scalar-zero-point-type
// The fetch subtracts zero points from quantised integers: `i4` (giving `i5`), `i8` (giving `i9`), `i16`, each also into `i32`. Other types
// have none: `i5` and `i9` are already the difference, `i32` is subtracted from in the Vector Engine (`SubFxp`), and floating-point numbers
// are not quantised this way.
namespace scalar_zero_point_type {
constexpr const char* before = R"(
axes A = 32
dm x: bf16 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: f32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
main.begin(x)
  .fetch(zero_points: (3)) f32 Time[1] Packet[A]
  .collect Time[A / 8] Packet[A % 8]
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 32
dm x: bf16 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: f32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
main.begin(x)
  .fetch f32 Time[1] Packet[A]
  .collect Time[A / 8] Packet[A % 8]
  .commit(y)
)";
// error[scalar-zero-point-type]: a zero point is subtracted from i4, i8 or i16, not from bf16; help: drop the zero point, or store the tensor as i4, i8 or i16
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(zero_point(ScalarType::bf16, 3));
}  // namespace scalar_zero_point_type
