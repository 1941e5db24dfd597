// `tcp layout --move` shows what one sequencer is told. Each slice has its own, which steps through the slice's part of the tensor and
// makes a stream of it: so many time steps, and in each of them a packet. Chip, Cluster and Slice of the stream are those of the tensor,
// and no sequencer counts them.
//
// Give the mapping of Element as the buffer, and Time and Packet as the stream.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME {
  return refused_command({"layout", "--axes", "I=512,K=64", "--move", "I % 2, K", "Slice: I / 2; Time: I % 2; Packet: K"});
}
