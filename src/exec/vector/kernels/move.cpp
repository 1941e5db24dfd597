// Moves: the normal form of a nest of loops, and the choice between runs, transposes and single elements.
//
// Large moves write past the caches, in whole lines: a line that is going to be overwritten need not be read first, and
// what is read again soon stays. Runs of whole lines follow the order of the source. Shorter runs are gathered into a
// stage that fits the first-level cache and streamed out from there.
#include "exec/vector/kernels/move.hpp"

#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "exec/vector/kernels/in_parallel.hpp"
#include "exec/vector/kernels/move_blocks.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/round.hpp"

namespace tcp::vector::kernels {
namespace {

constexpr std::int64_t stream_from = std::int64_t{32} << 20;  // bytes: beyond what caches hold
constexpr std::int64_t stage_bytes = 16 << 10;

using Loops = std::vector<MoveLoop>;  // here strides count bytes

/// Law: the same elements are copied. No loop has one round; none walks both sides as its outer neighbour's
/// continuation; destination strides fall.
Loops normal_form(const Loops& loops, int element_bytes) {
  Loops n;
  for (const MoveLoop& l : loops)
    if (l.size != 1) n.push_back({l.size, l.from * element_bytes, l.to * element_bytes});
  std::sort(n.begin(), n.end(), [](const MoveLoop& a, const MoveLoop& b) { return std::abs(a.to) > std::abs(b.to); });
  for (std::size_t i = n.size(); i-- > 1;) {
    MoveLoop& outer = n[i - 1];
    const MoveLoop& inner = n[i];
    if (outer.from != inner.from * inner.size || outer.to != inner.to * inner.size) continue;
    outer = {outer.size * inner.size, inner.from, inner.to};
    n.erase(n.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return n;
}

/// Calls each(to, from) for every round.
template <class Each>
void rounds(const MoveLoop* loops, std::size_t count, std::byte* to, const std::byte* from, const Each& each) {
  if (count == 0) return each(to, from);
  MoveLoop const l = loops[0];
  if (count == 1) {
    for (std::int64_t i = 0; i < l.size; ++i) each(to + i * l.to, from + i * l.from);
    return;
  }
  for (std::int64_t i = 0; i < l.size; ++i) rounds(loops + 1, count - 1, to + i * l.to, from + i * l.from, each);
}

template <std::size_t bytes>
void copy_runs_of(const MoveLoop* loops, std::size_t count, std::byte* to, const std::byte* from) {
  rounds(loops, count, to, from, [](std::byte* t, const std::byte* f) { std::memcpy(t, f, bytes); });
}

void copy_runs(const MoveLoop* loops, std::size_t count, std::int64_t bytes, std::byte* to, const std::byte* from) {
  switch (bytes) {
    case 1: return copy_runs_of<1>(loops, count, to, from);
    case 2: return copy_runs_of<2>(loops, count, to, from);
    case 4: return copy_runs_of<4>(loops, count, to, from);
    case 8: return copy_runs_of<8>(loops, count, to, from);
    case 16: return copy_runs_of<16>(loops, count, to, from);
    case 32: return copy_runs_of<32>(loops, count, to, from);
    case 64: return copy_runs_of<64>(loops, count, to, from);
    case 128: return copy_runs_of<128>(loops, count, to, from);
    default: break;
  }
  auto const n = static_cast<std::size_t>(bytes);
  rounds(loops, count, to, from, [n](std::byte* t, const std::byte* f) { std::memcpy(t, f, n); });
}

bool on_lines(const std::byte* to) { return reinterpret_cast<std::uintptr_t>(to) % line_bytes == 0; }

/// Whole lines follow the source.
void stream_runs(Loops loops, std::int64_t bytes, std::byte* to, const std::byte* from) {
  std::sort(loops.begin(), loops.end(), [](const MoveLoop& a, const MoveLoop& b) { return std::abs(a.from) > std::abs(b.from); });
  rounds(loops.data(), loops.size(), to, from, [bytes](std::byte* t, const std::byte* f) { stream_lines(t, f, bytes); });
}

/// How many of the inner loops, which write without a gap, fit the stage together with the run.
struct Stage {
  std::size_t outer = 0;  // loops that are not staged
  std::int64_t bytes = 0;
};
Stage stage_of(const Loops& loops, std::int64_t run) {
  Stage s{loops.size(), run};
  while (s.outer > 0 && loops[s.outer - 1].to == s.bytes && s.bytes * loops[s.outer - 1].size <= stage_bytes) {
    --s.outer;
    s.bytes *= loops[s.outer].size;
  }
  return s;
}

void stream_staged(const Loops& loops, const Stage& stage, std::int64_t run, std::byte* to, const std::byte* from) {
  alignas(line_bytes) std::byte staged[stage_bytes];
  rounds(loops.data(), stage.outer, to, from, [&](std::byte* t, const std::byte* f) {
    copy_runs(loops.data() + stage.outer, loops.size() - stage.outer, run, staged, f);
    stream_lines(t, staged, stage.bytes);
  });
}

bool whole_lines(const Loops& loops, std::size_t count, std::int64_t run, const std::byte* to) {
  bool whole = on_lines(to) && run % line_bytes == 0;
  for (std::size_t i = 0; i < count; ++i) whole = whole && loops[i].to % line_bytes == 0;
  return whole;
}

void move_runs(const Loops& loops, std::int64_t run, bool stream, std::byte* to, const std::byte* from) {
  if (stream && whole_lines(loops, loops.size(), run, to)) return stream_runs(loops, run, to, from);
  if (stream && run >= 16 && run < line_bytes) {
    Stage const stage = stage_of(loops, run);
    if (stage.outer < loops.size() && whole_lines(loops, stage.outer, stage.bytes, to)) return stream_staged(loops, stage, run, to, from);
  }
  copy_runs(loops.data(), loops.size(), run, to, from);
}

template <class T>
void repeat(const MoveLoop* loops, std::size_t count, std::int64_t times, std::byte* to, const std::byte* from) {
  rounds(loops, count, to, from, [times](std::byte* t, const std::byte* f) {
    T value;
    std::memcpy(&value, f, sizeof(T));
    for (std::int64_t i = 0; i < times; ++i) std::memcpy(t + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
  });
}

void repeat_elements(const Loops& outer, std::int64_t times, int element_bytes, std::byte* to, const std::byte* from) {
  if (element_bytes == 1) repeat<std::uint8_t>(outer.data(), outer.size(), times, to, from);
  else if (element_bytes == 2) repeat<std::uint16_t>(outer.data(), outer.size(), times, to, from);
  else repeat<std::uint32_t>(outer.data(), outer.size(), times, to, from);
}

/// Neighbours that move together are one larger element, if every stride is a multiple of it.
int widened(Loops& loops, int element_bytes) {
  if (loops.empty() || loops.back().from != element_bytes || loops.back().to != element_bytes) return element_bytes;
  std::int64_t const bytes = loops.back().size * element_bytes;
  if (bytes != 2 && bytes != 4) return element_bytes;
  loops.pop_back();
  return static_cast<int>(bytes);
}

/// Loops in normal form; strides count bytes.
void move_nest(Loops loops, int element_bytes, bool stream, std::byte* to, const std::byte* from) {
  element_bytes = widened(loops, element_bytes);
  if (loops.empty()) return copy_runs(nullptr, 0, element_bytes, to, from);
  MoveLoop const inner = loops.back();
  if (inner.to != element_bytes) return copy_runs(loops.data(), loops.size(), element_bytes, to, from);
  Loops outer(loops.begin(), loops.end() - 1);
  if (inner.from == element_bytes) return move_runs(outer, inner.size * element_bytes, stream, to, from);
  if (inner.from == 0) return repeat_elements(outer, inner.size, element_bytes, to, from);
  auto const across = std::find_if(outer.begin(), outer.end(), [&](const MoveLoop& l) { return l.from == element_bytes; });
  if (across == outer.end()) return copy_runs(loops.data(), loops.size(), element_bytes, to, from);
  MoveLoop const columns = *across;
  outer.erase(across);
  rounds(outer.data(), outer.size(), to, from, [&](std::byte* t, const std::byte* f) {
    transpose({f, t, inner.size, columns.size, inner.from, columns.to}, element_bytes, stream);
  });
}

std::int64_t bytes_of(const Loops& loops, int element_bytes) {
  std::int64_t bytes = element_bytes;
  for (const MoveLoop& l : loops) bytes *= l.size;
  return bytes;
}

}  // namespace

void move(const Loops& loops, int element_bytes, const std::byte* from, std::byte* to) { move(loops, element_bytes, from, to, 1); }

void move(const Loops& loops, int element_bytes, const std::byte* from, std::byte* to, int threads) {
  TCP_BUG_UNLESS(element_bytes == 1 || element_bytes == 2 || element_bytes == 4, "a move of elements that are not 1, 2 or 4 bytes");
  Loops const nest = normal_form(loops, element_bytes);
  std::int64_t const bytes = bytes_of(nest, element_bytes);
  if (bytes == 0) return;
  bool const stream = bytes >= stream_from;
  if (threads > 1) threads = std::min(threads, tbb::info::default_concurrency());
  constexpr std::int64_t worth_a_thread = 1 << 20;
  if (threads <= 1 || bytes < 2 * worth_a_thread) {
    move_nest(nest, element_bytes, stream, to, from);
    if (stream) stream_end();
    return;
  }
  // The outermost loop is cut: threads write far apart. A nest that is one run is cut on lines.
  MoveLoop const cut = nest.front();
  std::int64_t const grain = std::max<std::int64_t>(1, cut.size / (4 * threads) / line_bytes * line_bytes);
  tbb::task_arena(threads).execute([&] {
    in_parallel(ceil_div(cut.size, grain), [&](std::int64_t i) {
      Loops part = nest;
      part.front().size = std::min(grain, cut.size - i * grain);
      if (part.front().size == 1) part.erase(part.begin());
      move_nest(std::move(part), element_bytes, stream, to + i * grain * cut.to, from + i * grain * cut.from);
      if (stream) stream_end();
    });
  });
}

void fill(const Loops& loops, int element_bytes, std::uint32_t value, std::byte* to) {
  Loops from_one = loops;
  for (MoveLoop& l : from_one) l.from = 0;
  std::byte element[4];
  std::memcpy(element, &value, 4);
  move(from_one, element_bytes, element, to);
}

void unpack_nibbles(const std::byte* packed, std::int64_t first, std::int64_t count, std::byte* cells) {
  std::int64_t i = 0;
  for (; i < count && (first + i) % 2 != 0; ++i) cells[i] = packed[(first + i) / 2] >> 4;
  const std::byte* const at = packed + (first + i) / 2;
  std::int64_t const pairs = (count - i) / 2;
  for (std::int64_t p = 0; p < pairs; ++p) {
    cells[i + 2 * p] = at[p] & std::byte{0xf};
    cells[i + 2 * p + 1] = at[p] >> 4;
  }
  if ((count - i) % 2 != 0) cells[count - 1] = at[pairs] & std::byte{0xf};
}

void pack_nibbles(const std::byte* cells, std::int64_t first, std::int64_t count, std::byte* packed) {
  std::int64_t i = 0;
  for (; i < count && (first + i) % 2 != 0; ++i) packed[(first + i) / 2] = (packed[(first + i) / 2] & std::byte{0xf}) | cells[i] << 4;
  std::byte* const at = packed + (first + i) / 2;
  std::int64_t const pairs = (count - i) / 2;
  for (std::int64_t p = 0; p < pairs; ++p) at[p] = (cells[i + 2 * p] & std::byte{0xf}) | cells[i + 2 * p + 1] << 4;
  if ((count - i) % 2 != 0) at[pairs] = (at[pairs] & std::byte{0xf0}) | (cells[count - 1] & std::byte{0xf});
}

}  // namespace tcp::vector::kernels
