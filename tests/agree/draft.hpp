// A program of the corpus while it is being made: random choices, tensors with their mappings as values, and the commands so far.
//
// Tensors come from HBM (or the host) into DM in a layout of the family's choosing, and go back the same way: `upload` and `download` lay the same elements
// out anew on each side, with factors in another order, on other levels, padded and repeated, as far as DMA allows.
#pragma once

#include <initializer_list>
#include <utility>

#include "program.hpp"
#include "tcp/support/random.hpp"

namespace tcp::agree {

/// Where a DM tensor's elements lie. The core is the innermost part of Element: a run of whole 8-byte words that stays together everywhere.
struct Box {
  Mapping chip{}, cluster{}, slice{};
  std::vector<Mapping> outer;
  Mapping core{};

  Mapping element() const;
};

/// Single factors of a mapping, outermost first; a group that is padded as a whole, or a window, is one factor.
std::vector<Mapping> factors(const Mapping& m);
Mapping joined(const std::vector<Mapping>& factors);
/// Without padding behind its elements, and without copies.
std::vector<Mapping> bare(const std::vector<Mapping>& factors);
bool counts_axes(const Mapping& factor);

/// What kind of numbers a tensor is filled with.
enum class Fill : std::uint8_t { small, wild, rows, distinct_rows, ids };

class Draft {
 public:
  Draft(std::uint64_t seed, const char* family, const Device& on, std::int64_t chips);

  Random random;
  Program program;
  ir::Module& module;
  std::int64_t slices;  // positions of Slice
  bool placed;          // tensors have addresses

  bool chance(int percent) { return random.below(100) < static_cast<std::uint64_t>(percent); }
  std::int64_t pick(std::initializer_list<std::int64_t> of) { return of.begin()[random.below(of.size())]; }
  template <class T>
  const T& one_of(const std::vector<T>& of) {
    return of[random.below(of.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  }

  /// A new axis, whole.
  Mapping axis(std::int64_t extent);
  static Name name_of_axis(const Mapping& whole) { return whole.axis[0].name; }
  ir::MapId id(const Mapping& m) { return module.intern(m); }

  /// Slice of exactly as many positions as the device has.
  Mapping in_slices(const Mapping& m);
  /// A Cluster for a tensor: idle, copied, or counting an axis of its own.
  Mapping some_cluster();
  /// The first cluster, or the last one, and no other.
  Mapping one_cluster(std::int64_t clusters);
  Mapping some_chip();

  ir::TensorId add(Memory memory, ScalarType type, const Levels& levels, ir::Role role = ir::Role::temporary);
  static Levels dm_levels(const Box& box);
  ir::TensorId dm(ScalarType type, const Box& box);
  ir::TensorId dm(ScalarType type, const Levels& levels) { return add(Memory::Dm, type, levels); }
  ir::TensorId argument(Memory memory, ScalarType type, const Levels& levels, Fill fill, std::int64_t rows = 0);

  /// Random numbers for a tensor that comes from outside.
  Numbers filled(ScalarType type, const Levels& levels, Fill fill, std::int64_t rows = 0);

  /// A tile of a tensor: none if the tensor does not have it.
  ir::TensorId tile_of(ir::TensorId tensor, const Mapping& dimension, std::int64_t length, std::int64_t start);
  /// All of a tensor, seen as it is.
  ir::TensorId whole_of(ir::TensorId tensor);
  /// All of a tensor, its places under other axes, its bits of another type of the same width.
  ir::TensorId reshape_of(ir::TensorId tensor, ScalarType type, const Mapping& element);
  /// All of a tensor, its places under other names, padding too.
  ir::TensorId relabel_of(ir::TensorId tensor, const Levels& names);
  /// Another type of the same width.
  ScalarType type_like(ScalarType type);

  void move(ir::TensorId from, ir::TensorId to);
  void command(ir::Transfer t) { module.commands.emplace_back().what = std::move(t); }
  void command(ir::HostTransfer t) { module.commands.emplace_back().what = t; }
  void command(ir::Memset m) { module.commands.emplace_back().what = m; }
  void command(ir::Pass p) { module.commands.emplace_back().what = std::move(p); }

  /// An argument that arrives in DM with this layout, and with whatever else the way there can do to it. `same`: it has no axis of Cluster and Slice, so that
  /// all slices get the same.
  ir::TensorId upload(ScalarType type, const Box& box, Fill fill = Fill::small, bool same = false);
  /// Levels of an HBM tensor that holds what some other levels hold.
  Levels hbm_levels(const Mapping& chip, std::vector<Mapping> outer, const Mapping& core);
  /// A result: what a DM tensor holds goes to HBM, and perhaps to the host.
  void download(ir::TensorId dm);

  std::uint32_t number(ScalarType type, Fill fill);

 private:
  /// One factor of Element, all of an axis, by another name. False: there is none.
  bool renamed(Box& box);
  ir::TensorId view_of(ir::TensorId tensor, ScalarType type, const Mapping& element, ir::ViewOf seen);
  /// Gives back a tensor of HBM under another name, padding included.
  void rename_result(ir::TensorId result);

  std::int64_t next_axis_ = 0;
  std::int64_t next_address_[6]{};
};

}  // namespace tcp::agree
