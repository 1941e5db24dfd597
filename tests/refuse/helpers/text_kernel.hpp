// Kernels in text form, as the sections of tests/refuse show them. Declared apart from the libraries, so that the compile-time half need not read their headers.
#pragma once

#include "tcp/device/chips.hpp"
#include "tcp/support/expected.hpp"

namespace tcp_refuse {

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

}  // namespace tcp_refuse
