// Each memory has its own levels: host memory has Element alone, HBM has Chip and Element, DM, SPM (whose Slice is its Dmn) and VRF have Chip, Cluster, Slice and Element, the TRF has a Row
// besides. A factor on a level that the memory does not have would lie nowhere.
//
// run time only: in C++ the tensor types have just the levels of their memory
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[static_cast<std::size_t>(p.in)].slice = p.map("B");
  return p.refusal();
}
