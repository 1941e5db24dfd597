// The Transpose Engine: a matrix comes in row by row, a few packets each, and leaves column by column.
#include "sim/engines.hpp"

namespace tcp::sim {

void transpose(const PassContext& context, const program::Transpose& t, const Stream& in, Stream& out) {
  std::int64_t const columns = t.kept_packets * t.kept_elements, flits = t.in_rows * t.packets_per_column;
  out.shape(in.type, t.matrices * columns, context.flit_lanes(in.type));
  for (std::int64_t matrix = 0; matrix < t.matrices; ++matrix)
    for (std::int64_t packet = 0; packet < t.kept_packets; ++packet)
      for (std::int64_t element = 0; element < t.kept_elements; ++element) {
        std::int64_t const step = matrix * columns + packet * t.kept_elements + element;
        for (std::int64_t row = 0; row < out.lanes; ++row) {
          std::size_t const to = out.at(step, row);
          if (row >= t.in_rows) {
            out.undefined[to] = 1;
            continue;
          }
          std::size_t const from = in.at(matrix * flits + row * t.packets_per_column + packet, element);
          out.bits[to] = in.bits[from];
          out.undefined[to] = in.undefined[from];
        }
      }
}

}  // namespace tcp::sim
