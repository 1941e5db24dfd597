// Gives each command the latest segment that those after it allow, makes a module of each segment for each chip, and
// verifies it.
#include "ranks/split.hpp"

#include <algorithm>

#include "ranks/local_module.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/ir/place.hpp"

namespace tcp::ranks {
namespace {

using Roots = std::vector<ir::TensorId>;

/// What a command touches, as whole tensors.
struct Touched {
  Roots read, written;
};
void add(Roots& to, ir::TensorId root) {
  if (std::find(to.begin(), to.end(), root) == to.end()) to.push_back(root);
}

class Splitter {
 public:
  Splitter(const ir::Verified& kernel, const Shares& shares, int rank)
      : kernel_(kernel), module_(kernel.module()), shares_(shares), rank_(rank), tensors_(module_.tensors.size()) {}

  Split run() {
    for (std::size_t i = 0; i < module_.commands.size(); ++i) note(i);
    choose_segments();
    Split out;
    for (ir::TensorId id : module_.arguments) state_[index(module_.root_of(id))] = State::whole;
    for (std::size_t s = 0; s <= exchanges_.size() && why_.empty(); ++s) {
      if (!of_segment_[s].empty()) add_segment(out, s);
      if (s < exchanges_.size() && why_.empty()) add_exchange(out, s);
    }
    for (ir::TensorId id : module_.results)
      for (; module_.tensor(id).view; id = module_.tensor(id).view->tensor)
        if (module_.tensor(id).view->kind == ir::ViewOf::Kind::relabel && why_.empty()) why_ = "a result that names what was padding";
    for (ir::TensorId id : module_.results)
      if (why_.empty() && state_[index(module_.root_of(id))] == State::by_exchanges) check_covered(module_.root_of(id));
    out.whole = why_;
    if (!why_.empty()) out.steps.clear();
    return out;
  }

 private:
  /// What a tensor holds so far.
  enum class State : std::uint8_t {
    nothing,
    by_exchanges,  // parts of it, perhaps all: `covered_` knows
    whole,         // or what a segment has checked
  };

  static std::size_t index(ir::TensorId id) { return id.index(); }

  void note(std::size_t command) {
    Touched t;
    for (ir::TensorId id : ir::read_by(module_.commands[command])) add(t.read, module_.root_of(id));
    for (ir::TensorId id : ir::written_by(module_.commands[command])) add(t.written, module_.root_of(id));
    touched_.push_back(std::move(t));
    if (is_exchange(module_.commands[command], kernel_.facts().commands[command])) exchanges_.push_back(command);
  }

  /// From the last command to the first: a command comes no later than one that reads or writes what it writes, and
  /// than one that writes what it reads. Segment s runs before exchange s, and after those before.
  void choose_segments() {
    std::size_t const last = exchanges_.size();
    std::vector<std::size_t> before_any(tensors_, last), before_write(tensors_, last);
    segment_.assign(module_.commands.size(), last);
    of_segment_.resize(last + 1);
    std::size_t next_exchange = last;
    for (std::size_t i = module_.commands.size(); i-- > 0;) {
      bool const exchange = next_exchange > 0 && exchanges_[next_exchange - 1] == i;
      std::size_t at = last;
      if (exchange) {
        at = --next_exchange;
      } else {
        for (ir::TensorId w : touched_[i].written) at = std::min(at, before_any[index(w)]);
        for (ir::TensorId r : touched_[i].read) at = std::min(at, before_write[index(r)]);
        of_segment_[at].push_back(i);
      }
      segment_[i] = at;
      for (ir::TensorId w : touched_[i].written) {
        before_any[index(w)] = std::min(before_any[index(w)], at);
        before_write[index(w)] = std::min(before_write[index(w)], at);
      }
      for (ir::TensorId r : touched_[i].read) before_any[index(r)] = std::min(before_any[index(r)], at);
    }
    for (auto& commands : of_segment_) std::reverse(commands.begin(), commands.end());
    for (std::size_t i = 0; i < module_.commands.size(); ++i) {
      std::size_t const use = 2 * segment_[i] + (is_exchange_number(i) ? 1 : 0);
      for (const auto* list : {&touched_[i].read, &touched_[i].written})
        for (ir::TensorId id : *list) last_use_[index(id)] = std::max(last_use_[index(id)], use);
    }
    for (ir::TensorId id : module_.results) last_use_[index(module_.root_of(id))] = 2 * last + 2;
  }
  bool is_exchange_number(std::size_t command) const { return std::binary_search(exchanges_.begin(), exchanges_.end(), command); }

  void add_exchange(Split& out, std::size_t number) {
    std::size_t const command = exchanges_[number];
    auto exchange = exchange_of(module_, module_.commands[command], shares_, why_);
    if (!exchange) return;
    // A part of a tensor that nothing else has written: the rest of it is undefined.
    State& to = state_[index(exchange->destination)];
    if (!module_.tensor(ir::written_by(module_.commands[command]).front()).view) to = State::whole;
    if (to != State::whole) cover(*exchange);
    if (to == State::nothing) to = State::by_exchanges;
    if (state_[index(exchange->source)] == State::by_exchanges) check_covered(exchange->source);
    if (state_[index(exchange->source)] == State::nothing) why_ = "a transfer of what nothing has written";
    out.steps.emplace_back(*std::move(exchange));
  }

  bool is_mine(std::int64_t chip) const { return chip == on_host || shares_.rank_of(chip) == rank_; }
  void cover(const Exchange& e) {
    std::vector<Covered>& all = covered_[index(e.destination)];
    for (const Piece& p : e.pieces) {
      if (p.to == on_host || !is_mine(p.to)) continue;
      auto at = std::find_if(all.begin(), all.end(), [&](const Covered& c) { return c.chip == p.to; });
      if (at == all.end())
        at = all.insert(at, {p.to, std::vector<bool>(static_cast<std::size_t>(bytes_on_chip(module_, e.destination)), false)});
      for (const Run& r : p.runs) std::fill(at->bytes.begin() + r.to, at->bytes.begin() + r.to + r.bytes, true);
    }
  }
  /// The exchanges have written all elements of it.
  void check_covered(ir::TensorId root) {
    state_[index(root)] = State::whole;
    if (module_.tensor(root).memory == Memory::Host) return;
    for (std::int64_t chip = 0; chip < chips_of(module_, root); ++chip) {
      if (!is_mine(chip)) continue;
      auto const live = live_runs_of(module_, root, chip);
      auto const& all = covered_[index(root)];
      auto const at = std::find_if(all.begin(), all.end(), [&](const Covered& c) { return c.chip == chip; });
      bool full = live.has_value();
      for (std::size_t i = 0; full && i < live->size(); ++i) {
        full = at != all.end();
        const Run& r = (*live)[i];
        if (full)
          full = std::find(at->bytes.begin() + r.to, at->bytes.begin() + r.to + r.bytes, false) == at->bytes.begin() + r.to + r.bytes;
      }
      if (!full) why_ = "a tensor of which transfers between chips write a part";
    }
    covered_[index(root)].clear();
  }

  void add_segment(Split& out, std::size_t number) {
    Segment segment;
    made_.clear();
    const std::vector<std::size_t>& commands = of_segment_[number];
    segment.commands = commands.size();
    Roots written, seen;
    for (std::size_t c : commands) {
      for (const auto* list : {&touched_[c].read, &touched_[c].written})
        for (ir::TensorId id : *list) add(seen, id);
      for (ir::TensorId id : touched_[c].written) add(written, id);
    }
    for (ir::TensorId id : seen) {
      if (state_[index(id)] == State::by_exchanges) check_covered(id);
      if (state_[index(id)] != State::nothing) segment.arguments.push_back(id);
    }
    for (ir::TensorId id : written)
      if (last_use_[index(id)] > 2 * number) segment.results.push_back(id), state_[index(id)] = State::whole;
    for (const auto* list : {&segment.arguments, &segment.results})
      for (ir::TensorId id : *list) {
        Memory const memory = module_.tensor(id).memory;
        if (memory != Memory::Hbm && memory != Memory::Dm && why_.empty())
          why_ = "a register file that is used before and after a transfer between chips";
      }
    for (std::int64_t chip = 0; chip < module_.chips && why_.empty(); ++chip)
      if (is_mine(chip)) add_part(segment, commands, chip);
    out.steps.emplace_back(std::move(segment));
  }
  void add_part(Segment& segment, const std::vector<std::size_t>& commands, std::int64_t chip) {
    auto local = local_module(kernel_, chip, {commands, segment.arguments, segment.results}, why_);
    if (!local) return;
    for (std::size_t i = 0; i < segment.modules.size(); ++i) {
      if (!ir::same_recording(made_[i], *local)) continue;
      segment.parts.push_back({chip, i});
      return;
    }
    made_.push_back(*local);
    auto verified = ir::verify(*std::move(local), kernel_.device());
    if (verified) verified = ir::placed(*std::move(verified));
    if (!verified) {
      why_ = std::string("a chip's part is rejected: ") + verified.refusal().headline.s;
      return;
    }
    segment.parts.push_back({chip, segment.modules.size()});
    segment.modules.push_back({*std::move(verified)});
  }

  const ir::Verified& kernel_;
  const ir::Module& module_;
  Shares shares_;
  int rank_;
  std::size_t tensors_;
  std::vector<Touched> touched_;        // by command
  std::vector<std::size_t> exchanges_;  // commands
  std::vector<std::size_t> segment_;    // by command
  std::vector<std::vector<std::size_t>> of_segment_;
  std::vector<std::size_t> last_use_ = std::vector<std::size_t>(tensors_, 0);  // twice the segment, and 1 for the exchange after it
  std::vector<State> state_ = std::vector<State>(tensors_, State::nothing);
  struct Covered {
    std::int64_t chip;
    std::vector<bool> bytes;
  };
  std::vector<std::vector<Covered>> covered_ = std::vector<std::vector<Covered>>(tensors_);
  std::vector<ir::Module> made_;  // of the segment at hand, before they were verified
  std::string why_;
};

}  // namespace

Split split(const ir::Verified& kernel, const Shares& shares, int rank) { return Splitter(kernel, shares, rank).run(); }

}  // namespace tcp::ranks
