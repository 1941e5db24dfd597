// What every tests/refuse/<area>/<code>_bad.cpp includes. Such a file holds one mistake twice:
//
//   // Prose of the page docs/diagnostics/<code>.md, in Markdown: the rule, its reason, the way out.
//   #include "refuse_test.hpp"
//   #include "tcp/<whatever it needs>.hpp"
//   using namespace tcp;
//   #if TCP_AT_COMPILE_TIME
//   ... code that no compiler accepts; the error shows the sentence ...
//   #else
//   REFUSED_AT_RUN_TIME { return ...; }      // an expression of type Refusal with the same sentence
//   #endif
//
// compile_time.py compiles the first half with every compiler; run_time.cpp runs the second. Both compare with <code>_bad.expect.
#pragma once

#include "tcp/support/refuse.hpp"

namespace tcp_refuse {

struct Refusing {
  const char* file;
  tcp::Refusal (*refusal)();
  Refusing* next;

  Refusing(const char* of_file, tcp::Refusal (*ask)());
};

/// The head of the list of all files in this program.
Refusing*& first();

}  // namespace tcp_refuse

#define REFUSED_AT_RUN_TIME                                                               \
  static ::tcp::Refusal refusal_of_this_file();                                           \
  static const ::tcp_refuse::Refusing this_file_refuses{__FILE__, &refusal_of_this_file}; \
  static ::tcp::Refusal refusal_of_this_file()
