// What every tests/refuse/<area>.cpp includes. Such a file holds the errors of one area, each in a section of its own:
//
//   // # area-slug
//   // Prose of the section in docs/diagnostics/<area>.md, in Markdown: the rule, its reason, the way out.
//   namespace area_slug {
//   TCP_AXES(A = 32);
//   #if TCP_AT_COMPILE_TIME
//   auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) {
//     return ctx.main.begin(in.view())
//         // error[area-slug]: …                     the whole sentence, before the line that is wrong
//         .fetch<f32, m<1>, m<A>>();
//   }
//   auto after(…) { … }                              the same kernel as it should be: it compiles
//   #endif
//   REFUSED(check_fetch(…));                         the rule itself, at compile time and at run time
//   }  // namespace area_slug
//
// REFUSED(expression) takes a Verdict, an Expected or a Refusal. REFUSED_AT_RUN_TIME { return …; } is for what is not constexpr; its section has a line
// `// run time only: reason`, and one that no kernel of a user can cause a line `// no kernel: reason`. ACCEPTED_AT_RUN_TIME { return …; } is its corrected form. A text kernel is `constexpr const char* before = R"(…)"`, with an
// `after` beside it. The sentence that is expected is the nearest comment `// error[…` above.
//
// compile_time.py compiles a file once with every compiler and compares line by line; run_time.cpp runs the other half. The page shows `before` and
// `after`, or the whole section where there is none.
#pragma once

#include "tcp/support/refuse.hpp"

namespace tcp_refuse {

/// One REFUSED, REFUSED_AT_RUN_TIME or ACCEPTED_AT_RUN_TIME of this program.
struct Asked {
  const char* file;
  int line;
  tcp::Refusal (*refusal)();   // null: it must be accepted
  tcp::Verdict (*accepted)();  // null: it must be refused
  Asked* next;

  Asked(const char* of_file, int at_line, tcp::Refusal (*refuse)());
  Asked(const char* of_file, int at_line, tcp::Verdict (*accept)());
};

/// The head of the list of all in this program.
Asked*& first();

constexpr tcp::Verdict verdict_of(const tcp::Verdict& v) { return v; }
constexpr tcp::Verdict verdict_of(const tcp::Refusal& r) { return r; }
template <class T>
constexpr tcp::Verdict verdict_of(const tcp::Expected<T>& e) {
  return tcp::verdict(e);
}

}  // namespace tcp_refuse

#define TCP_REFUSE_NAME_2(name, line) name##line
#define TCP_REFUSE_NAME(name, line) TCP_REFUSE_NAME_2(name, line)

#if TCP_AT_COMPILE_TIME
#define REFUSED(...)                                                                                                           \
  [[maybe_unused]] static void TCP_REFUSE_NAME(refused_at_, __LINE__)() { TCP_REFUSE(::tcp_refuse::verdict_of(__VA_ARGS__)); } \
  static_assert(true)
#define TCP_REFUSE_AT_RUN_TIME(result, line) [[maybe_unused]] static result TCP_REFUSE_NAME(asked_for_at_, line)()
#else
#define REFUSED(...)                                                                                                         \
  static ::tcp::Refusal TCP_REFUSE_NAME(refused_at_, __LINE__)() { return ::tcp_refuse::verdict_of(__VA_ARGS__).refusal(); } \
  static const ::tcp_refuse::Asked TCP_REFUSE_NAME(asked_at_, __LINE__) { __FILE__, __LINE__, &TCP_REFUSE_NAME(refused_at_, __LINE__) }
#define TCP_REFUSE_AT_RUN_TIME(result, line)                                                                                \
  static result TCP_REFUSE_NAME(asked_for_at_, line)();                                                                     \
  static const ::tcp_refuse::Asked TCP_REFUSE_NAME(asked_at_, line){__FILE__, line, &TCP_REFUSE_NAME(asked_for_at_, line)}; \
  static result TCP_REFUSE_NAME(asked_for_at_, line)()
#endif

#define REFUSED_AT_RUN_TIME TCP_REFUSE_AT_RUN_TIME(::tcp::Refusal, __LINE__)
#define ACCEPTED_AT_RUN_TIME TCP_REFUSE_AT_RUN_TIME(::tcp::Verdict, __LINE__)
