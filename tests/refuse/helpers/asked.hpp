// What the sections of tests/refuse ask of the libraries, for a kernel in text form, and of the `tcp` command. Declared apart
// from both, so that the compile-time half need not read their headers.
#pragma once

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/refused.hpp"

namespace tcp_refuse {

/// What a program is refused with, where the front end throws.
template <class Program>
tcp::Verdict outcome(Program program) {
  try {
    (void)program();
  } catch (const tcp::Refused& r) {
    return r.refusal();
  }
  return tcp::accept();
}

/// Whether a kernel can be read and verified.
tcp::Verdict checked(const char* text, const tcp::Device& device = tcp::rngd);
/// Whether its tensors find room, where it gives them no address.
tcp::Verdict placed(const char* text, const tcp::Device& device = tcp::rngd);
/// Whether it can be said in typed C++.
tcp::Verdict printed_in_cpp(const char* text);
/// Whether it can be lowered.
tcp::Verdict lowered(const char* text, const tcp::Device& device = tcp::rngd);
/// Whether it runs to its end, without arguments, by the reference interpreter.
tcp::Verdict ran(const char* text, const tcp::Device& device = tcp::rngd);

/// What `tcp …` answers to a line of words, of which some stand in double quotes.
tcp::Verdict commanded(const char* line);

}  // namespace tcp_refuse

/// What the command refuses, from the arguments as one types them.
tcp::Refusal refused_command(const std::vector<std::string>& arguments);

/// A program in text form that can be run.
inline const std::string add_one = TCP_SOURCE_DIR "/tests/refuse/files/add_one.tcp";
