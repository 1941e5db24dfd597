// DM is written in whole rows of 8 bytes. A tensor that a commit or a DMA writes to therefore begins at a multiple of 8, even if its elements are smaller. One that is
// only read may begin anywhere that suits its elements.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(B = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_dm_write(target, ScalarType::i8, m<B>{}, Bytes{4100})); }
#else
REFUSED_AT_RUN_TIME { return check_dm_write(target, ScalarType::i8, m<B>{}, Bytes{4100}).refusal(); }
#endif
