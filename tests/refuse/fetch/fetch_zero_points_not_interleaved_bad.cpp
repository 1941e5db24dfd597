// Two zero points belong to two tensors that are fetched in turn (`begin_interleaved`), one each. A tensor that is fetched by itself has
// one zero point.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow how{.zero_points = 2, .zero_point = {10, -10}};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, one, A).refusal(); }
#endif
