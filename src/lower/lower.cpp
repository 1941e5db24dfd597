// The table of contents of lowering: a verified module goes through these passes, each a file of this folder.
//
//   place          every tensor gets an address                                          ir/place.hpp
//   exec           passes of the Tensor Unit, engine by engine                            fetch, switch, collect, contraction, vector, transpose, commit
//   transfer       DMA descriptors                                                       transfer
//   memset         ITOS words                                                            memset
//   resources      what each command occupies, and which bytes it reads and writes       resources
//   debug          names, mappings and source lines, as text                             debug
#include "tcp/lower/lower.hpp"

#include <chrono>

#include "pass.hpp"
#include "tcp/ir/place.hpp"

namespace tcp::lower {

namespace {

class Lowering {
 public:
  Lowering(const ir::Module& module, const Device& device, const Options& options) : module_(module), device_(device), options_(options) {}

  Expected<program::Program> run() {
    auto const facts = ir::verify(module_, device_);
    if (!facts) return facts.refusal();
    facts_ = &*facts;
    program_.name = module_.name;
    program_.chip = device_.name.s;
    program_.chips = static_cast<std::int32_t>(module_.chips);
    program_.numeric = module_.numeric;
    for (const ir::LookupTable& t : module_.tables) program_.tables.push_back({t.from, t.to, t.bits});
    using Pass = Verdict (Lowering::*)();
    struct Named {
      const char* name;
      Pass pass;
    };
    for (Named const& each : {Named{"place", &Lowering::place}, Named{"commands", &Lowering::commands},
                              Named{"resources", &Lowering::resources}, Named{"debug", &Lowering::debug}}) {
      auto const start = std::chrono::steady_clock::now();
      if (auto v = (this->*each.pass)(); !v) return v.refusal();
      std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
      if (options_.after_pass) options_.after_pass({each.name, taken.count(), module_, program_});
    }
    return std::move(program_);
  }

 private:
  Verdict place() {
    if (auto v = ir::place(module_, device_); !v) return v;
    place_on_host();
    for (ir::TensorId id : module_.arguments) program_.arguments.push_back(region(id));
    for (ir::TensorId id : module_.results) program_.results.push_back(region(id));
    return accept();
  }
  /// The host's memory is not the device's to give out; for a program its tensors lie one behind the other.
  void place_on_host() {
    std::int64_t next = 0;
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      ir::Tensor& t = module_.tensors[i];
      if (t.memory != Memory::Host || t.address || t.view) continue;
      t.address = next;
      next += ceil_div(bytes_of(t), std::int64_t{64}) * 64;
    }
  }
  std::int64_t bytes_of(const ir::Tensor& t) const {
    return ceil_div(module_.map(t.element).size * scalar_info(t.type).packet_bits, std::int64_t{8});
  }
  program::Region region(ir::TensorId id) const {
    const ir::Tensor& t = module_.tensor(id);
    return {*t.address, bytes_of(t), -1};
  }

  Verdict commands() {
    for (std::size_t i = 0; i < module_.commands.size(); ++i) {
      from_ = i;
      auto const v = std::visit([this](const auto& what) { return lower(what); }, module_.commands[i].what);
      if (!v) return v;
    }
    return accept();
  }
  Where at() const { return module_.commands[from_].at; }
  void add(std::variant<program::Exec, program::Dma, program::Itos> what) {
    program_.commands.emplace_back().what = std::move(what);
    origin_.push_back(from_);
  }

  Verdict lower(const ir::Pass& pass);
  Verdict lower(const ir::Transfer& t) {
    auto dma = lower_transfer(module_, device_, t, facts_->commands[from_], at());
    if (!dma) return dma.refusal();
    add(*std::move(dma));
    return accept();
  }
  Verdict lower(const ir::HostTransfer& t) {
    auto dma = lower_host_transfer(module_, device_, t, facts_->commands[from_], at());
    if (!dma) return dma.refusal();
    add(*std::move(dma));
    return accept();
  }
  Verdict lower(const ir::Memset& m) {
    const ir::Tensor& t = module_.tensor(m.destination);
    std::int64_t const words = std::get<ir::Words>(facts_->commands[from_]).count, begin = *module_.address_of(m.destination);
    for (std::int64_t w = 0; w < words; ++w) add(program::Itos{units_of(module_.levels(t)), begin + 4 * w, m.word});
    return accept();
  }

  Verdict resources() {
    for (std::size_t i = 0; i < program_.commands.size(); ++i) {
      add_resources(device_, program_.commands[i]);
      add_ranges(module_, device_, module_.commands[origin_[i]], program_.commands[i]);
    }
    return accept();
  }
  Verdict debug() {
    for (std::size_t i = 0; i < program_.commands.size(); ++i)
      program_.commands[i].debug = add_debug(module_, module_.commands[origin_[i]], program_);
    for (std::size_t i = 0; i < module_.arguments.size(); ++i)
      program_.arguments[i].debug = add_debug(module_, module_.arguments[i], program_);
    for (std::size_t i = 0; i < module_.results.size(); ++i) program_.results[i].debug = add_debug(module_, module_.results[i], program_);
    return accept();
  }

  ir::Module module_;
  const Device& device_;
  const Options& options_;
  const ir::Facts* facts_ = nullptr;
  program::Program program_;
  std::vector<std::size_t> origin_;  // of each command: the module's
  std::size_t from_ = 0;
};

/// Takes the value out, or returns the refusal.
#define TCP_LOWERED(TO, ...)                \
  do {                                      \
    auto lowered = __VA_ARGS__;             \
    if (!lowered) return lowered.refusal(); \
    TO = *std::move(lowered);               \
  } while (false)

Verdict Lowering::lower(const ir::Pass& pass) {
  TensorUnitPass const p{module_, device_, pass, std::get<ir::PassFacts>(facts_->commands[from_]), at()};
  program::Exec exec;
  exec.sub = pass.context == Tu::Sub;
  exec.dual = pass.dual;
  exec.units = units_of(p.in(0));
  std::size_t align = 0, contract = 0, vector = 0;
  for (std::size_t i = 0; i < pass.stages.size(); ++i) {
    const auto& what = pass.stages[i].what;
    if (std::holds_alternative<ir::Fetch>(what)) TCP_LOWERED(exec.fetch, lower_fetch(p, i));
    if (std::holds_alternative<ir::Switch>(what)) TCP_LOWERED(exec.switching.emplace_back(), lower_switch(p, i));
    if (std::holds_alternative<ir::Collect>(what)) exec.collect.push_back(lower_collect(p, i));
    if (std::holds_alternative<ir::Align>(what)) align = i;
    if (std::holds_alternative<ir::Contract>(what)) contract = i;
    if (std::holds_alternative<ir::Accumulate>(what))
      TCP_LOWERED(exec.contraction.emplace_back(), lower_contraction(p, align, contract, i));
    if (std::holds_alternative<ir::VectorInit>(what)) vector = i;
    if (std::holds_alternative<ir::VectorFinal>(what)) TCP_LOWERED(exec.vector.emplace_back(), lower_vector(p, vector, i, exec.fetch));
    if (std::holds_alternative<ir::Cast>(what)) exec.cast.push_back({p.type_in(i), p.found(i).type});
    if (std::holds_alternative<ir::Transpose>(what)) exec.transpose.push_back(lower_transpose(p, i));
    if (std::holds_alternative<ir::Commit>(what)) exec.sink = lower_commit(p, i);
    if (std::holds_alternative<ir::ToTrf>(what)) exec.sink = lower_trf_store(p, i);
    if (std::holds_alternative<ir::ToVrf>(what)) exec.sink = lower_vrf_store(p, i);
  }
  Mapping const slice = p.in(pass.stages.size() - 1)[Level::slice];
  SliceMask writing = live_slices(slice);
  if (const auto* commit = std::get_if<ir::Commit>(&pass.stages.back().what); commit != nullptr && commit->slices)
    writing = writing & *commit->slices;
  exec.writing = slice_set(writing);
  add(std::move(exec));
  return accept();
}

#undef TCP_LOWERED

}  // namespace

Expected<program::Program> lower(const ir::Module& module, const Device& device, const Options& options) {
  return Lowering(module, device, options).run();
}

}  // namespace tcp::lower
