// The table of contents of lowering: a verified module goes through these passes, in this order, each over all
// commands.
//
//   place          every tensor gets an address                                       ir/place.hpp, here
//   outline        a command for each of the module's, who takes part, ITOS words      units, here
//   fetch          read sequencers, the fetch adapter, masks                          fetch, sequencer
//   switch         topologies, snoop bitmaps, routes                                  switch
//   collect        packets into flits                                                 collect
//   contraction    stream adapter, TRF, tree, accumulator                             contraction, presence
//   vector         the stage programme, valid counts or identities                    vector, counting, identity
//   cast           the Cast Engine                                                    here
//   transpose      the Transpose Engine                                               transpose
//   commit         write sequencers, stores into register files, who writes           commit
//   transfer       DMA descriptors                                                    transfer
//   resources      what each command occupies, and which bytes it reads and writes    resources
//   debug          names, mappings and source lines, as text                          debug
//
// A module that several passes refuse is refused by the first of them.
#include "tcp/lower/lower.hpp"

#include <chrono>

#include "lower/pass.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/support/round.hpp"

namespace tcp::lower {

namespace {

class Lowering {
 public:
  Lowering(ir::Verified verified, const Options& options) : verified_(std::move(verified)), options_(options) {}

  Expected<program::Program> run() {
    program_.name = plain(module().name);
    program_.chip = device().name.s;
    program_.chips = static_cast<std::int32_t>(module().chips);
    program_.numeric = module().numeric;
    for (const ir::LookupTable& t : module().tables) program_.tables.push_back({t.from, t.to, t.bits});
    for (std::size_t i = 0; i < std::size(passes); ++i)
      if (auto v = do_pass(passes[i], pass_names[i]); !v) return v.refusal();
    return std::move(program_);
  }

 private:
  using Pass = Verdict (Lowering::*)();
  static const Pass passes[std::size(pass_names)];

  Verdict do_pass(Pass pass, std::string_view name) {
    if (options_.before_pass) options_.before_pass({name, 0, module(), program_});
    auto const start = std::chrono::steady_clock::now();
    if (auto v = (this->*pass)(); !v) return v;
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
    if (options_.after_pass) options_.after_pass({name, taken.count(), module(), program_});
    return accept();
  }

  const ir::Module& module() const { return verified_.module(); }
  const Device& device() const { return verified_.device(); }
  const ir::CommandFacts& facts_of(ir::CommandId command) const { return verified_.facts().commands[command]; }

  Verdict place() {
    auto with_addresses = ir::placed(verified_);
    if (!with_addresses) return with_addresses.refusal();
    verified_ = *std::move(with_addresses);
    for (ir::TensorId id : module().arguments) program_.arguments.push_back(region(id));
    for (ir::TensorId id : module().results) program_.results.push_back(region(id));
    return accept();
  }
  std::int64_t bytes_of(const ir::Tensor& t) const { return ceil_div(module().map(t.element).size * scalar_info(t.type).packet_bits, 8); }
  program::Region region(ir::TensorId id) const {
    const ir::Tensor& t = module().tensor(id);
    return {t.memory, *module().address_of(id), bytes_of(t), -1};
  }

  Verdict outline() {
    const ir::Command* before = nullptr;
    for (ir::CommandId from : module().commands.ids()) {
      from_ = from;
      const ir::Command& command = module().commands[from];
      auto const next = static_cast<std::int32_t>(program_.commands.size());
      std::vector<int> const rounds_before = before != nullptr ? kept_rounds(*before) : std::vector<int>{};
      std::vector<int> const rounds = kept_rounds(command);
      if (before != nullptr && rounds_before != rounds) program_.barriers.push_back(next);
      program_.loops.insert(program_.loops.end(), entered(rounds_before, rounds), next);
      std::visit([this](const auto& what) { outline(what); }, command.what);
      before = &command;
    }
    return accept();
  }
  const ir::Region& region_of(int region) const { return module().regions[static_cast<std::size_t>(region)]; }
  /// The rounds of loops that are not unrolled in which a command is, the outermost first.
  std::vector<int> kept_rounds(const ir::Command& c) const {
    std::vector<int> rounds;
    for (int region = c.region; region != ir::none; region = region_of(region).inside)
      if (region_of(region).kept) rounds.insert(rounds.begin(), region);
    return rounds;
  }
  /// How many loops are entered between two commands: a later round of a loop goes on with it, those inside begin.
  std::size_t entered(const std::vector<int>& before, const std::vector<int>& rounds) const {
    std::size_t same = 0;
    while (same < before.size() && same < rounds.size() && before[same] == rounds[same]) ++same;
    if (same == rounds.size() || same == before.size()) return rounds.size() - same;
    const ir::Region &last = region_of(before[same]), &now = region_of(rounds[same]);
    bool const goes_on = last.name == now.name && last.inside == now.inside && last.index < now.index;
    return rounds.size() - same - (goes_on ? 1 : 0);
  }
  void outline(const ir::Pass& pass) {
    program::Exec exec;
    exec.sub = pass.context == Tu::Sub;
    exec.dual = pass.dual;
    exec.units = units_of(module().levels(module().tensor(pass.source[0])));
    add(std::move(exec));
  }
  void outline(const ir::Transfer&) { add(program::Dma{}); }
  void outline(const ir::HostTransfer&) { add(program::Dma{}); }
  void outline(const ir::Memset& m) {
    program::Units const units = units_of(module().levels(module().tensor(m.destination)));
    MemsetWrites const& writes = facts_of(from_).as<MemsetWrites>();
    program::Itos made{units, *module().address_of(m.destination), m.word, writes.bytes, {}};
    for (int k = 0; k < writes.loops.entries; ++k)
      if (writes.loops.entry[k].size > 1) made.loops.push_back({writes.loops.entry[k].size, writes.loops.entry[k].stride});
    add_within_limits(std::move(made));
  }
  /// As one command, or as several where a sequencer has too few entries, or one of them counts too far.
  void add_within_limits(program::Itos fill) {
    auto const& limit = device().sequencer;
    std::size_t cut = fill.loops.size();
    for (std::size_t k = 0; k < fill.loops.size() && cut == fill.loops.size(); ++k)
      if (fill.loops[k].size > limit.iterations) cut = k;
    if (cut == fill.loops.size() && fill.loops.size() <= static_cast<std::size_t>(limit.entries)) return add(std::move(fill));
    if (cut == fill.loops.size()) cut = 0;
    program::Loop const whole = fill.loops[cut];
    // An entry too many becomes one command per round; one that counts too far, one command for as many as it may
    // count.
    std::int64_t const most = whole.size > limit.iterations ? limit.iterations : 1;
    for (std::int64_t first = 0; first < whole.size; first += most) {
      program::Itos part = fill;
      part.address += first * whole.stride;
      part.loops[cut].size = std::min(most, whole.size - first);
      if (part.loops[cut].size == 1) part.loops.erase(part.loops.begin() + static_cast<std::ptrdiff_t>(cut));
      add_within_limits(std::move(part));
    }
  }
  void add(std::variant<program::Exec, program::Dma, program::Itos> what) {
    program_.commands.emplace_back().what = std::move(what);
    origin_.push_back(from_);
  }

  /// Does something at every stage of one kind.
  template <class What, class Do>
  Verdict at_each(Do&& what_to_do) {
    for (std::size_t c = 0; c < program_.commands.size(); ++c) {
      const auto* pass = std::get_if<ir::Pass>(&module().commands[origin_[c]].what);
      if (pass == nullptr) continue;
      TensorUnitPass const p{module(), device(), *pass, facts_of(origin_[c]).as<ir::PassFacts>(), module().commands[origin_[c]].at};
      for (std::size_t i = 0; i < pass->stages.size(); ++i)
        if (std::holds_alternative<What>(pass->stages[i].what))
          if (Verdict v = what_to_do(p, i, std::get<program::Exec>(program_.commands[c].what)); !v) return v;
    }
    return accept();
  }
  /// The last stage of this kind before stage i.
  template <class What>
  static std::size_t before(const TensorUnitPass& p, std::size_t i) {
    while (i > 0 && !std::holds_alternative<What>(p.stage(i).what)) --i;
    return i;
  }
  /// Puts a record into its place, or passes the refusal on.
  template <class T>
  static Verdict put(Expected<T> made, T& place) {
    if (!made) return made.refusal();
    place = *std::move(made);
    return accept();
  }

  Verdict fetch() {
    return at_each<ir::Fetch>([](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      e.fetch = lower_fetch(p, i);
      return accept();
    });
  }
  Verdict switching() {
    return at_each<ir::Switch>(
        [](const TensorUnitPass& p, std::size_t i, program::Exec& e) { return put(lower_switch(p, i), e.switching.emplace()); });
  }
  Verdict collect() {
    return at_each<ir::Collect>([](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      e.collect = lower_collect(p, i);
      return accept();
    });
  }
  Verdict contraction() {
    return at_each<ir::Accumulate>([](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      return put(lower_contraction(p, before<ir::Align>(p, i), before<ir::Contract>(p, i), i), e.contraction.emplace());
    });
  }
  Verdict vector() {
    return at_each<ir::VectorFinal>([](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      return put(lower_vector(p, before<ir::VectorInit>(p, i), i, e.fetch), e.vector.emplace());
    });
  }
  Verdict cast() {
    return at_each<ir::Cast>([](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      e.cast = program::Cast{p.type_in(i), p.found(i).out.type};
      return accept();
    });
  }
  Verdict transpose() {
    return at_each<ir::Transpose>([](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      e.transpose = lower_transpose(p, i);
      return accept();
    });
  }
  Verdict commit() {
    auto const to_dm = [](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      SliceMask writing = live_units(p.in(i), Level::slice);
      if (const auto& mask = std::get<ir::Commit>(p.stage(i).what).slices) writing = writing & *mask;
      return sink(lower_commit(p, i), writing, e);
    };
    auto const to_trf = [](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      return sink(lower_trf_store(p, i), live_units(p.in(i), Level::slice), e);
    };
    auto const to_vrf = [](const TensorUnitPass& p, std::size_t i, program::Exec& e) {
      return sink(lower_vrf_store(p, i), live_units(p.in(i), Level::slice), e);
    };
    if (auto v = at_each<ir::Commit>(to_dm); !v) return v;
    if (auto v = at_each<ir::ToTrf>(to_trf); !v) return v;
    return at_each<ir::ToVrf>(to_vrf);
  }
  template <class Record>
  static Verdict sink(Record record, const SliceMask& writing, program::Exec& e) {
    e.sink = std::move(record);
    e.writing = slice_set(writing);
    return accept();
  }
  Verdict transfer() {
    for (std::size_t c = 0; c < program_.commands.size(); ++c) {
      const ir::Command& from = module().commands[origin_[c]];
      const ir::CommandFacts& facts = facts_of(origin_[c]);
      auto* const dma = std::get_if<program::Dma>(&program_.commands[c].what);
      if (dma == nullptr) continue;
      const auto* inside = std::get_if<ir::Transfer>(&from.what);
      auto made = inside != nullptr ? lower_transfer(module(), device(), *inside, facts, from.at)
                                    : lower_host_transfer(module(), device(), std::get<ir::HostTransfer>(from.what), facts, from.at);
      if (auto v = put(std::move(made), *dma); !v) return v;
    }
    return accept();
  }

  Verdict resources() {
    for (std::size_t i = 0; i < program_.commands.size(); ++i) {
      add_resources(device(), program_.commands[i]);
      add_ranges(module(), device(), module().commands[origin_[i]], program_.commands[i]);
    }
    return accept();
  }
  Verdict debug() {
    add_debug(module(), origin_, program_);
    return accept();
  }

  ir::Verified verified_;
  const Options& options_;
  program::Program program_;
  std::vector<ir::CommandId> origin_;  // of each command: the module's
  ir::CommandId from_{0};
};

const Lowering::Pass Lowering::passes[] = {&Lowering::place,     &Lowering::outline,     &Lowering::fetch,    &Lowering::switching,
                                           &Lowering::collect,   &Lowering::contraction, &Lowering::vector,   &Lowering::cast,
                                           &Lowering::transpose, &Lowering::commit,      &Lowering::transfer, &Lowering::resources,
                                           &Lowering::debug};

}  // namespace

Expected<program::Program> lower(const ir::Verified& module, const Options& options) { return Lowering(module, options).run(); }

}  // namespace tcp::lower
