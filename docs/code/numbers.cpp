// The numeric model, one surprise after the other. Every function here is the one that the interpreters and the simulated chip call.
#include <cstdio>
#include <tcp/tcp.hpp>

#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/elementary.hpp"
#include "tcp/scalar/fixed_point.hpp"

using namespace tcp;
using namespace tcp::arithmetic;

constexpr NumericModel rules = NumericModel::rngd, ieee = NumericModel::ieee;

void order_of_sums() {
  f32 const terms[4] = {f32::from_float(1.0f), f32::from_float(1e8f), f32::from_float(-1e8f), f32::from_float(1.0f)};
  f32 const one_by_one = add(add(add(terms[0], terms[1], rules), terms[2], rules), terms[3], rules);
  f32 const tree = add(add(terms[0], terms[1], rules), add(terms[2], terms[3], rules), rules);
  std::printf("1 + 1e8 - 1e8 + 1: one by one %g, as a tree %g\n", one_by_one.to_float(), tree.to_float());
}

void subnormals() {
  f32 const tiny = f32::from_bits(1), unit = f32::from_float(1.0f);
  std::printf("the least subnormal times 1: %#x on the chip, %#x by IEEE 754\n", mul(tiny, unit, rules).bits, mul(tiny, unit, ieee).bits);
}

void not_a_number() {
  f32 const nan = f32::from_bits(0x7f800001), two = f32::from_float(2.0f);
  std::printf("a NaN plus 2: %#x; the greater of a NaN and 2: %g\n", add(nan, two, rules).bits, max(nan, two, rules).to_float());
}

void narrow() {
  std::printf("300 as i8: %d; 1000 as f8e4m3: %g; 100000 as f16: %g\n", scalar_cast<i8>(i32::from_int(300), rules).to_int(),
              scalar_cast<f8e4m3>(f32::from_float(1000.0f), rules).to_float(),
              scalar_cast<f16>(f32::from_float(100000.0f), rules).to_float());
}

void fixed_point() {
  i32 const half = i32::from_int(1 << 30), most = i32::from_int(0x7fffffff), unit = i32::from_int(1);
  std::printf("one half times one half: %g; greatest + 1: %d, saturated %d\n", fxp_to_fp(mul_fxp(half, half), 0).to_float(),
              add_fxp(most, unit).to_int(), add_fxp_sat(most, unit).to_int());
  std::printf("2.5 rounds to %d, -2.5 to %d\n", fp_to_fxp(f32::from_float(2.5f), 31, rules).to_int(),
              fp_to_fxp(f32::from_float(-2.5f), 31, rules).to_int());
}

int main() {
  order_of_sums();
  subnormals();
  not_a_number();
  narrow();
  fixed_point();
  static_assert(scalar_cast<i8>(i32::from_int(300), rules).to_int() == 44);  // all of it is constexpr
}
