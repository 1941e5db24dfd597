// The stages of a pass, by name; pass_state.hpp has what stages.def says of each.
#pragma once

#include <cstdint>

namespace tcp {

/// The stages, as stages.def lists them.
enum class StageKind : std::uint8_t {
#define TCP_STAGE(RECORD, ...) RECORD,
#include "tcp/rules/stages.def"
};

}  // namespace tcp
