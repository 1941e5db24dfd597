// Groups may be nested 64 deep. A text that goes deeper was most likely made by a program that adds brackets at each step; since `[[E]]` is
// `[E]`, they can be left out.
#include "refuse_test.hpp"
#include "tcp/mapping/parse.hpp"
using namespace tcp;
namespace {
struct Brackets {
  char s[10'001]{};
  constexpr Brackets() {
    for (char& c : s) c = '[';
  }
};
constexpr Brackets brackets;
constexpr std::string_view deep() { return {brackets.s, sizeof brackets.s}; }
}  // namespace
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(parse(deep(), *parse_axes("A = 8")))); }
#else
REFUSED_AT_RUN_TIME { return parse(deep(), *parse_axes("A = 8")).refusal(); }
#endif
