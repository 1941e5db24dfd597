// What the Switch Engine can be told to do; switch.hpp says what it then accepts.
#pragma once

#include <cstdint>

#include "tcp/device/tensor_unit.hpp"

namespace tcp {

/// Whether a custom switch may leave out live steps when it moves a factor to Time.
enum class Extraction : std::uint8_t {
  AsWritten,  // where the mapping shows it: Time `B % 4 = 3`, whose 3 steps are no block of B
  Whole,      // never; padding may be left out
  Partial,    // also where it does not show, such as `B % 8 = 4`, which is the mapping `B % 4`
};

/// SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 4}, and so on.
struct SwitchConfig {
  struct Forwarding {};
  struct Broadcast01 {
    std::int64_t slice1, slice0, time0;
  };
  struct Broadcast1 {
    std::int64_t slice1, slice0;
  };
  struct Transpose {
    std::int64_t slice1, slice0;
  };
  struct InterTranspose {
    std::int64_t slice1, slice0, time0;
  };
  struct TransposedBroadcast1 {
    std::int64_t slice1, slice0;
  };
  struct CustomBroadcast {
    std::int64_t ring_size = 0;  // 0: the one that the mappings need
    Extraction extraction = Extraction::AsWritten;
  };

  Topology topology = Topology::Forwarding;
  std::int64_t slice1 = 1, slice0 = 1, time0 = 1;
  std::int64_t ring_size = 0;
  Extraction extraction = Extraction::AsWritten;

  constexpr SwitchConfig() = default;
  constexpr SwitchConfig(Forwarding) {}
  constexpr SwitchConfig(Broadcast01 c) : topology(Topology::Broadcast01), slice1(c.slice1), slice0(c.slice0), time0(c.time0) {}
  constexpr SwitchConfig(Broadcast1 c) : topology(Topology::Broadcast1), slice1(c.slice1), slice0(c.slice0) {}
  constexpr SwitchConfig(Transpose c) : topology(Topology::Transpose), slice1(c.slice1), slice0(c.slice0) {}
  constexpr SwitchConfig(InterTranspose c) : topology(Topology::InterTranspose), slice1(c.slice1), slice0(c.slice0), time0(c.time0) {}
  constexpr SwitchConfig(TransposedBroadcast1 c) : topology(Topology::TransposedBroadcast1), slice1(c.slice1), slice0(c.slice0) {}
  constexpr SwitchConfig(CustomBroadcast c) : topology(Topology::CustomBroadcast), ring_size(c.ring_size), extraction(c.extraction) {}

  constexpr bool operator==(const SwitchConfig&) const = default;
};

}  // namespace tcp
