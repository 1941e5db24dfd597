// What follows from the decisions of a convolution: the pixels of a slice, and where the blocks of pixels lie.
#pragma once

#include "mapper/estimate.hpp"
#include "tcp/mapping/algebra.hpp"

namespace tcp::mapper {

/// Blocks of pixels over clusters and slices. DMA engines and DMNs get as many of them each as can be, so blocks are
/// dealt by their last bits; only where their number is odd by a cut in the middle.
class BlockPlaces {
 public:
  /// `slots`: the slices of a cluster that keep different pixels.
  BlockPlaces(const Device& device, std::int64_t down, std::int64_t across, bool over_clusters, std::int64_t slots);

  bool fit() const { return rest(0) * rest(1) * (std::int64_t{1} << inner_.size()) <= slots_; }
  /// Blocks of the DMN that has most of them.
  std::int64_t of_busiest_dmn() const;

  struct Places {
    Mapping cluster, slots;
  };
  Places of(const Mapping& down, const Mapping& across) const;

 private:
  struct Bit {
    int of = -1;  // 0 down, 1 across; -1: idle
    bool coarse = false;
    int number = 0;
  };
  Bit take(int of);
  void take_coarse(Bit& bit);
  std::int64_t rest(int of) const { return coarse_[of] > 0 ? padded_[of] >> coarse_[of] : left_[of]; }
  Mapping bit_of(const Bit& bit, const Mapping (&axis)[2]) const;

  std::int64_t slots_;
  bool over_clusters_;
  std::int64_t left_[2], padded_[2]{};
  int exact_[2]{}, coarse_[2]{};
  Bit cluster_{};
  std::vector<Bit> inner_{};  // the outermost first
};

/// A band of a convolution: some rows of pixels of one image, or all of those of several.
struct ImageBand {
  std::int64_t image = 0, images = 1;                // the first one, and how many
  std::int64_t first = 0, rows = 0;                  // pixels of an image
  std::int64_t blocks_down = 0, blocks_across = 0;   // of a slice's pixels, of an image
  std::int64_t loaded_rows = 0, loaded_columns = 0;  // of the image, from all blocks together
  std::int64_t window_rows = 0, window_columns = 0;  // of a slice

  std::int64_t blocks() const { return images * blocks_down * blocks_across; }
};
ImageBand image_band(const Product& p, const Decisions& d, std::size_t which);

/// Rows and columns of an image in HBM, with the zeros around it, and with what else lies between its rows.
struct StoredImage {
  std::int64_t rows = 0, columns = 0, pitch = 0;
};
StoredImage stored_image(const Product& p, const Decisions& d);

/// How the slices of a ring divide a tile of the filters: by filters, and each filter's weights in shares.
struct RingShares {
  std::int64_t filters = 1, shares = 1;
};
RingShares ring_shares(const Band& b, std::int64_t tile);

/// Elements of HBM from one share of a filter to the next, where they are stored by shares.
std::int64_t stored_share(const Device& device, const Product& p, const Decisions& d);

/// Refused: mapper-illegal.
Verdict check_windows(const Device& device, const KernelMapping& m, Where at);
std::int64_t dm_bytes_of_windows(const Device& device, const Product& p, const Decisions& d, std::size_t which);
Estimate estimate_of_windows(const Device& device, const Product& p, const Decisions& d);
std::vector<Decisions> placements_of_windows(const Device& device, const Product& p, bool dual);

}  // namespace tcp::mapper
