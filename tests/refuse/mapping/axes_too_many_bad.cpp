// At most 64 axes can be declared beside a text form; a mapping uses at most 16 of them.
#include "refuse_test.hpp"
#include "tcp/mapping/parse.hpp"
using namespace tcp;
namespace {
struct Declarations {
  char s[65 * 9]{};
  constexpr Declarations() {
    std::size_t n = 0;
    for (int i = 0; i < 65; ++i)
      for (char c : {i > 0 ? ',' : ' ', 'A', static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10), ' ', '=', ' ', '2', ' '})
        s[n++] = c;
  }
};
constexpr Declarations declarations;
constexpr std::string_view many() { return {declarations.s, sizeof declarations.s}; }
}  // namespace
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(parse_axes(many()))); }
#else
REFUSED_AT_RUN_TIME { return parse_axes(many()).refusal(); }
#endif
