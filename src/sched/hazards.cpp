// Takes the commands in program order and keeps, for every stretch of bytes, its last writer and the readers since;
// what a command touches gives the edges that it waits for.
#include "sched/hazards.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tcp::sched {

using program::EdgeKind;
using program::Memory;

std::size_t queue_of(program::Resources resources) {
  for (std::size_t q = 0; q < queues; ++q)
    if ((resources >> q & 1) != 0) return q;
  return 0;
}

Hazards::Hazards(const program::Program& program, const std::vector<program::Resources>& resources, Kept kept, bool whole_buffers)
    : program_(program),
      resources_(resources),
      kept_(kept),
      whole_buffers_(whole_buffers),
      seen_(program.commands.size(), -1),
      seen_producer_(program.commands.size(), -1) {}

const std::vector<program::Edge>& Hazards::next() {
  const program::Command& command = program_.commands[static_cast<std::size_t>(++command_)];
  edges_.clear();
  producers_.clear();
  std::vector<Span> const reads = spans(command.reads), writes = spans(command.writes);
  for (const Span& s : reads) look_up(s, false);
  for (const Span& s : writes) look_up(s, true);
  for (const Span& s : reads) enter_read(s);
  for (const Span& s : writes) enter_write(s);
  return edges_;
}

std::vector<Hazards::Span> Hazards::spans(const std::vector<program::Range>& ranges) {
  std::vector<Span> made;
  for (const program::Range& r : ranges)
    if (whole_buffers_ && r.buffer_begin < r.buffer_end)
      made.push_back({sets_.number(r.memory, r.units), r.memory, r.buffer_begin, r.buffer_end});
    else if (r.begin < r.end) made.push_back({sets_.number(r.memory, r.units), r.memory, r.begin, r.end});
  return made;
}

Hazards::Segments& Hazards::of(std::size_t set) {
  if (segments_.size() <= set) segments_.resize(sets_.size());
  return segments_[set];
}

void Hazards::cut_at(Segments& segments, std::int64_t address) {
  auto const after = segments.lower_bound(address);
  if (after == segments.begin()) return;
  auto const holds = std::prev(after);
  if (holds->second.end <= address) return;
  Segment upper = holds->second;
  holds->second.end = address;
  segments.emplace_hint(after, address, std::move(upper));
}

void Hazards::look_up(const Span& span, bool writes) {
  for (std::size_t set : sets_.meeting(span.set)) {
    Segments& segments = of(set);
    auto s = segments.upper_bound(span.begin);
    if (s != segments.begin() && std::prev(s)->second.end > span.begin) --s;
    for (; s != segments.end() && s->first < span.end; ++s) {
      std::int64_t const begin = std::max(span.begin, s->first), end = std::min(span.end, s->second.end);
      if (!writes) wait_for(s->second.writer, EdgeKind::Raw, span, begin, end);
      else if (s->second.readers.empty()) wait_for(s->second.writer, EdgeKind::Waw, span, begin, end);
      if (writes)
        for (std::int32_t reader : s->second.readers) wait_for(reader, EdgeKind::War, span, begin, end);
    }
  }
}

void Hazards::wait_for(std::int32_t from, EdgeKind kind, const Span& span, std::int64_t begin, std::int64_t end) {
  if (from < 0 || from == command_) return;
  std::size_t const at = static_cast<std::size_t>(from);
  if (kind == EdgeKind::Raw && std::exchange(seen_producer_[at], command_) != command_) producers_.push_back(from);
  program::Edge edge{kind, from, command_, {}, span.memory, begin, end};
  if (kept_ == Kept::all) {
    if (std::exchange(seen_[at], command_) != command_) edges_.push_back(edge);
    return;
  }
  for (program::Edge& e : edges_) {
    if (queue_of(resources_[static_cast<std::size_t>(e.from)]) != queue_of(resources_[at])) continue;
    if (e.from < from) e = edge;
    return;
  }
  edges_.push_back(edge);
}

void Hazards::add_reader(Segment& segment) {
  if (kept_ == Kept::last_of_queue)
    for (std::int32_t& reader : segment.readers)
      if (queue_of(resources_[static_cast<std::size_t>(reader)]) == queue_of(resources_[static_cast<std::size_t>(command_)])) {
        reader = command_;
        return;
      }
  if (segment.readers.empty() || segment.readers.back() != command_) segment.readers.push_back(command_);
}

void Hazards::enter_read(const Span& span) {
  Segments& segments = of(span.set);
  cut_at(segments, span.begin);
  cut_at(segments, span.end);
  std::int64_t at = span.begin;
  for (auto s = segments.lower_bound(span.begin); at < span.end; ++s) {
    if (s == segments.end() || s->first > at) {  // bytes that no command has touched yet
      std::int64_t const until = s == segments.end() ? span.end : std::min(span.end, s->first);
      s = segments.emplace_hint(s, at, Segment{until, -1, {}});
    }
    add_reader(s->second);
    at = s->second.end;
  }
}

void Hazards::enter_write(const Span& span) {
  for (std::size_t set : sets_.meeting(span.set)) {
    if (!sets_.covers(span.set, set)) continue;  // units that are not written keep their history
    Segments& segments = of(set);
    cut_at(segments, span.begin);
    cut_at(segments, span.end);
    segments.erase(segments.lower_bound(span.begin), segments.lower_bound(span.end));
  }
  of(span.set)[span.begin] = Segment{span.end, command_, {}};
}

}  // namespace tcp::sched
