// An array given for an argument has other axes than the argument. It must have the axes of the argument's mapping, each in its size, in the order in which the mapping
// names them, the outermost level first: `Slice[I] Element[J, K]` is `(I, J, K)`. How elements are spread over memory does not matter: `Element[A / 8, A % 8]` has one axis.
//
// In Python: `x.reshape(...)` if the elements are in the right order, `np.ascontiguousarray(x.T)` if they are not.
// run time only: files are read when the program runs
#include "arrays.hpp"
#include "refuse_test.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME {
  tool::Wanted const wanted{"x", ScalarType::bf16, {{Name("I"), 8}, {Name("K"), 64}}};
  io::Array const array{ScalarType::bf16, {64, 8}, 512, {}, false, {}};
  return tool::to_value(wanted, array, "x.npy").refusal();
}
