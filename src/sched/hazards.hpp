// Which commands must wait for which, by the bytes that they touch.
//
// For each memory and set of units there is a map from addresses to who wrote there last and who has read it since. A
// command looks up its ranges, and then enters itself; what it overwrites is forgotten, so that the maps stay as small
// as memory is divided.
#pragma once

#include <map>
#include <vector>

#include "tcp/program/schedule.hpp"
#include "tcp/sched/unit_sets.hpp"

namespace tcp::sched {

/// Queues that are worked off in order; a command belongs to the first of its resources.
inline constexpr std::size_t queues = 4;
std::size_t queue_of(program::Resources resources);

enum class Kept {
  /// The last of the commands of one queue that must be waited for: it ends after the others as long as queues are in
  /// order.
  last_of_queue,
  all
};

class Hazards {
 public:
  /// `resources[i]` are what command i occupies.
  /// `whole_buffers`: a command that touches a part of a tensor in DM counts as touching all of it.
  Hazards(const program::Program& program, const std::vector<program::Resources>& resources, Kept kept, bool whole_buffers);

  /// The edges to the next command, in program order. Every one is to be asked for.
  const std::vector<program::Edge>& next();
  /// The commands whose results the command of the last next() reads: all of them, each once.
  const std::vector<std::int32_t>& producers() const { return producers_; }

 private:
  struct Segment {
    std::int64_t end = 0;
    std::int32_t writer = -1;
    std::vector<std::int32_t> readers;  // since it was written; with last_of_queue at most one a queue
  };
  using Segments = std::map<std::int64_t, Segment>;
  struct Span {
    std::size_t set;
    program::Memory memory;
    std::int64_t begin, end;
  };

  std::vector<Span> spans(const std::vector<program::Range>& ranges);
  Segments& of(std::size_t set);
  static void cut_at(Segments& segments, std::int64_t address);
  void look_up(const Span& span, bool writes);
  void enter_read(const Span& span);
  void enter_write(const Span& span);
  void add_reader(Segment& segment);
  void wait_for(std::int32_t from, program::EdgeKind kind, const Span& span, std::int64_t begin, std::int64_t end);

  const program::Program& program_;
  const std::vector<program::Resources>& resources_;
  Kept kept_;
  bool whole_buffers_;
  UnitSets sets_;
  std::vector<Segments> segments_;  // by set
  std::int32_t command_ = -1;
  std::vector<program::Edge> edges_;
  std::vector<std::int32_t> producers_;
  std::vector<std::int32_t> seen_, seen_producer_;  // by command: the last one that has an edge from it
};

}  // namespace tcp::sched
