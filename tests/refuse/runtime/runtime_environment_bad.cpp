// The environment gives the defaults of Context::acquire(); docs/environment.md lists the variables and their values.
//
// run time only: the environment is read when the device is acquired
#include <cstdlib>

#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  setenv("TCP_CHIPS", "many", 1);
  Refusal const r = options_from_environment().refusal();
  unsetenv("TCP_CHIPS");
  return r;
}
