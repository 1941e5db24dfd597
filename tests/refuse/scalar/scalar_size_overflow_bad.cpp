// Sizes are 64-bit numbers that count bits, so that 4-bit types have exact ones. A tensor of 2^58 f32 elements or more has more bits than
// such a number counts.
//
// No memory of the chip comes near that size: the number of elements is most likely the product of sizes that do not belong together.
#include "refuse_test.hpp"
#include "tcp/scalar/packing.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(packed_size(ScalarType::f32, Elements{std::int64_t{1} << 60}).refusal())); }
#else
REFUSED_AT_RUN_TIME { return packed_size(ScalarType::f32, Elements{std::int64_t{1} << 60}).refusal(); }
#endif
