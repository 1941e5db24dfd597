// The same bits as another type: bf16 as i16, f32 as i32. Memory holds bytes, and it is the Fetch Engine that is told what they are; so a view may say it otherwise,
// as long as every element keeps its place. Nothing is converted and nothing moves.
#pragma once

#include "tcp/dsl/dynamic.hpp"

namespace tcp::dyn {

/// Refused: a type of another width (ir-view-differs).
[[nodiscard]] Tensor reinterpret(const Tensor& tensor, ScalarType type, Where at = std::source_location::current());

}  // namespace tcp::dyn
