// The format has the versions 1.0, 2.0 and 3.0, which differ in how long the header may be and how its text is encoded. What a later version means is not known.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  std::string file = npy_of("<f4", "(1,)", "abcd");
  file[6] = 4;
  return refused_npy(file);
}
