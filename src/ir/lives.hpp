// How long tensors live: which of them a command touches, from when to when each is in use, and which bytes it takes
// meanwhile.
//
// The overlap check of the verifier and the placement of tensors without an address ask the same questions, so that
// what one places the other accepts. All of it counts in roots: a view lives in the tensor that it looks at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/support/interval.hpp"

namespace tcp::ir {

/// What a command, or a stage of a pass, reads and writes.
struct Uses {
  std::vector<TensorId> reads, writes;
};
Uses uses_of(const Command& command);
Uses uses_of(const Pass& pass);
Uses uses_of(const StageRecord& stage);

/// For each tensor the one that its view, or view of a view, looks at; a tensor that is no view is its own root. Views
/// come after what they look at.
Indexed<TensorId, TensorId> roots_of(const Module& module);

/// From the first command that touches a tensor or a view of it to the last, both included.
struct Life {
  TensorId tensor{};
  CommandId first{0}, last{0};

  bool meets(const Life& other) const { return first <= other.last && other.first <= last; }
};

/// The lives of all roots that are in use at some time, those that begin first in front. What others know too
/// (arguments, results, tensors at raw addresses) lives all the time, also if no command touches it.
std::vector<Life> lives_of(const Module& module, const Indexed<TensorId, TensorId>& roots);

/// The bytes of one slice, PE or chip, or the part of the TRF, that a root takes. None while its place is not known,
/// and for the host's memory.
std::optional<Interval> extent_of(const Module& module, const Device& device, TensorId root);

/// Two tensors that want the same bytes while both are alive.
struct Clash {
  TensorId later = none, earlier = none;
  Interval later_bytes{}, earlier_bytes{};
};
/// The first clash in one memory, in the order of `lives`.
std::optional<Clash> clash_in(const Module& module, const Device& device, Memory memory, const std::vector<Life>& lives);

/// Whether two views of one root, or the root itself, have elements in the same places.
bool share_places(const Module& module, TensorId a, TensorId b);

/// Whether a command is a pass with a stash, which takes some of the VRF.
bool stashes(const Command& command);

/// Its name, for a sentence.
std::string name_of_tensor(const Module& module, TensorId id);

}  // namespace tcp::ir
