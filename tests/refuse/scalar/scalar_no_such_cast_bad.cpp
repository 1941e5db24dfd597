// A cast stays within its kind: integers become other integers (wider by their sign, narrower by dropping high bits), floating-point
// numbers become other floating-point numbers (rounded once, to nearest even). Between the kinds the chip has no cast. The Vector Engine
// converts i32 to f32 and back as fixed point: `vector_fxp_to_fp(31)` and `vector_fp_to_fxp(31)` are the plain conversions.
//
// `f4e2m1` is decoded by table and never written by the chip; the host encodes it.
#include "refuse_test.hpp"
#include "tcp/scalar/cast.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
i8 mistake(f32 x) { return scalar_cast<i8>(x, NumericModel::rngd); }
#else
REFUSED_AT_RUN_TIME { return check_scalar_cast(ScalarType::f32, ScalarType::i8).refusal(); }
#endif
