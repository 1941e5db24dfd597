// A program is made for one chip: addresses, sizes of accesses and register settings are that chip's.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return program::check(tcp_refuse::small_program(), rngd_s).refusal(); }
