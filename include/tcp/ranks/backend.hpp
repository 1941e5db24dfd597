// A backend for one of several ranks. Every rank records the same program; this runs the part of it that belongs to the
// rank's chips, by the backend that it is given, and turns what goes from chip to chip into messages.
//
// A kernel is split where a transfer leaves its chip. What is between two such transfers is a module for one chip,
// and each rank runs it for each of its chips; the transfer itself is a list of runs of bytes, worked out once: a rank
// sends those that lie on its chips and receives those that go there. Tensors in the host's memory are the same on all
// ranks: an upload takes what belongs to the rank's chips, a download gathers all of it everywhere.
//
// The bits are those of a single process for every number of ranks. Where a kernel cannot be split (docs/machines.md),
// or is refused on a chip, every rank gathers its arguments, runs all of it, and keeps its own chips' results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tcp/dsl/backend.hpp"
#include "tcp/ranks/shares.hpp"
#include "tcp/ranks/wire.hpp"

namespace tcp::ranks {

/// What a backend has done, for tests and reports.
struct Traffic {
  std::int64_t kernels = 0;     // that were run, without uploads and downloads
  std::int64_t whole = 0;       // of them: run by every rank as a whole
  std::string why{};            // of the last of these
  std::int64_t exchanges = 0;   // transfers between chips
  std::int64_t messages = 0;    // sent by this rank
  std::int64_t bytes = 0;       // in these
  std::int64_t bytes_held = 0;  // of tensors of this rank's chips that the last module took or made
};

/// `wire` and `traffic` must outlive it; `traffic` may be null.
std::unique_ptr<Backend> over_ranks(std::unique_ptr<Backend> inner, Wire& wire, const Shares& shares, Traffic* traffic = nullptr);

}  // namespace tcp::ranks
