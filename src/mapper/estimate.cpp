// The closed forms of commands, and a schedule of them: queues in order, what a command needs, and nothing else.
#include "mapper/estimate.hpp"

#include <algorithm>
#include <array>

#include "mapper/windows.hpp"

namespace tcp::mapper {
namespace {

struct Move {
  std::int64_t startup = 0, data = 0;
  std::int64_t total() const { return startup + data; }
};

class Schedule {
 public:
  Schedule(const Device& device, const Product& p, const Decisions& d)
      : device_(device), p_(p), d_(d), z_(device, p, d), hbm_(hbm_bytes_per_cycle(device)) {}

  Estimate run() {
    std::size_t const parts = d_.parts.size();
    offset_.clear();
    std::size_t tiles = 0;
    for (const Band& b : d_.bands) {
      offset_.push_back(tiles);
      tiles += b.tiles.size();
    }
    // Batches after the first few take as long as those before them.
    auto const rounds = static_cast<std::size_t>(z_.rounds()), simulated = std::min(rounds, most_rounds);
    tiles_ = tiles;
    streamed_ready_.assign(simulated * tiles * parts, -1);
    kept_ready_.assign(simulated * d_.bands.size() * parts, -1);
    halves_ = needs_halves();
    for (std::size_t round = 0; round < simulated; ++round)
      for (std::size_t b = 0; b < d_.bands.size(); ++b) add_steps(round, b);
    std::array<std::int64_t, most_rounds> ends{}, transfers{}, passes{};
    std::size_t loaded = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      std::size_t const until = std::min(steps_.size(), i + 1 + static_cast<std::size_t>(d_.ahead));
      if (i == 0) {
        load(steps_[loaded++]);
        fill(steps_[0]);
      }
      while (loaded < until) load(steps_[loaded++]);
      if (i > 0) fill(steps_[i]);
      compute(steps_[i]);
      ends[steps_[i].round] = std::max({dma_, main_, sub_});
      transfers[steps_[i].round] = dma_work_;
      passes[steps_[i].round] = main_work_;
    }
    Estimate e;
    e.cycles = std::max({dma_, main_, sub_});
    if (rounds > simulated) {
      auto const more = static_cast<std::int64_t>(rounds - simulated);
      auto const of_one = [&](const auto& after) { return after[simulated - 1] - after[simulated - 2]; };
      e.cycles += more * of_one(ends);
      dma_work_ += (more - 1) * of_one(transfers);  // the last ones may be fewer
      main_work_ += more * of_one(passes);
    }
    e.dma = dma_work_;
    e.main = main_work_;
    // Before main can begin a load of each operand has ended, and after its last pass there is a store.
    e.bound = std::max(dma_work_, main_work_ + 2 * device_.dma.startup.value + shortest_store_);
    return e;
  }

 private:
  static constexpr std::size_t most_rounds = 6;
  struct Step {
    std::size_t round, band, tile, part;
  };
  void add_steps(std::size_t round, std::size_t band) {
    std::size_t const tiles = d_.bands[band].tiles.size(), parts = d_.parts.size();
    bool const outside = d_.outer == OuterLoop::parts;
    for (std::size_t outer = 0; outer < (outside ? parts : tiles); ++outer)
      for (std::size_t inner = 0; inner < (outside ? tiles : parts); ++inner)
        steps_.push_back({round, band, outside ? inner : outer, outside ? outer : inner});
  }
  bool needs_halves() const {
    bool fit = true;
    for (const Band& b : d_.bands)
      for (std::int64_t k : d_.parts) fit &= z_.trf_bytes(b, k) <= device_.trf.slice_capacity.value / device_.trf.halves;
    return (d_.bands.size() * d_.parts.size() > 1 || z_.rounds() > 1) && fit;
  }

  // Transfers.

  /// The engines, each DMN at its own rate, with their descriptors one after the other, or HBM. `even`: one
  /// descriptor does it.
  Move move(std::int64_t bytes, std::int64_t live_slices, bool even, std::int64_t of_hbm = 0) const {
    std::int64_t const dmns = std::max<std::int64_t>(1, ceil_div(live_slices, device_.levels.slices_per_dmn));
    std::int64_t const rate = dmns * device_.dm.dmn_bytes_per_cycle.value, startup = device_.dma.startup.value;
    std::int64_t const engines = startup * (even ? 1 : 2) + bytes / rate, hbm = startup + std::max(bytes, of_hbm) / hbm_;
    return {startup, std::max(engines, hbm) - startup};
  }
  /// Bytes that HBM reads of a row of an operand for a part of it: whole units.
  std::int64_t units_of(std::size_t part, bool whole, bool is_a) const {
    std::int64_t begin = 0, end = p_.depth;
    if (!whole) {
      for (std::size_t k = 0; k < part; ++k) begin += d_.parts[k];
      end = begin + d_.parts[part];
    }
    std::int64_t const unit = z_.unit_in;
    if (!is_a && d_.block > 0) return round_up(end - begin, unit) * z_.element;
    return (ceil_div(end, unit) - begin / unit) * unit * z_.element;
  }
  std::int64_t put(const Move& m, std::int64_t ready) {
    dma_ = std::max(dma_, ready) + m.total();
    dma_work_ += m.total();
    return dma_;
  }
  std::int64_t all_slices() const { return z_.slices * device_.levels.clusters_per_chip; }

  void load(const Step& s) {
    if (d_.kept_first) load_kept(s);
    load_streamed(s);
    load_kept(s);
    if (d_.parts.size() == 1) load_numbers(s);
  }
  /// Tensors with a number for each row or column: few bytes, and a start-up.
  void load_numbers(const Step& s) {
    for (const EpilogueStep& step : p_.after) {
      if (step.tensor < 0) continue;
      const Band& b = d_.bands[s.band];
      bool const of_kept = step.of_columns != z_.keeps_a();
      std::int64_t const copies = of_kept ? b.groups * z_.clusters_streamed : b.ring * z_.clusters_kept;
      std::int64_t const live = of_kept ? z_.band(s.band).live : z_.tile(b, s.tile).live;
      bool const alike = std::all_of(b.tiles.begin(), b.tiles.end(), [&](std::int64_t t) { return t == b.tiles[0]; });
      if (!of_kept && s.tile > 0 && alike) continue;  // loaded with the first tile
      numbers_ready_ = put(move(live * copies * z_.batch_room() * 2, all_slices(), true), 0);
    }
  }
  std::int64_t& kept_ready(const Step& s, std::size_t part) {
    return kept_ready_[(s.round * d_.bands.size() + s.band) * d_.parts.size() + part];
  }
  std::int64_t& streamed_ready(const Step& s, std::size_t part) {
    return streamed_ready_[(s.round * tiles_ + offset_[s.band] + s.tile) * d_.parts.size() + part];
  }
  /// One descriptor serves all batches of a round.
  bool batches_even(std::int64_t batches) const { return batches % d_.batches == 0 || batches < d_.batches; }
  void load_kept(const Step& s) {
    if (kept_ready(s, s.part) >= 0) return;
    const Band& b = d_.bands[s.band];
    bool const whole = d_.kept_at_once && d_.parts.size() > 1, round = d_.fill == TrfFill::round;
    std::int64_t const live = z_.band(s.band).live, length = whole ? p_.depth : d_.parts[s.part];
    std::int64_t const batches = z_.batches_of(s.round), copies = (round ? 1 : b.groups) * z_.clusters_streamed * batches;
    bool const even = kept_even(b, live) && batches_even(batches) && (!round || length % z_.share(b, length) == 0);
    // Rows are dealt one by one, columns in runs.
    std::int64_t const filled = z_.keeps_a() ? live : ceil_div(live, z_.own(b));
    std::int64_t const used = round ? std::min(all_slices(), z_.clusters_streamed * batches * b.groups * std::min(b.ring, filled))
                                    : copies * std::min(z_.clusters_kept * b.ring, filled);
    std::int64_t const at =
        put(move(live * length * z_.element * copies, used, even, live * copies * units_of(s.part, whole, z_.keeps_a())), 0);
    if (!whole) kept_ready(s, s.part) = at;
    else
      for (std::size_t k = 0; k < d_.parts.size(); ++k) kept_ready(s, k) = at;
  }
  bool kept_even(const Band& b, std::int64_t live) const {
    std::int64_t const run = z_.keeps_a() ? z_.used(b, live) : z_.own(b);
    return live % run == 0 || live < run;
  }
  void load_streamed(const Step& s) {
    if (streamed_ready(s, s.part) >= 0) return;
    const Band& b = d_.bands[s.band];
    bool const whole = d_.streamed_at_once && d_.parts.size() > 1;
    std::int64_t const live = z_.tile(b, s.tile).live, length = whole ? p_.depth : d_.parts[s.part];
    std::int64_t const tile = b.tiles[s.tile];
    std::int64_t const batches = z_.batches_of(s.round);
    bool const even = (live % tile == 0 || live < std::min(b.ring, tile)) && batches_even(batches);
    // Groups are filled one after the other: where the axis ends early, the last ones wait, and their DMNs with them.
    std::int64_t const filled = std::min(ceil_div(live, tile), z_.clusters_streamed * b.groups);
    std::int64_t const used = z_.clusters_kept * batches * std::min(live, filled * b.ring);
    std::int64_t const at = put(move(live * length * z_.element * z_.clusters_kept * batches, used, even,
                                     live * z_.clusters_kept * batches * units_of(s.part, whole, !z_.keeps_a())),
                                0);
    if (!whole) streamed_ready(s, s.part) = at;
    else
      for (std::size_t k = 0; k < d_.parts.size(); ++k) streamed_ready(s, k) = at;
  }
  void store(const Step& s, std::int64_t ready) {
    const Band& b = d_.bands[s.band];
    AxisStretch const kept = z_.band(s.band), streamed = z_.tile(b, s.tile);
    std::int64_t const rows = z_.keeps_a() ? kept.live : streamed.live, columns = z_.keeps_a() ? streamed.stored : kept.stored;
    std::int64_t const batches = z_.batches_of(s.round);
    bool const even =
        (z_.keeps_a() ? kept_even(b, kept.live) : rows % b.tiles[s.tile] == 0 || rows < b.tiles[s.tile]) && batches_even(batches);
    std::int64_t const used = std::min(all_slices(), batches * rows * ceil_div(columns, z_.unit_out));
    Move const m = move(batches * rows * columns * z_.of_result, used, even);
    shortest_store_ = shortest_store_ == 0 ? m.total() : std::min(shortest_store_, m.total());
    put(m, ready);
  }

  // Passes.

  std::int64_t pass(std::int64_t ready, std::int64_t cycles, bool dual) {
    main_ = std::max({main_, ready, dual ? sub_ : 0}) + cycles + fill_of_pipeline;
    if (dual) sub_ = main_;
    main_work_ += cycles;
    return main_;
  }
  void fill(const Step& s) {
    const Band& b = d_.bands[s.band];
    std::size_t const key = (s.round * d_.bands.size() + s.band) * d_.parts.size() + s.part + 1;
    std::size_t slot = 0;
    if (trf_[0] == key || (halves_ && trf_[1] == key)) return;
    if (halves_) {
      last_half_ = 1 - last_half_;
      slot = last_half_;
    }
    trf_[slot] = key;
    std::int64_t const bytes = z_.trf_bytes(b, d_.parts[s.part]), ready = kept_ready(s, s.part);
    if (d_.fill == TrfFill::sub) {
      sub_ = std::max({sub_, ready, half_free_[slot]}) + bytes / device_.fetch.sub_size.value + fill_of_pipeline;
      trf_ready_ = sub_;
      return;
    }
    std::int64_t cycles = bytes / device_.flit.bytes.value;
    if (d_.fill == TrfFill::round && b.groups > 1) {
      std::int64_t const packets =
          z_.own(b) * ceil_div(z_.share(b, d_.parts[s.part]), z_.fills_wide(b, d_.parts[s.part]) ? z_.packet : z_.flit);
      cycles = std::max(cycles, packets * b.groups * b.ring);
    }
    trf_ready_ = pass(ready, cycles, z_.fills_wide(b, d_.parts[s.part]));
  }
  void compute(const Step& s) {
    const Band& b = d_.bands[s.band];
    std::int64_t const tile = b.tiles[s.tile], sums = tile * b.reuse;
    std::int64_t const depth =
        d_.fill == TrfFill::round && b.ring > 1 ? z_.kept_depth(b, d_.parts[s.part]) / z_.packet : z_.packets(d_.parts[s.part]);
    bool const last = s.part + 1 == d_.parts.size(), several = d_.parts.size() > 1;
    std::int64_t const multiplying = tile * depth * std::max<std::int64_t>(b.reuse, d_.dual ? 1 : 2);
    std::int64_t const vector = p_.after.empty() ? 0 : 2 * sums;
    std::int64_t const out = last ? leaving(b, tile) : sums;
    if (last && several) load_numbers(s);
    std::int64_t const numbers = last ? numbers_ready_ : 0;
    std::int64_t const ready = std::max({several ? 0 : numbers, trf_ready_, streamed_ready(s, s.part)});
    std::int64_t const first_out = several ? sums : std::max(out, vector);
    std::int64_t end = pass(ready, std::max(multiplying, first_out), d_.dual);
    half_free_[last_half_] = end;
    if (s.part > 0) end = pass(numbers, std::max(2 * sums, last ? out : 0), false);
    if (!last) return;
    for (std::size_t extra = 0; extra < extra_passes(p_, d_); ++extra) end = pass(0, std::max(2 * sums, out), false);
    std::int64_t const neighbours = z_.neighbours(b, tile);
    if (neighbours > 1) {
      std::int64_t const own = z_.own(b), flit = device_.flit.bytes.value / z_.of_result;
      std::int64_t const cycles =
          z_.keeps_a() ? neighbours * b.ring * round_up(own, neighbours) * ceil_div(tile, flit) : neighbours * tile * ceil_div(own, flit);
      end = pass(0, cycles, false);
    }
    store(s, end);
  }
  /// Flits on the way to DM.
  std::int64_t leaving(const Band& b, std::int64_t tile) const {
    if (!z_.keeps_a()) return tile * b.reuse;
    return z_.own(b) * tile / (p_.result == ScalarType::bf16 ? 4 : 2);
  }

  static constexpr std::int64_t fill_of_pipeline = 6;

  const Device& device_;
  const Product& p_;
  const Decisions& d_;
  Sizes z_;
  std::int64_t hbm_;
  std::vector<Step> steps_{};
  std::vector<std::size_t> offset_{};  // tiles before each band
  std::size_t tiles_ = 0;              // of all bands
  std::vector<std::int64_t> kept_ready_{}, streamed_ready_{};
  bool halves_ = false;
  std::array<std::size_t, 2> trf_{};
  std::array<std::int64_t, 2> half_free_{};
  std::size_t last_half_ = 1;
  std::int64_t trf_ready_ = 0, numbers_ready_ = 0;
  std::int64_t dma_ = 0, main_ = 0, sub_ = 0;
  std::int64_t dma_work_ = 0, main_work_ = 0, shortest_store_ = 0;
};

}  // namespace

Estimate estimate_of(const Device& device, const Product& product, const Decisions& decisions) {
  if (product.windows) return estimate_of_windows(device, product, decisions);
  return Schedule(device, product, decisions).run();
}

}  // namespace tcp::mapper
