// A Vector Engine that does literally what its record says, for tests: it sees program.hpp and numbers, no mapping and no rule.
//
// Of the operations it knows those that the tests use (AddFxp and MulInt of i32); everything that steers them is complete: counts, execution ids, operand slots,
// walks through VRF, stash, groups, filter, reduces within and across slices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tcp/program/program.hpp"

namespace tcp::machine {

using Word = std::uint32_t;

struct Lane {
  Word bits = 0;
  int id = 0;
};
struct Flit {
  std::vector<Lane> lane;
  std::int64_t count = 0;
};
/// [slice][time step]
using Stream = std::vector<std::vector<Flit>>;

/// The book's formulas, VCG-34 to VCG-48.
inline std::int64_t valid_count(const program::ValidCount& c, std::int64_t slice, std::int64_t t) {
  std::map<int, std::int64_t> index;
  std::int64_t packet_lanes = c.lanes, before = 1;
  bool packet_seen = false;
  for (const auto& counter : c.counters) {
    index[counter.serves] += t / before % counter.limit * counter.stride;
    before *= counter.limit;
    if (counter.serves == 0 && !packet_seen) packet_lanes = counter.stride, packet_seen = true;
  }
  std::int64_t n = std::min(packet_lanes, std::max<std::int64_t>(0, c.packet_valid - index[0]));
  for (std::size_t g = 0; g < c.gates.size(); ++g) {
    std::uint64_t const masked = static_cast<std::uint64_t>(slice) & c.gates[g].mask;
    bool const in_time = index[static_cast<int>(g) + 1] < c.gates[g].valid;
    bool const open = masked < c.gates[g].match || (masked == c.gates[g].match ? in_time : c.gates[g].transposed && in_time);
    if (!open) n = 0;
  }
  return n;
}

/// Whether the fetch's mask replaces an element, by its number in the stream.
inline bool masked(const program::Mask& m, std::int64_t element) {
  std::vector<std::int64_t> at(m.loops.size());
  for (std::size_t k = m.loops.size(); k-- > 0; element /= m.loops[k]) at[k] = element % m.loops[k];
  std::size_t const last = static_cast<std::size_t>(m.last_dim);
  if (at[last] == 0 && at.back() < m.left_pad) return true;
  std::int64_t const valid =
      m.valid_count[m.valid_count_dim < 0 ? 0 : static_cast<std::size_t>(at[static_cast<std::size_t>(m.valid_count_dim)])];
  return at[last] == m.loops[last] - 1 && at.back() >= valid;
}

class VectorEngine {
 public:
  std::map<std::pair<std::int64_t, std::int64_t>, Word> vrf;  // by slice and byte address

  Stream run(const program::Vector& v, Stream in) {
    s_ = std::move(in);
    for (auto& slice : s_)
      for (Flit& f : slice) f.count = static_cast<std::int64_t>(f.lane.size());
    for (std::size_t i = 0; i < v.steps.size(); ++i) {
      if (v.valid_count && static_cast<std::size_t>(v.counted_before) == i) counted_ = true;
      if (v.valid_count && static_cast<std::size_t>(v.counted_before) == i)
        for (std::size_t s = 0; s < s_.size(); ++s)
          for (std::size_t t = 0; t < s_[s].size(); ++t)
            s_[s][t].count = valid_count(*v.valid_count, static_cast<std::int64_t>(s), static_cast<std::int64_t>(t));
      if (std::size_t const last = written_back(v.steps, i); last > i) {
        in_time(v.steps, i, last);
        i = last;
      } else {
        step(v.steps[i]);
      }
      for (const auto& slice : s_)
        if (static_cast<std::int64_t>(slice.size()) != v.steps[i].time_out * (groups_ ? 2 : 1)) throw std::logic_error("time_out");
    }
    return s_;
  }

 private:
  using Step = program::VectorStep;

  static std::int64_t walk(const program::VrfWalk& w, std::int64_t position) {
    std::int64_t address = w.address;
    for (std::size_t k = w.loops.size(); k-- > 0; position /= w.loops[k].size) address += position % w.loops[k].size * w.loops[k].stride;
    return address;
  }
  /// The place of lane l of flit t in Time and Packet together.
  std::int64_t position(std::size_t t, std::size_t l, std::size_t lanes) const {
    std::size_t const step = groups_ ? t / (2 * alternate_) * alternate_ + t % alternate_ : t;
    return static_cast<std::int64_t>(step * lanes + l);
  }

  /// The last step that writes an operand back, if the one at hand is an operation before it.
  static std::size_t written_back(const std::vector<Step>& steps, std::size_t i) {
    auto const operates = [&](std::size_t k) { return std::holds_alternative<program::OperateStep>(steps[k].what); };
    auto const writes = [&](std::size_t k) { return std::holds_alternative<program::WriteOperandStep>(steps[k].what); };
    if (!operates(i)) return 0;
    for (std::size_t k = i; k < steps.size() && (operates(k) || writes(k)); ++k)
      if (writes(k)) return k;
    return 0;
  }
  /// Flit by flit, so that each reads what those before it have written; within a flit every read comes before every write.
  void in_time(const std::vector<Step>& steps, std::size_t first, std::size_t last) {
    std::size_t const flits = s_[0].size();
    for (std::size_t t = 0; t < flits; ++t) {
      only_ = t;
      for (std::size_t i = first; i <= last; ++i) step(steps[i]);
    }
    only_.reset();
  }

  void step(const Step& step) {
    std::visit([&](const auto& what) { this->run_one(what, step.time_out); }, step.what);
  }
  void run_one(const program::BranchStep& b, std::int64_t) { branch(b); }
  void run_one(const program::BranchLogStep& b, std::int64_t) {
    each([&](std::size_t s, std::size_t t, std::size_t l, Flit& f) {
      vrf[{s, walk(b.to, position(t, l, f.lane.size()))}] = static_cast<Word>(f.lane[l].id);
    });
  }
  void run_one(const program::WriteOperandStep& w, std::int64_t) {
    each([&](std::size_t s, std::size_t t, std::size_t l, Flit& f) {
      if (static_cast<std::int64_t>(l) < f.count && (w.ids >> f.lane[l].id & 1) != 0)
        vrf[{s, walk(w.to, position(t, l, f.lane.size()))}] = f.lane[l].bits;
    });
  }
  void run_one(const program::OperateStep& o, std::int64_t) { operate(o); }
  void run_one(const program::ReshapeStep& r, std::int64_t) { reshape(r.width); }
  void run_one(const program::StashStep&, std::int64_t) { stash_ = s_; }
  void run_one(const program::UnzipStep& u, std::int64_t) {
    groups_ = true;
    alternate_ = static_cast<std::size_t>(u.alternate);
    each([&](std::size_t, std::size_t t, std::size_t l, Flit& f) { f.lane[l].id = t / alternate_ % 2 != 0 ? 8 : 0; });
  }
  void run_one(const program::FilterStep& f, std::int64_t time_out) { filter(f, time_out); }
  void run_one(const program::IntraSliceReduceStep& r, std::int64_t) { intra(r); }
  void run_one(const program::InterSliceReduceStep& r, std::int64_t time_out) { inter(r, time_out); }
  void run_one(const program::ReinterpretStep&, std::int64_t) { throw std::logic_error("no such step in this machine"); }
  void run_one(const program::ConvertStep&, std::int64_t) { throw std::logic_error("no such step in this machine"); }

  template <class Do>
  void each(Do action) {
    for (std::size_t s = 0; s < s_.size(); ++s)
      for (std::size_t t = only_.value_or(0); t < (only_ ? *only_ + 1 : s_[s].size()); ++t)
        for (std::size_t l = 0; l < s_[s][t].lane.size(); ++l) action(s, t, l, s_[s][t]);
  }

  static bool holds(const program::Comparison& c, Word bits) {
    auto const x = static_cast<std::int32_t>(bits), y = static_cast<std::int32_t>(c.boundary);
    switch (c.kind) {
      case program::Compare::Equal: return x == y;
      case program::Compare::Less: return x < y;
      case program::Compare::Greater: return x > y;
      case program::Compare::LessUnsigned: return bits < c.boundary;
      case program::Compare::GreaterUnsigned: return bits > c.boundary;
      case program::Compare::True: return true;
      case program::Compare::False: break;
    }
    return false;
  }
  void branch(const program::BranchStep& step) {
    each([&](std::size_t s, std::size_t t, std::size_t l, Flit& f) {
      int id = 0;
      std::int64_t const i = position(t, l, f.lane.size());
      if (const auto* toggle = std::get_if<program::Toggle>(&step.by)) {
        std::int64_t sum = toggle->start;
        for (const auto& c : toggle->counters) sum += (c.within == 0 ? i : i % c.within) / c.inside % c.size * c.weight;
        id = sum % 2 != 0 ? 8 : 0;
      }
      if (std::holds_alternative<program::ByValidCount>(step.by)) id = static_cast<std::int64_t>(l) < f.count ? 1 : 0;
      if (const auto* all = std::get_if<program::Comparisons>(&step.by))
        for (int c = 0; c < 4; ++c) id |= holds(all->each[static_cast<std::size_t>(c)], f.lane[l].bits) ? 1 << c : 0;
      if (const auto* log = std::get_if<program::VrfWalk>(&step.by)) id = static_cast<int>(vrf.at({s, walk(*log, i)}) & 15);
      f.lane[l].id = id;
    });
  }

  static Word compute(const program::OperateStep& step, Word a, Word b) {
    if (step.family != program::OperateStep::Family::Fxp) throw std::logic_error("no such family in this machine");
    if (step.op == 0) return a + b;  // AddFxp
    if (step.op == 7) return a * b;  // MulInt
    throw std::logic_error("no such operation in this machine");
  }
  void operate(const program::OperateStep& step) {
    using Group = program::OperateStep::Group;
    if (step.group == Group::Zip) {
      Stream out(s_.size());
      for (std::size_t s = 0; s < s_.size(); ++s)
        for (std::size_t t = 0; t < s_[s].size(); ++t) {
          if (t / alternate_ % 2 != 0) continue;
          Flit f = s_[s][t];
          for (std::size_t l = 0; l < f.lane.size(); ++l)
            f.lane[l] = {compute(step, f.lane[l].bits, s_[s][t + alternate_].lane[l].bits), 0};
          out[s].push_back(f);
        }
      groups_ = false;
      s_ = out;
      return;
    }
    each([&](std::size_t s, std::size_t t, std::size_t l, Flit& f) {
      Lane& lane = f.lane[l];
      bool const second = (lane.id & 8) != 0;
      if ((step.group == Group::Zero && second) || (step.group == Group::One && !second)) return;
      if (step.operands.empty()) lane.bits = compute(step, lane.bits, lane.bits);
      for (const program::OperandSlot& slot : step.operands) {
        if ((slot.ids >> lane.id & 1) == 0) continue;
        Word b = 0;
        if (const auto* immediate = std::get_if<program::Immediate>(&slot.source)) b = immediate->bits;
        if (const auto* w = std::get_if<program::VrfWalk>(&slot.source)) b = vrf.at({s, walk(*w, position(t, l, f.lane.size()))});
        if (std::holds_alternative<program::Stashed>(slot.source)) b = stash_.at(s).at(t).lane.at(l).bits;
        lane.bits = step.mode == 2 ? compute(step, b, lane.bits) : compute(step, lane.bits, b);
        return;
      }
    });
  }

  void reshape(program::ReshapeStep::Width width) {
    using Width = program::ReshapeStep::Width;
    for (auto& slice : s_) {
      std::vector<Flit> out;
      for (std::size_t t = 0; t < slice.size(); ++t) {
        Flit const& f = slice[t];
        if (width == Width::Split) {
          out.push_back({{f.lane.begin(), f.lane.begin() + 4}, std::min<std::int64_t>(f.count, 4)});
          out.push_back({{f.lane.begin() + 4, f.lane.end()}, std::max<std::int64_t>(f.count - 4, 0)});
        } else if (width == Width::Trim) {
          out.push_back({{f.lane.begin(), f.lane.begin() + 4}, std::min<std::int64_t>(f.count, 4)});
          trimmed_more_than_four |= counted_ && f.count > 4;
        } else if (width == Width::Concat) {
          Flit joined = f;
          Flit const& high = slice[++t];
          joined.lane.insert(joined.lane.end(), high.lane.begin(), high.lane.end());
          joined.count += high.count;
          out.push_back(joined);
        } else {
          Flit wide = f;
          wide.lane.resize(8, Lane{0xdeadbeef, 0});
          out.push_back(wide);
        }
      }
      slice = out;
    }
    if (groups_ && width == Width::Split) alternate_ *= 2;
    if (groups_ && width == Width::Concat) alternate_ /= 2;
  }

  void filter(const program::FilterStep& step, std::int64_t time_out) {
    for (std::size_t s = 0; s < s_.size(); ++s) {
      std::vector<Flit> out;
      std::int64_t kept = 0;
      for (const Flit& f : s_[s])
        for (std::size_t l = 0; l < f.lane.size(); ++l) {
          if (static_cast<std::int64_t>(l) >= f.count || (step.ids >> f.lane[l].id & 1) == 0) continue;
          if (kept % 8 == 0) out.push_back({std::vector<Lane>(8, Lane{0xdeadbeef, 0}), 8});
          out.back().lane[static_cast<std::size_t>(kept++ % 8)] = f.lane[l];
        }
      out.resize(static_cast<std::size_t>(time_out), {std::vector<Lane>(8, Lane{0xdeadbeef, 0}), 8});
      if (step.count_to) vrf[{s, step.count_to->address}] = static_cast<Word>(kept);
      s_[s] = out;
    }
  }

  static Word folded(std::uint8_t op, Word a, Word b) {
    auto const x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
    switch (op) {
      case 0: return a + b;
      case 1: return static_cast<Word>(static_cast<std::int32_t>(std::clamp<std::int64_t>(std::int64_t{x} + y, INT32_MIN, INT32_MAX)));
      case 2: return static_cast<Word>(std::max(x, y));
      case 3: return static_cast<Word>(std::min(x, y));
      default: throw std::logic_error("no such reduce in this machine");
    }
  }
  static void fold(std::uint8_t op, std::optional<Word>& into, std::optional<Word> x) {
    if (x) into = into ? folded(op, *into, *x) : *x;
  }
  void intra(const program::IntraSliceReduceStep& step) {
    for (auto& slice : s_) {
      std::int64_t results = 1;
      for (const auto& loop : step.loops) results *= loop.added ? 1 : loop.rounds;
      std::vector<std::vector<std::optional<Word>>> sums(static_cast<std::size_t>(results), std::vector<std::optional<Word>>(4));
      for (std::size_t t = 0; t < slice.size(); ++t) {
        std::int64_t rest = static_cast<std::int64_t>(t), to = 0, weight = 1;
        for (std::size_t k = step.loops.size(); k-- > 0; rest /= step.loops[k].rounds)
          if (!step.loops[k].added) {
            to += rest % step.loops[k].rounds * weight;
            weight *= step.loops[k].rounds;
          }
        auto& sum = sums[static_cast<std::size_t>(to)];
        auto lane = [&](std::size_t l) {
          return static_cast<std::int64_t>(l) < slice[t].count ? std::optional<Word>(slice[t].lane[l].bits) : std::nullopt;
        };
        if (step.tree) {
          std::optional<Word> low = lane(0), high = lane(2);
          fold(step.op, low, lane(1));
          fold(step.op, high, lane(3));
          fold(step.op, low, high);
          fold(step.op, sum[0], low);
        } else {
          for (std::size_t l = 0; l < 4; ++l) fold(step.op, sum[l], lane(l));
        }
      }
      slice.clear();
      for (std::size_t r = 0; r < sums.size(); ++r) {
        Flit f;
        for (const auto& x : sums[r]) f.lane.push_back({x.value_or(0xdeadbeef), 0});
        f.count = 4;
        slice.push_back(f);
      }
    }
  }
  void inter(const program::InterSliceReduceStep& step, std::int64_t time_out) {
    std::size_t const group = static_cast<std::size_t>(step.group_slices);
    std::size_t const lanes = s_[0][0].lane.size();
    std::int64_t fill = 1;
    for (const program::Loop& loop : step.from_step) fill *= loop.size;
    if (fill != step.group_slices * time_out) throw std::logic_error("from_step does not walk slices and steps");
    Stream out(s_.size());
    for (std::size_t s = 0; s < s_.size(); ++s)
      for (std::int64_t t = 0; t < time_out; ++t) {
        std::int64_t rest = static_cast<std::int64_t>(s % group) * time_out + t, from = 0;
        for (std::size_t k = step.from_step.size(); k-- > 0; rest /= step.from_step[k].size)
          from += rest % step.from_step[k].size * step.from_step[k].stride;
        Flit f;
        for (std::size_t l = 0; l < lanes; ++l) {
          std::optional<Word> sum;
          for (std::size_t g = s / group * group; g < s / group * group + group; ++g) {
            Flit const& in = s_[g][static_cast<std::size_t>(from) % s_[g].size()];
            if (step.folded.contains(static_cast<std::int64_t>(g)) && static_cast<std::int64_t>(l) < in.count)
              fold(step.op, sum, in.lane[l].bits);
          }
          f.lane.push_back({sum.value_or(0xdeadbeef), 0});
        }
        f.count = static_cast<std::int64_t>(lanes);
        out[s].push_back(f);
      }
    s_ = out;
  }

  Stream s_, stash_;
  bool groups_ = false, counted_ = false;
  std::size_t alternate_ = 1;
  std::optional<std::size_t> only_;  // this flit alone

 public:
  bool trimmed_more_than_four = false;
};

}  // namespace tcp::machine
