// The fetch adapter widens what was stored: `i4` to `i5` and `i32`, `i8` to `i9` and `i32`, `i16` to `i32`, the 8-bit floats, `f16` and
// `bf16` to `f32`; it narrows `f32` to `bf16`. RNGD-S has four casts more. Any type can be fetched as itself.
//
// Other conversions have other places: between `i32` and `f32` the Vector Engine converts by fixed point, and the Cast Engine narrows
// results.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::f32, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::f32, one, A).refusal(); }
#endif
