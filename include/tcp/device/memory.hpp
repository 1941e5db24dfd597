// The memories of a machine, by name. What each holds is in device.hpp.
#pragma once

#include <cstdint>

#include "tcp/support/text.hpp"

namespace tcp {

/// Where bytes are. DM and SPM are those of one slice or PE; addresses of TRF count bytes of one row.
enum class Memory : std::uint8_t { Host, Hbm, Dm, Spm, Trf, Vrf };

constexpr const char* name_of(Memory m) {
  constexpr const char* names[] = {"host memory", "HBM", "DM", "SPM", "TRF", "VRF"};
  return names[static_cast<int>(m)];
}
constexpr Text& operator<<(Text& out, Memory m) { return out << name_of(m); }

/// What the numbers of an index tensor are, by which DMA finds rows: their positions, or their offsets in bytes.
enum class RowKeys : std::uint8_t { positions, byte_offsets };

/// Which part of the TRF a tensor takes.
enum class TrfAddress : std::uint8_t { Full, FirstHalf, SecondHalf };

}  // namespace tcp
