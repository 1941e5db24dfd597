// The memories of a machine, each made when it is first touched.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/memory.hpp"
#include "sim/register_file.hpp"
#include "tcp/program/program.hpp"

namespace tcp::sim {

/// What one slice holds.
struct Slice {
  explicit Slice(const Device& device) : device_(device) {}

  SparseMemory dm, vrf;
  /// 128 KiB that most slices never need.
  TensorRegisterFile& trf() {
    if (!trf_) trf_.emplace(device_);
    return *trf_;
  }

 private:
  const Device& device_;
  std::optional<TensorRegisterFile> trf_;
};

class Chip {
 public:
  static constexpr std::int64_t most_clusters = 32, most_slices = 256;  // what the bitmaps of a command can name

  explicit Chip(const Device& device) : device_(device) {}

  Slice& slice(std::int64_t cluster, std::int64_t slice) {
    std::unique_ptr<Slice>& s = slices_[cluster * most_slices + slice];
    if (!s) s = std::make_unique<Slice>(device_);
    return *s;
  }
  SparseMemory& spm(std::int64_t cluster, std::int64_t pe) { return spm_[{cluster, pe}]; }
  SparseMemory hbm, host;

 private:
  const Device& device_;
  std::map<std::int64_t, std::unique_ptr<Slice>> slices_;
  std::map<std::pair<std::int64_t, std::int64_t>, SparseMemory> spm_;
};

}  // namespace tcp::sim
