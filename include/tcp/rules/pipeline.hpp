// The words that rules of several engines share: the two contexts of the Tensor Unit, and the stages a stream can come out of.
#pragma once

#include <cstdint>

#include "tcp/support/text.hpp"

namespace tcp {

/// The contexts: `ctx.main` computes, `ctx.sub` prefetches with narrower fetch and commit units.
enum class Tu : std::uint8_t { Main, Sub };

constexpr const char* name_of(Tu context) { return context == Tu::Main ? "main" : "sub"; }
constexpr Text& operator<<(Text& out, Tu context) { return out << name_of(context); }

/// What a stream came out of. Contraction is the accumulated result, Vector what `vector_final` gives.
enum class StreamStage : std::uint8_t { Begin, Fetch, Switch, Collect, Contraction, Vector, Cast, Transpose };

inline constexpr int stream_stage_count = 8;

constexpr const char* name_of(StreamStage stage) {
  constexpr const char* names[stream_stage_count] = {"Begin", "Fetch", "Switch", "Collect", "Contraction", "Vector", "Cast", "Transpose"};
  return names[static_cast<int>(stage)];
}
constexpr Text& operator<<(Text& out, StreamStage stage) { return out << name_of(stage); }

}  // namespace tcp
