// The Transpose Engine.
#include "lower/pass.hpp"

namespace tcp::lower {

program::Transpose lower_transpose(const TensorUnitPass& p, std::size_t i) {
  const TransposeResult& t = p.found(i).as<TransposeResult>();
  program::Transpose out;
  out.in_rows = t.in_rows;
  out.in_columns = t.in_columns;
  out.packets_per_column = t.packets_per_column;
  out.elements_per_packet = t.elements_per_packet;
  out.kept_packets = t.kept_packets;
  out.kept_elements = t.kept_elements;
  out.matrices = t.matrices;
  out.double_buffered = t.double_buffered;
  return out;
}

}  // namespace tcp::lower
