// One pass of the Tensor Unit while it is walked, engine by engine.
#pragma once

#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cells.hpp"
#include "walker.hpp"

namespace tcp::walker {

/// Thrown where a configuration and a mapping disagree.
struct Disagreement : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is known of a place beside its name.
enum class Kind : std::uint8_t { junk, element, zero, identity };

/// Where an engine takes what it puts out.
struct Origin {
  Kind kind = Kind::junk;  // element: from the place below; else put in by the engine itself, or left open
  std::int64_t slice = 0, time = 0, packet = 0;
};

/// What earlier commands have put into the register files.
struct Stored {
  std::map<ir::TensorId, program::TrfStore> trf;
  std::map<ir::TensorId, program::VrfStore> vrf;
};

class PassWalk {
 public:
  PassWalk(const ir::Module& module, const Device& device, const ir::Pass& pass, const ir::PassFacts& facts, const program::Exec& exec,
           Stored& stored);

  void run();
  std::int64_t places() const { return places_; }

 private:
  struct Unit {
    std::int64_t chip = 0, cluster = 0;
  };

  // pass_walk.cpp
  Levels in(std::size_t i) const;
  ScalarType type_in(std::size_t i) const;
  ScalarType type_out(std::size_t i) const { return facts_.stages[i].out.type; }
  Levels out(std::size_t i) const { return module_.levels(facts_.stages[i].out); }
  [[noreturn]] void disagree(const std::string& what) const;
  [[noreturn]] void disagree(const Place& at, const std::string& what) const;
  void demand(bool holds, const char* what) const {
    if (!holds) disagree(what);
  }
  void stage(std::size_t i);
  void check_units() const;
  /// The stream behind a stage that computes: its elements are there, and its padding is what the rules say.
  void begin_stream(const Levels& levels);
  std::size_t index(std::size_t unit, std::int64_t slice, std::int64_t time, std::int64_t packet) const {
    return static_cast<std::size_t>(((static_cast<std::int64_t>(unit) * slices_ + slice) * times_ + time) * packets_ + packet);
  }
  Kind kind(std::size_t unit, const Origin& o) const { return kind_[index(unit, o.slice, o.time, o.packet)]; }
  template <class Where>
  void moved(const Levels& to, Where where);
  /// Visits all places of the slices that hold something; the packet fastest.
  template <class Visit>
  void each_place(const Cells& cells, Visit visit);
  void spot_check(const Cells& cells, const Place& place);

  // moving.cpp
  void fetch(const program::Fetch& f);
  void move_switch(const program::Switch& s);
  void collect(const program::Collect& c);
  void cast(ScalarType from, ScalarType to);
  void transpose(const program::Transpose& t);
  void commit(const program::Commit& c);
  void store_trf(const program::TrfStore& s);
  void store_vrf(const program::VrfStore& s);
  template <class Where>
  void put_away(ir::TensorId to, ScalarType type, Where where, const SliceMask* writers);

  // contraction.cpp
  void contraction(const program::Contraction& c, std::size_t align);
  void adapter(const program::Contraction& c, const Levels& at);
  void weights(const program::Contraction& c, const Levels& at, ir::TensorId trf);
  void zero_lanes(const program::Contraction& c, const Levels& at, ir::TensorId trf);
  Origin adapted(const program::Contraction& c, const Place& p) const;
  std::int64_t begin_in_row(ir::TensorId trf) const;
  static std::int64_t weight(const program::Contraction& c, const Place& p, std::int64_t begin);
  std::vector<Kind> sums(const program::Contraction& c, const Levels& at, const Levels& to);
  static bool lane_is_zero(const program::Contraction& c, std::int64_t step, std::int64_t lane);

  // vector.cpp
  void vector_step(const program::Vector& v);
  void reshape(const program::ReshapeStep& step);
  void unzip(const program::UnzipStep& step);
  void operand(const program::VrfWalk& w, ir::TensorId vrf, bool writes);
  void toggle(const program::Toggle& t, Name axis);
  void branch_by_count();
  void intra_slice(const program::IntraSliceReduceStep& step);
  void inter_slice(const program::InterSliceReduceStep& step, std::int64_t time_out);
  void start_counts(const program::ValidCount* registers);
  std::int64_t count(std::int64_t slice, std::int64_t time) const { return count_[static_cast<std::size_t>(slice * times_ + time)]; }
  void check_folded(std::size_t unit, const std::optional<std::uint32_t>& identity, bool folded, const Cells::Held& held,
                    const Place& at) const;

  const ir::Module& module_;
  const Device& device_;
  const ir::Pass& pass_;
  const ir::PassFacts& facts_;
  const program::Exec& exec_;
  Stored& stored_;
  std::size_t i_ = 0;  // the stage at hand
  std::vector<Unit> units_;
  Levels levels_{};  // of the stream at hand
  std::int64_t slices_ = 1, times_ = 1, packets_ = 1;
  std::vector<Kind> kind_;
  std::optional<std::uint32_t> mask_value_;  // what masked elements hold behind the fetch, if it is not zero
  std::size_t step_ = 0;                     // of the vector engine
  std::vector<std::uint8_t> count_;          // of each flit
  std::int64_t places_ = 0;
};

/// The digit of a number in mixed radix, outermost first, times weights: what nested loops do.
template <class Loops, class Size, class Weight>
std::int64_t walked(const Loops& loops, std::int64_t position, Size size, Weight weight) {
  std::int64_t sum = 0;
  for (std::size_t k = loops.size(); k-- > 0;) {
    std::int64_t const n = size(loops[k]);
    sum += position % n * weight(loops[k]);
    position /= n;
  }
  return sum;
}
inline std::int64_t walked(const std::vector<program::Loop>& loops, std::int64_t position) {
  return walked(loops, position, [](const program::Loop& l) { return l.size; }, [](const program::Loop& l) { return l.stride; });
}
inline std::int64_t rounds(const std::vector<program::Loop>& loops) {
  std::int64_t n = 1;
  for (const program::Loop& l : loops) n *= l.size;
  return n;
}

template <class Visit>
void PassWalk::each_place(const Cells& cells, Visit visit) {
  for (std::size_t u = 0; u < units_.size(); ++u)
    for (std::int64_t s = 0; s < cells.size(Level::slice); ++s) {
      if (cells.padded(Level::slice, s)) continue;
      for (std::int64_t r = 0; r < cells.size(Level::row); ++r) {
        if (cells.padded(Level::row, r)) continue;
        for (std::int64_t t = 0; t < cells.size(Level::time); ++t)
          for (std::int64_t p = 0; p < cells.size(Level::packet); ++p) {
            Place const place{units_[u].chip, units_[u].cluster, s, r, 0, t, p};
            if (places_++ % 61 == 0) spot_check(cells, place);
            visit(u, place);
          }
      }
    }
}

/// The engine takes each place of `to` from where `where` says.
template <class Where>
void PassWalk::moved(const Levels& to, Where where) {
  AxisNumbers numbers({&levels_, &to});
  numbers.keep(levels_);  // an axis that comes in new is a copy
  Cells const before(levels_, numbers), behind(to, numbers);
  std::vector<Kind> made(units_.size() * static_cast<std::size_t>(to[Level::slice].size * to[Level::time].size * to[Level::packet].size),
                         Kind::junk);
  std::int64_t const times = to[Level::time].size, packets = to[Level::packet].size, slices = to[Level::slice].size;
  each_place(behind, [&](std::size_t u, const Place& at) {
    Origin const from = where(at.slice, at.time, at.packet);
    Kind k = from.kind;
    Cells::Held const want = behind.at(at);
    if (k == Kind::element) {
      if (from.slice < 0 || from.slice >= slices_ || from.time < 0 || from.time >= times_ || from.packet < 0 || from.packet >= packets_) {
        if (want.live()) disagree(at, "comes from outside of the stream");
        k = Kind::junk;
      } else {
        k = kind(u, from);
      }
    }
    if (want.live()) {
      if (k != Kind::element) disagree(at, "must hold an element, and gets none");
      if (before.name({at.chip, at.cluster, from.slice, 0, 0, from.time, from.packet}) != want.name) disagree(at, "gets another element");
    } else {
      if (k == Kind::element) k = Kind::junk;
      if (want.pad == Pad::zero && k == Kind::junk) disagree(at, "is zero padding, and gets something else");
    }
    made[static_cast<std::size_t>(((static_cast<std::int64_t>(u) * slices + at.slice) * times + at.time) * packets + at.packet)] = k;
  });
  levels_ = to;
  slices_ = slices;
  times_ = times;
  packets_ = packets;
  kind_ = std::move(made);
}

}  // namespace tcp::walker
