// Whether a kernel was recorded before: a hash, then a comparison of everything, source lines included. Only where the
// arguments are may differ, since another launch of the same kernel is often given other tensors.
#pragma once

#include <cstdint>

#include "tcp/ir/module.hpp"

namespace tcp::ir {

/// True of modules that say the same of the same source lines, wherever their arguments are.
bool same_recording(const Module& a, const Module& b);

/// Law: same_recording(a, b) implies recording_hash(a) == recording_hash(b).
std::uint64_t recording_hash(const Module& module);

}  // namespace tcp::ir
