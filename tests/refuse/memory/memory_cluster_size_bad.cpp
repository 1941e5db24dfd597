// A chip has two clusters, and both run every command. The Cluster mapping has one position for each; a tensor that lives in one cluster only pads it:
// `m<one.pad(2)>`. The device `logical` has no such geometry.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_cluster_size(target, m<1>{})); }
#else
REFUSED_AT_RUN_TIME { return check_cluster_size(target, m<1>{}).refusal(); }
#endif
