// A write touches live elements and padding of its own tensor. Padding of a view is not its own: the tensor that it looks into has other
// elements there. And padding written `#!` is never touched at all.
//
// Trim the packet so that only live elements are left, in whole rows of 8 bytes.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 13);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W.pad(32));
constexpr CommitHow into_view{.into_view = true};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, into_view, ScalarType::i8, stream, m<M, W.pad(32)>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, into_view, ScalarType::i8, stream, m<M, W.pad(32)>{}).refusal(); }
#endif
