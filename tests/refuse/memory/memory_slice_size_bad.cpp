// A cluster has 256 slices, each with its own part of DM and its own lane through the engines. The Slice mapping has one position for each; slices without data are
// padding: `m<(X / 64).pad(256)>`. The device `logical` has no such geometry.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(X = 2048);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_slice_size(target, m<X / 64>{})); }
#else
REFUSED_AT_RUN_TIME { return check_slice_size(target, m<X / 64>{}).refusal(); }
#endif
