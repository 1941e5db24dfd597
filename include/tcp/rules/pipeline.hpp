// The stages that a stream can come out of: a word that rules of several engines share.
#pragma once

#include <cstdint>

#include "tcp/device/tensor_unit.hpp"
#include "tcp/support/text.hpp"

namespace tcp {

/// Where a stream is on its way. Contraction is the accumulated result, VectorEngine the way from `vector_init` to
/// `vector_final`, Vector what the latter gives, Sink the end of the way.
enum class StreamStage : std::uint8_t {
  Begin,
  Fetch,
  Switch,
  Collect,
  Align,
  Contract,
  Contraction,
  VectorEngine,
  Vector,
  Cast,
  Transpose,
  CommitCast,
  Sink,
};

inline constexpr int stream_stage_count = 13;

/// The call that leads there, as both front ends have it.
constexpr const char* name_of(StreamStage stage) {
  constexpr const char* names[stream_stage_count] = {"begin",     "fetch",       "switch_to",   "collect",      "align",
                                                     "contract",  "accumulate",  "vector_init", "vector_final", "cast",
                                                     "transpose", "commit_cast", "a sink"};
  return names[static_cast<int>(stage)];
}
constexpr Text& operator<<(Text& out, StreamStage stage) { return out << name_of(stage); }

}  // namespace tcp
