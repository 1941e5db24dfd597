// What dynamic tensors and streams share when they write themselves down.
#pragma once

#include "dsl/parts.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::dyn::detail {

using tcp::detail::Recording;

/// A mapping of the recording's module. Refused: one that cannot be.
ir::MapId interned(Recording& r, const Mapping& m, Where at);

/// A tensor of a kernel that does not exist yet.
struct Wanted {
  Memory memory = Memory::Dm;
  ScalarType type = ScalarType::i32;
  Levels levels{};
  Address address{};
  TrfAddress trf = TrfAddress::Full;
  ir::Role role = ir::Role::temporary;
};
/// Refused: a tensor that its memory cannot hold.
Tensor made(Recording& r, const Wanted& wanted, Where at);

/// The tensor for writing into: itself if it is a view, or else a view of all of it.
ir::TensorId written(Recording& r, const Tensor& t, Where at);

}  // namespace tcp::dyn::detail
