// What compile_time.py compiles: the head of a kernel, ten mappings of a matrix product over two axes and their
// reduction.
#include <tcp/tcp.hpp>
using namespace tcp;

TCP_AXES(I = 512, J = 512, K = 64);

using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<I / 32, J / 32>;
using ElementOfA = m<I % 32, K>;
using ElementOfB = m<J % 32, K>;
using Row = m<J % 8>;
using TrfElement = m<J / 8 % 4, K>;
using FetchTime = m<I % 32, J / 8 % 4>;
using Packet = m<(K % 16).pad(32)>;
using Output = m<I % 32, J % 32>;

// Sizes are asked for, so that no mapping stays a name only.
static_assert(Slice::size == 256 && ElementOfA::size == 2048 && ElementOfB::size == 2048 && TrfElement::size == 256 &&
              Output::size == 1024);
static_assert(Chip::size == 1 && Cluster::size == 2 && Row::size == 8 && FetchTime::size == 128 && Packet::size == 32);
