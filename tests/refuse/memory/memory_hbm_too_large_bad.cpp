// A chip of RNGD has 48 GiB of HBM. Element is the part of the tensor that one chip holds; spread the tensor over more chips, or use a smaller type.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 131072, B = 131072);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_hbm(target, ScalarType::f32, m<A, B>{}, Bytes{0})); }
#else
REFUSED_AT_RUN_TIME { return check_hbm(target, ScalarType::f32, m<A, B>{}, Bytes{0}).refusal(); }
#endif
