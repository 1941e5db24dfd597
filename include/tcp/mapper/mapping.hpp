// The mapping of a product onto the chip: every decision as a value that can be read, printed, stored, and given in
// part.
//
// One operand is kept: its elements are stored in the TRF, `row` of its steps in the Rows and `reuse` times as many one
// after the other. The other one streams past them, handed round a ring of slices by the Switch Engine, so that HBM
// is read once for each ring:
//
//   Cluster   the kept axis, the streamed axis, or one cluster alone
//   Slice     [groups of the streamed axis, ring of the kept axis]
//   Row       the kept axis
//   Time      [the streamed axis, packets of the summed axis, reuse]
//   Packet    the summed axis
//
// The kept axis is cut into bands, which follow each other and may divide slices differently: so an odd size is cut
// into pieces that fill the chip, and a rest. In a band the streamed axis is cut into tiles, and the summed axis into
// parts, whose sums are added up one after the other. Sizes that do not divide are padded at the last step.
//
// The text form has a line for the formula and one for each decision; lines that are left out of a pin are free:
//
//   C[m, n] = sum[k] A[m, k] * B[n, k]{any} where m = 1000, n = 1000, k = 1000
//   keep: A
//   clusters: n
//   row: 8
//   channels: 2
//   fill: main
//   parts: 512 488
//   loops: parts, tiles
//   loads: A by part, B by part
//   first: A
//   ahead: 2
//   stored: rows
//   band: m 1000, ring 128, groups 2, reuse 1, tiles 128 128
//
// Batches are computed some at a time, each on slices of its own; their number is one more line:
//
//   batches: 16
//
// A convolution keeps the pixels of its result, each with all that it sees of the image; bands are rows of pixels, and
// the slices of a ring divide the filters, and the weights of each in shares. It has two lines more:
//
//   pixels: 2 4
//   image: 62
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/mapper/product.hpp"

namespace tcp::mapper {

enum class KeptOperand : std::uint8_t { a, b };
enum class OverClusters : std::uint8_t { kept, streamed, one, batches };
/// How the kept operand gets into the TRF: by the sub context, by main, or by main after the Switch Engine has handed
/// round shares of the summed axis, so that DMA copies nothing.
enum class TrfFill : std::uint8_t { sub, main, round };
enum class OuterLoop : std::uint8_t { parts, tiles };

/// A stretch of the kept axis, and how slices divide it and the streamed axis.
struct Band {
  std::int64_t length = 0;                       // steps of the kept axis
  std::int64_t ring = 1, groups = 1, reuse = 1;  // slices along the kept axis, along the streamed axis
  std::vector<std::int64_t> tiles;               // steps of the streamed axis in a slice, tile after tile
  bool operator==(const Band&) const = default;
};

struct Decisions {
  KeptOperand keep = KeptOperand::a;
  OverClusters clusters = OverClusters::streamed;
  std::int64_t row = 8;
  std::int64_t batches = 1;  // that a cluster computes at one time
  bool dual = true;          // both channels of the switch: main.dual
  TrfFill fill = TrfFill::main;
  std::vector<std::int64_t> parts;  // of the summed axis
  OuterLoop outer = OuterLoop::parts;
  bool kept_at_once = false, streamed_at_once = false;  // all parts by one transfer
  bool kept_first = true;
  std::int64_t ahead = 1;  // tiles that are loaded before one is computed
  std::int64_t block = 0;  // elements of the blocks in which the second operand is stored, if it is stored {any}; 0: rows
  std::int64_t pixel_rows = 0, pixel_columns = 0;  // of a convolution: the pixels that a slice keeps
  std::int64_t image_columns = 0;                  // of a convolution: places from one row of the image to the next
  std::vector<Band> bands;
  bool operator==(const Decisions&) const = default;
};

struct KernelMapping {
  Product product;
  Decisions decisions;
  bool operator==(const KernelMapping&) const = default;
};

/// Law: read_mapping(print(m)) == m.
std::string print(const KernelMapping& mapping);
/// Refused: mapper-text, and what product_of and check_mapping refuse.
Expected<KernelMapping> read_mapping(std::string_view text, const Device& device, Where at = {});

/// Some decisions, each by its line of the text form; the others are free.
struct Pin {
  enum class ClusterAxis : std::uint8_t { rows, columns, none, batches };
  std::optional<KeptOperand> keep;
  std::optional<ClusterAxis> cluster_axis;
  std::optional<std::int64_t> row, batches;
  std::optional<bool> dual;
  std::optional<TrfFill> fill;
  std::optional<std::vector<std::int64_t>> parts;
  std::optional<OuterLoop> outer;
  std::optional<std::int64_t> block, ahead, pixel_rows, pixel_columns, image_columns;
  std::optional<std::int64_t> ring, reuse;  // of the first band

  /// Whether a mapping has all that is pinned.
  bool holds(const Decisions& decisions) const;
  bool operator==(const Pin&) const = default;
};
/// Lines of the text form, or the same with ';' between them: `keep: A; clusters: n; ring: 128`. Refused:
/// mapper-text.
Expected<Pin> read_pin(std::string_view text, const Product& product, Where at = {});

/// The order in which a kernel of this mapping adds: formula::evaluate with it gives the same bits.
std::string order_in_words(const KernelMapping& mapping);

/// Refused: mapper-illegal, with the decision that does not fit the product or the chip.
Verdict check_mapping(const Device& device, const KernelMapping& mapping, Where at = {});

}  // namespace tcp::mapper
