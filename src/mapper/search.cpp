// The search, in the order of its stages: placements by their bounds, tiles and orders by what is expected of them,
// the best of those by their schedules, and the choice.
#include "tcp/mapper/search.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "mapper/candidates.hpp"
#include "mapper/windows.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/sort_stably.hpp"

namespace tcp::mapper {
namespace {

struct Contender {
  Decisions decisions;
  Estimate estimate;
};

double ratio(std::int64_t a, std::int64_t b) { return b <= 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b); }

class Search {
 public:
  Search(const Device& device, const Product& product, const SearchOptions& options) : device_(device), p_(product), o_(options) {}

  Expected<Found> run() {
    collect();
    for (const KernelMapping& m : o_.given) (void)schedule({m.decisions, estimate_of(device_, p_, m.decisions)});
    correct_expectations();
    schedule_best();
    polish();
    if (found_.tried.empty())
      return refuse("mapper-nothing-fits")
          .what("no mapping of the product has all the decisions that are pinned")
          .why("of ", found_.placements, " placements none is left, or those that are left do not fit DM and TRF")
          .help("pin fewer decisions");
    choose();
    if (o_.reasons) give_reasons();
    return std::move(found_);
  }

 private:
  /// All placements by their bounds, the best of them cut into tiles.
  void collect() {
    std::vector<Contender>& placements = placements_;
    for (const Decisions& d : placements_of(device_, p_, o_.dual)) {
      if (!could_hold(d)) continue;
      placements.push_back({d, estimate_of(device_, p_, d)});
    }
    found_.placements = static_cast<std::int64_t>(placements.size());
    // The one that is expected to take less in one tile comes first of two with one bound.
    sort_many_stably(placements, [](const Contender& a, const Contender& b) {
      return std::pair(a.estimate.bound, a.estimate.cycles) < std::pair(b.estimate.bound, b.estimate.cycles);
    });
    std::int64_t least = INT64_MAX;
    std::size_t at = 0;
    for (std::size_t legal = 0; at < placements.size() && at < most_looked_at && legal < refined_at_most(); ++at) {
      if (placements[at].estimate.bound > least) break;
      std::vector<Contender> of_placement;
      refine(device_, p_, placements[at].decisions, [&](const Decisions& d, const Estimate& e) {
        if (!o_.pin.holds(d)) return;
        of_placement.push_back({d, e});
        least = std::min(least, e.cycles);
      });
      if (!of_placement.empty()) ++legal;
      sort_many_stably(of_placement, [](const Contender& a, const Contender& b) { return a.estimate.cycles < b.estimate.cycles; });
      if (of_placement.size() > kept_of_placement) of_placement.resize(kept_of_placement);
      for (Contender& c : of_placement) candidates_.push_back(std::move(c));
    }
    open_bound_ = at < placements.size() ? placements[at].estimate.bound : INT64_MAX;
    found_.ruled_out = static_cast<std::int64_t>(placements.size() - at);
    sort_many_stably(candidates_, [](const Contender& a, const Contender& b) { return a.estimate.cycles < b.estimate.cycles; });
  }
  /// Whether a placement may still become what is pinned.
  bool could_hold(const Decisions& d) const {
    Pin pin = o_.pin;
    pin.outer.reset();
    pin.ahead.reset();
    pin.image_columns.reset();
    return pin.holds(d);
  }

  /// What the closed forms leave out, waiting memory nodes and channels of HBM, is much the same for mappings that keep
  /// the same operand and divide the same axis over clusters: the first one of each sort is scheduled, and the others
  /// are expected to take as much more or less.
  void correct_expectations() {
    std::map<std::pair<KeptOperand, OverClusters>, double> factor;
    for (const Contender& c : candidates_) {
      auto const sort = std::pair(c.decisions.keep, c.decisions.clusters);
      if (factor.count(sort) > 0 || static_cast<std::int64_t>(found_.tried.size()) >= o_.plans) continue;
      const Tried* const made = schedule(c);
      factor[sort] = made == nullptr ? 1.0 : ratio(made->book, made->expected);
    }
    auto const corrected = [&](const Contender& c) {
      auto const found = factor.find({c.decisions.keep, c.decisions.clusters});
      return static_cast<double>(c.estimate.cycles) * (found == factor.end() ? 1.0 : found->second);
    };
    sort_many_stably(candidates_, [&](const Contender& a, const Contender& b) { return corrected(a) < corrected(b); });
  }
  void schedule_best() {
    std::int64_t since = 0;
    std::int64_t best = INT64_MAX;
    for (const Tried& t : found_.tried) best = std::min(best, t.book);
    std::map<std::vector<std::int64_t>, int> of_a_kind;
    std::size_t commands = 0;
    for (const Contender& c : candidates_) {
      if (static_cast<std::int64_t>(found_.tried.size()) >= o_.plans || since > patience || commands > most_commands) break;
      if (c.estimate.bound > best) continue;
      if (best != INT64_MAX && ratio(c.estimate.cycles, best) > 1.15) continue;
      std::vector<std::int64_t> kind = kind_of(c.decisions);
      if (++of_a_kind[kind] > 6) continue;
      if (!differs(c, true)) continue;  // only in the order of loads, and to no effect
      Tried const* const made = schedule(c);
      if (made == nullptr) continue;
      ++since;
      commands += made->commands;
      if (made->book < best) {
        best = made->book;
        since = 0;
      }
    }
  }
  /// The schedule knows more than the estimate: changes the best mapping in one decision after the other, as long as
  /// that makes it faster.
  void polish() {
    std::int64_t left = polishing;
    for (bool again = !found_.tried.empty(); again && left > 0;) {
      again = false;
      std::size_t best = 0;
      for (std::size_t i = 0; i < found_.tried.size(); ++i)
        if (found_.tried[i].book < found_.tried[best].book) best = i;
      Tried const now = found_.tried[best];
      if (now.commands > most_commands / 4) return;
      for (const Decisions& d : neighbours_of(now.mapping.decisions)) {
        if (left == 0) break;
        if (!o_.pin.holds(d) || !check_mapping(device_, {p_, d})) continue;
        Contender const c{d, estimate_of(device_, p_, d)};
        if (c.estimate.bound >= now.book || !differs(c)) continue;
        const Tried* const made = schedule(c);
        if (made == nullptr) continue;
        --left;
        again |= made->book < now.book;
      }
    }
  }
  /// Mappings that differ in one decision of order, of loads, or of where the first part or tile ends.
  std::vector<Decisions> neighbours_of(const Decisions& d) const {
    std::vector<Decisions> all;
    auto const with = [&](auto&& change) {
      Decisions other = d;
      change(other);
      if (!(other == d)) all.push_back(std::move(other));
    };
    with([](Decisions& o) { o.kept_first = !o.kept_first; });
    // Other rows of an image lie in other channels of HBM.
    if (p_.windows)
      for (std::int64_t more : {1, 2, 3, 4, 5, 6, 8}) with([&](Decisions& o) { o.image_columns = stored_image(p_, d).columns + more; });
    if (d.parts.size() > 1) {
      with([](Decisions& o) { o.streamed_at_once = !o.streamed_at_once; });
      with([](Decisions& o) { o.kept_at_once = !o.kept_at_once; });
      if (std::any_of(d.bands.begin(), d.bands.end(), [](const Band& b) { return b.tiles.size() > 1; }))
        with([](Decisions& o) { o.outer = o.outer == OuterLoop::parts ? OuterLoop::tiles : OuterLoop::parts; });
      std::int64_t const packet = device_.contraction.mac_bytes.value / bytes_of(p_.type), block = d.block > 0 ? d.block : packet;
      for (std::int64_t by : {-2 * block, -block, block, 2 * block})
        with([&](Decisions& o) {
          o.parts.front() += by;
          o.parts.back() -= by;
        });
    }
    for (std::int64_t ahead : {1, 2, 3, 4}) with([&](Decisions& o) { o.ahead = ahead; });
    for (std::size_t b = 0; b < d.bands.size(); ++b)
      for (const std::vector<std::int64_t>& tiles : tilings_of(device_, p_, d, d.bands[b]))
        if (tiles.size() + 1 >= d.bands[b].tiles.size() && tiles.size() <= d.bands[b].tiles.size() + 1)
          with([&](Decisions& o) { o.bands[b].tiles = tiles; });
    return all;
  }

  /// Mappings of one kind differ in tiles and order alone: a few of them stand for all.
  static std::vector<std::int64_t> kind_of(const Decisions& d) {
    std::vector<std::int64_t> kind = {d.batches,    static_cast<int>(d.keep), static_cast<int>(d.clusters),
                                      d.dual,       static_cast<int>(d.fill), d.block,
                                      d.pixel_rows, d.pixel_columns,          static_cast<std::int64_t>(d.parts.size())};
    kind.insert(kind.end(), d.parts.begin(), d.parts.end());
    for (const Band& b : d.bands) kind.insert(kind.end(), {b.ring, b.groups, b.reuse});
    return kind;
  }
  /// `in_order`: whether mappings that differ only in what is loaded first count as one, too.
  bool differs(const Contender& c, bool in_order = false) const {
    return std::none_of(found_.tried.begin(), found_.tried.end(), [&](const Tried& t) {
      Decisions d = t.mapping.decisions;
      d.ahead = c.decisions.ahead;
      if (in_order) d.kept_first = c.decisions.kept_first;
      return d == c.decisions && t.expected == c.estimate.cycles;
    });
  }
  const Tried* schedule(const Contender& c) {
    for (const Tried& t : found_.tried)
      if (t.mapping.decisions == c.decisions) return nullptr;
    auto made = try_mapping(device_, {p_, c.decisions});
    if (!made) {
      if (found_.refused == 0) found_.first_refused = made.refusal();
      ++found_.refused;
      return nullptr;
    }
    Tried t = *std::move(made);
    t.bound = c.estimate.bound;
    t.expected = c.estimate.cycles;
    found_.tried.push_back(std::move(t));
    return &found_.tried.back();
  }

  struct Least {
    std::int64_t book = INT64_MAX, calibrated = INT64_MAX;
  };
  Least least() const {
    Least l;
    for (const Tried& t : found_.tried) {
      l.book = std::min(l.book, t.book);
      l.calibrated = std::min(l.calibrated, t.calibrated);
    }
    return l;
  }
  static double worse(const Tried& t, const Least& l) { return std::max(ratio(t.book, l.book), ratio(t.calibrated, l.calibrated)); }

  void choose() {
    Least const l = least();
    std::vector<std::size_t> order(found_.tried.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    sort_many_stably(order, [&](std::size_t a, std::size_t b) { return worse(found_.tried[a], l) < worse(found_.tried[b], l); });
    // How good the other models find it decides between mappings that `book` finds about alike.
    std::erase_if(order, [&](std::size_t i) { return ratio(found_.tried[i].book, l.book) > about_alike; });
    order.resize(std::min<std::size_t>(order.size(), last_few));
    std::int64_t detailed = INT64_MAX;
    for (std::size_t i : order)
      if (auto again = try_mapping(device_, found_.tried[i].mapping, true)) {
        found_.tried[i].detailed = again->detailed;
        detailed = std::min(detailed, again->detailed);
      }
    auto const worst = [&](std::size_t i) { return std::max(worse(found_.tried[i], l), ratio(found_.tried[i].detailed, detailed)); };
    std::size_t chosen = order[0];
    for (std::size_t i : order)
      if (worst(i) < worst(chosen)) chosen = i;
    found_.best = found_.tried[chosen];
    found_.space_bound = std::min(l.book, open_bound_);
    for (const Contender& c : candidates_) {
      bool const scheduled =
          std::any_of(found_.tried.begin(), found_.tried.end(), [&](const Tried& t) { return t.mapping.decisions == c.decisions; });
      if (!scheduled) found_.space_bound = std::min(found_.space_bound, c.estimate.bound);
    }
    found_.proven = found_.space_bound >= l.book;
  }

  /// A decision in words, and how it reads in a mapping.
  struct Question {
    const char* name;
    std::function<std::string(const Decisions&)> answer;
  };
  std::vector<Question> questions() const {
    auto const tensor = [this](bool a) { return p_.tensor(a ? p_.a : p_.b).name; };
    auto const axis = [this](bool rows) {
      int const i = rows ? p_.row_axis : p_.column_axis;
      return i < 0 ? std::string("one step") : p_.formula.axes[static_cast<std::size_t>(i)].name;
    };
    return {{"keep", [=](const Decisions& d) { return tensor(d.keep == KeptOperand::a); }},
            {"clusters",
             [=, this](const Decisions& d) {
               if (d.clusters == OverClusters::batches) return p_.formula.axes[static_cast<std::size_t>(p_.batch_axis)].name;
               return axis((d.clusters == OverClusters::kept) == (d.keep == KeptOperand::a));
             }},
            {"batches", [](const Decisions& d) { return std::to_string(d.batches); }},
            {"channels", [](const Decisions& d) { return std::string(d.dual ? "2" : "1"); }},
            {"fill",
             [](const Decisions& d) {
               return std::string(d.fill == TrfFill::sub ? "sub" : d.fill == TrfFill::main ? "main" : "round");
             }},
            {"parts", [](const Decisions& d) { return std::to_string(d.parts.size()); }},
            {"bands", [](const Decisions& d) { return std::to_string(d.bands.size()); }},
            {"ring", [](const Decisions& d) { return std::to_string(d.bands[0].ring); }},
            {"reuse", [](const Decisions& d) { return std::to_string(d.bands[0].reuse); }},
            {"pixels", [](const Decisions& d) { return std::to_string(d.pixel_rows) + " " + std::to_string(d.pixel_columns); }},
            {"stored", [](const Decisions& d) { return d.block > 0 ? "blocks " + std::to_string(d.block) : std::string("rows"); }}};
  }
  void give_reasons() {
    Decisions const chosen = found_.best.mapping.decisions;
    for (const Question& q : questions()) {
      std::string const mine = q.answer(chosen);
      std::vector<Contender> others;
      int looked_at = 0;
      std::int64_t least = INT64_MAX;
      for (const Contender& placement : placements_) {
        if (q.answer(placement.decisions) == mine) continue;
        if (placement.estimate.bound > least || looked_at >= 24) break;
        bool legal = false;
        refine(device_, p_, placement.decisions, [&](const Decisions& d, const Estimate& e) {
          others.push_back({d, e});
          least = std::min(least, e.cycles);
          legal = true;
        });
        looked_at += legal ? 1 : 0;
      }
      sort_many_stably(others, [](const Contender& a, const Contender& b) { return a.estimate.cycles < b.estimate.cycles; });
      std::optional<Tried> best;
      for (const Tried& t : found_.tried)
        if (q.answer(t.mapping.decisions) != mine && (!best || t.book < best->book)) best = t;
      for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 3); ++i)
        if (auto tried = try_mapping(device_, {p_, others[i].decisions}); tried && (!best || tried->book < best->book)) best = *tried;
      if (!best) continue;
      Reason r{q.name, mine, q.answer(best->mapping.decisions), *best, best->book - found_.best.book, {}};
      r.why = why(best->mapping);
      found_.reasons.push_back(std::move(r));
    }
    sort_many_stably(found_.reasons, [](const Reason& a, const Reason& b) { return a.loses > b.loses; });
  }
  /// What another mapping does more of.
  std::string why(const KernelMapping& other) const {
    Reads const mine = reads_of(device_, found_.best.mapping), theirs = reads_of(device_, other);
    Estimate const now = estimate_of(device_, p_, found_.best.mapping.decisions), then = estimate_of(device_, p_, other.decisions);
    std::string out;
    auto const say = [&](const std::string& words) { out += (out.empty() ? "" : ", ") + words; };
    auto const times = [](double n) {
      char text[32];
      std::snprintf(text, sizeof text, n == static_cast<double>(static_cast<std::int64_t>(n)) ? "%.0f" : "%.1f", n);
      return std::string(text);
    };
    auto const reads = [&](const std::string& name, double is, double was) {
      if (is != was) say(name + " is read " + times(is) + (is == 1 ? " time" : " times") + " instead of " + times(was));
    };
    reads(p_.tensor(p_.a).name, theirs.a, mine.a);
    reads(p_.tensor(p_.b).name, theirs.b, mine.b);
    auto const more = [&](const char* what, std::int64_t is, std::int64_t was) {
      if (is > was + was / 50) say(std::string(what) + " takes " + std::to_string(is - was) + " cycles more");
      if (is < was - was / 50) say(std::string(what) + " takes " + std::to_string(was - is) + " cycles less");
    };
    more("DMA", then.dma, now.dma);
    more("main", then.main, now.main);
    if (out.empty()) out = "as much work, and less of it at the same time";
    return out;
  }

  /// A search for a few mappings looks at fewer placements.
  std::size_t refined_at_most() const { return static_cast<std::size_t>(std::clamp<std::int64_t>(4 * o_.plans, 16, 160)); }

  static constexpr std::size_t most_looked_at = 3000, kept_of_placement = 10, last_few = 3;
  static constexpr std::int64_t patience = 16, polishing = 24;
  static constexpr std::size_t most_commands = 1200;
  static constexpr double about_alike = 1.02;

  const Device& device_;
  const Product& p_;
  const SearchOptions& o_;
  std::vector<Contender> placements_{}, candidates_{};
  std::int64_t open_bound_ = INT64_MAX;
  Found found_{};
};

}  // namespace

Expected<Tried> try_mapping(const Device& device, const KernelMapping& mapping, bool with_detailed) {
  auto const kernel = make_kernel(device, mapping);
  if (!kernel) return kernel.refusal();
  auto const recorded = record(device, *kernel);
  if (!recorded) return recorded.refusal();
  auto const program = lower::lower(*recorded);
  if (!program) return program.refusal();
  Tried t{mapping, 0, 0, 0, 0, 0, program->commands.size()};
  auto const cycles = [&](std::string_view model, std::int64_t& into) -> Verdict {
    auto const made = plan(*program, device, {.model = model});
    if (!made) return made.refusal();
    into = made->schedule.makespan.value;
    return accept();
  };
  if (auto v = cycles("book", t.book); !v) return v.refusal();
  if (auto v = cycles("calibrated", t.calibrated); !v) return v.refusal();
  if (with_detailed)
    if (auto v = cycles("detailed", t.detailed); !v) return v.refusal();
  return t;
}

Expected<Found> search(const Device& device, const Product& product, const SearchOptions& options) {
  return Search(device, product, options).run();
}

Reads reads_of(const Device& device, const KernelMapping& m) {
  Sizes const z(device, m.product, m.decisions);
  double kept = 0, streamed = 0;
  if (m.product.windows) {
    const ImageWindows& w = *m.product.windows;
    const Band& b = m.decisions.bands[0];
    for (std::size_t i = 0; i < m.decisions.bands.size(); ++i) {
      ImageBand const image = image_band(m.product, m.decisions, i);
      kept += static_cast<double>(image.blocks() * image.window_rows * image.window_columns * b.groups * z.clusters_streamed);
    }
    kept /= static_cast<double>(w.images * w.down.places * w.across.places);
    return {kept, static_cast<double>(z.slices / (b.ring * b.groups) * z.clusters_kept)};
  }
  auto const share = [&](std::int64_t part, std::int64_t of) { return static_cast<double>(part) / static_cast<double>(of); };
  for (std::size_t i = 0; i < m.decisions.bands.size(); ++i) {
    const Band& b = m.decisions.bands[i];
    std::int64_t const copies = (m.decisions.fill == TrfFill::round ? 1 : b.groups) * z.clusters_streamed;
    kept += share(z.band(i).live * copies, z.kept());
    streamed += static_cast<double>(z.clusters_kept);
  }
  return z.keeps_a() ? Reads{kept, streamed} : Reads{streamed, kept};
}

}  // namespace tcp::mapper
