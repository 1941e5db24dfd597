// What a launch leaves for the next launch of the same kernel: the module as it was recorded, where its tensors were
// placed, and what the backend made of it. A launch that finds all of it is neither verified nor placed nor lowered
// again.
//
// A module is found by a hash and a comparison of everything but the addresses of its arguments; these choose among its
// placements. A placement serves again only while the bytes that it chose for itself are free.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tcp/dsl/backend.hpp"
#include "tcp/ir/place.hpp"

namespace tcp::detail {

/// The addresses that the arguments of a recording have; -1: none.
std::vector<std::int64_t> argument_addresses_of(const ir::Module& recorded);

/// A module with an address for every tensor.
class Placement {
 public:
  /// `recorded`: the module before it was placed.
  Placement(ir::Verified placed, const ir::Module& recorded);

  const ir::Verified& verified() const { return verified_; }
  const ir::Module& module() const { return verified_.module(); }
  /// As argument_addresses_of the recording.
  const std::vector<std::int64_t>& argument_addresses() const { return argument_addresses_; }
  /// Bytes that commands write on behalf of no tensor that lives on.
  const std::vector<ir::Taken>& overwritten() const { return overwritten_; }
  /// Whether none of the bytes that were chosen for its tensors is among these, which are sorted by their begin.
  bool fits_beside(const std::vector<ir::Taken>& taken) const;

  std::unique_ptr<Keepsake> keepsake;  // the backend's, who alone touches it

 private:
  void note_chosen(const ir::Module& recorded);
  void note_overwritten();

  ir::Verified verified_;
  std::vector<std::int64_t> argument_addresses_;
  std::vector<ir::Taken> chosen_;  // sorted, and none touches another of the same memory
  std::vector<ir::Taken> overwritten_;
};

/// A kernel as it was recorded, and the placements that it has had.
class KeptModule {
 public:
  explicit KeptModule(ir::Module recorded) : recorded_(std::move(recorded)) {}

  const ir::Module& recorded() const { return recorded_; }
  /// A placement with these addresses that fits beside what others take; none: null.
  std::shared_ptr<Placement> find(const std::vector<std::int64_t>& argument_addresses, const std::vector<ir::Taken>& taken) const;
  /// The one that was not used for longest makes room.
  void add(std::shared_ptr<Placement> placement);
  /// A measure of the memory that it takes.
  std::size_t commands() const { return recorded_.commands.size() * (1 + placements_.size()); }

 private:
  static constexpr std::size_t most_placements = 128;

  ir::Module recorded_;
  mutable std::vector<std::shared_ptr<Placement>> placements_;  // the last one used is the last
};

/// The modules of a session.
class KeptModules {
 public:
  /// The kept module that is the same recording; none: null.
  std::shared_ptr<KeptModule> find(const ir::Module& recorded);
  /// Modules that were not used for longest make room.
  std::shared_ptr<KeptModule> add(ir::Module recorded);

 private:
  static constexpr std::size_t most_commands = 200'000;

  struct Entry {
    std::shared_ptr<KeptModule> module;
    std::uint64_t used;
  };
  void make_room();

  std::unordered_map<std::uint64_t, std::vector<Entry>> by_hash_;
  std::uint64_t clock_ = 0;
  std::size_t until_next_count_ = 64;  // modules to be added: counting all commands takes time
};

}  // namespace tcp::detail
