// A pass goes slice by slice where slices have nothing to do with one another. The switch and the inter-slice reduce
// need all slices of a cluster at the same point, so there, and only there, streams of all of them are held.
#include "sim/commands.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "sim/direct_contraction.hpp"
#include "sim/vector/vector.hpp"

namespace tcp::sim {

namespace {

class Cluster {
 public:
  Cluster(const PassContext& context, const program::Exec& exec, Chip& chip, std::int64_t chip_number, std::int64_t cluster,
          const FetchAdapter& adapter, const ContractionWalk* walk, DirectContraction* direct, PassCounts& counts)
      : context_(context),
        exec_(exec),
        chip_(chip),
        chip_number_(chip_number),
        cluster_(cluster),
        adapter_(adapter),
        walk_(walk),
        direct_(direct),
        counts_(counts) {}

  Verdict run(bool packet_by_packet) {
    bool const routed = exec_.switching && exec_.switching->topology != program::Topology::Forwarding;
    if (!routed && inter_slice() == no_step) return slice_by_slice();
    std::vector<Stream> streams(Chip::most_slices);
    std::vector<bool> there(Chip::most_slices, false);
    for (std::int64_t s = 0; s < Chip::most_slices; ++s) {
      if (!exec_.units.slices.contains(s)) continue;
      if (routed) fetch_slice(s, streams[static_cast<std::size_t>(s)]);
      else begin_slice(s, streams[static_cast<std::size_t>(s)]);
      there[static_cast<std::size_t>(s)] = true;
    }
    if (routed) {
      if (auto v = route(streams, there, packet_by_packet); !v) return v;
      for (std::size_t s = 0; s < streams.size(); ++s)
        if (there[s]) to_vector(static_cast<std::int64_t>(s), streams[s]);
    }
    return inter_slice() == no_step ? to_the_end(streams, there) : across_slices(streams, there);
  }

 private:
  static constexpr std::size_t no_step = static_cast<std::size_t>(-1);

  Slice& slice(std::int64_t s) const { return chip_.slice(cluster_, s); }
  /// The first inter-slice reduce from a step on.
  std::size_t inter_slice(std::size_t from = 0) const {
    if (!exec_.vector) return no_step;
    const auto& steps = exec_.vector->steps;
    for (std::size_t i = from; i < steps.size(); ++i)
      if (std::holds_alternative<program::InterSliceReduceStep>(steps[i].what)) return i;
    return no_step;
  }

  Verdict slice_by_slice() {
    Stream stream;
    for (std::int64_t s = 0; s < Chip::most_slices; ++s) {
      if (!exec_.units.slices.contains(s)) continue;
      begin_slice(s, stream);
      if (auto v = finish_slice(s, stream); !v) return v;
    }
    return accept();
  }
  Verdict to_the_end(std::vector<Stream>& streams, const std::vector<bool>& there) {
    for (std::size_t s = 0; s < streams.size(); ++s)
      if (there[s])
        if (auto v = finish_slice(static_cast<std::int64_t>(s), streams[s]); !v) return v;
    return accept();
  }
  Verdict finish_slice(std::int64_t s, Stream& stream) {
    if (exec_.vector) {
      VectorEngine engine(context_, *exec_.vector, s, slice(s).vrf, std::move(stream));
      if (auto v = engine.run(exec_.vector->steps.size()); !v) return v;
      stream = std::move(engine.stream());
    }
    return put_away(s, stream);
  }

  std::int64_t offset_of(std::int64_t s) const { return program::offset_of(exec_.fetch, chip_number_, cluster_, s); }
  /// The engines up to the Vector Engine, without a switch.
  void begin_slice(std::int64_t s, Stream& out) {
    if (direct_ != nullptr && direct_->run(slice(s), offset_of(s), out, counts_.undefined_in)) return;
    fetch_slice(s, out);
    to_vector(s, out);
  }
  void fetch_slice(std::int64_t s, Stream& out) {
    fetch(exec_.fetch, adapter_, slice(s).dm, offset_of(s), out);
    counts_.undefined_in += out.count_undefined();
  }
  /// Those from the Collect Engine up to the Vector Engine.
  void to_vector(std::int64_t s, Stream& stream) {
    Stream next;
    std::int64_t const flit = context_.flit_lanes(stream.type);
    if (exec_.collect && stream.lanes == exec_.collect->flits_per_packet * flit) {  // whole flits already
      stream.packets *= exec_.collect->flits_per_packet;
      stream.lanes = flit;
    } else if (exec_.collect) {
      collect(context_, *exec_.collect, stream, next);
      std::swap(stream, next);
    }
    if (exec_.contraction) {
      contract(context_, *exec_.contraction, *walk_, slice(s).trf(), stream, next);
      std::swap(stream, next);
    }
  }
  /// Those after it.
  Verdict put_away(std::int64_t s, Stream& stream) {
    if (!exec_.writing.contains(s)) return accept();
    Stream next;
    if (exec_.cast) {
      cast(context_, *exec_.cast, stream, next);
      std::swap(stream, next);
    }
    if (exec_.transpose) {
      transpose(context_, *exec_.transpose, stream, next);
      std::swap(stream, next);
    }
    if (const auto* c = std::get_if<program::Commit>(&exec_.sink); c != nullptr && c->cast) {
      if (c->cast->relu) relu(stream);
      cast(context_, {c->cast->from, c->cast->to}, stream, next);
      std::swap(stream, next);
    }
    counts_.undefined_out += stream.count_undefined();
    if (const auto* t = std::get_if<program::TrfStore>(&exec_.sink)) return store(context_, *t, stream, slice(s).trf());
    if (const auto* c = std::get_if<program::Commit>(&exec_.sink)) commit(*c, stream, slice(s).dm);
    else store(std::get<program::VrfStore>(exec_.sink), stream, slice(s).vrf);
    return accept();
  }

  Verdict route(std::vector<Stream>& streams, std::vector<bool>& there, bool packet_by_packet) {
    const program::Switch& s = *exec_.switching;
    Fabric fabric;
    fabric.type = exec_.fetch.type;
    fabric.lanes = exec_.fetch.packet_elements;
    fabric.in.resize(s.snoop.size(), nullptr);
    for (std::size_t i = 0; i < fabric.in.size(); ++i)
      if (there[i]) fabric.in[i] = &streams[i];
    std::vector<Stream> out(streams.size());
    std::vector<bool> fed(there.size(), false);
    for (std::size_t i = 0; i < s.snoop.size(); ++i) fed[i] = is_fed(s, static_cast<std::int64_t>(i));
    if (packet_by_packet) {
      if (auto v = take_by_routers(context_, s, fabric, out); !v) return v;
    } else {
      std::vector<PacketSource> const in_time = sources_in_time(s);
      for (std::size_t i = 0; i < s.snoop.size(); ++i)
        if (fed[i])
          if (auto v = take_by_route(context_, s, in_time, fabric, static_cast<std::int64_t>(i), out[i]); !v) return v;
    }
    streams = std::move(out);
    there = std::move(fed);
    return accept();
  }

  /// All slices up to an inter-slice reduce, the reduce, and so on.
  Verdict across_slices(std::vector<Stream>& streams, const std::vector<bool>& there) {
    const program::Vector& vector = *exec_.vector;
    std::vector<std::unique_ptr<VectorEngine>> engines(streams.size());
    for (std::size_t s = 0; s < streams.size(); ++s) {
      if (!there[s]) continue;
      auto const number = static_cast<std::int64_t>(s);
      engines[s] = std::make_unique<VectorEngine>(context_, vector, number, slice(number).vrf, std::move(streams[s]));
    }
    for (std::size_t at = inter_slice(); at != no_step; at = inter_slice(at + 1)) {
      for (auto& engine : engines)
        if (engine)
          if (auto v = engine->run(at); !v) return v;
      reduce(engines, std::get<program::InterSliceReduceStep>(vector.steps[at].what).group_slices, at);
    }
    for (std::size_t s = 0; s < engines.size(); ++s) {
      if (!engines[s]) continue;
      if (auto v = engines[s]->run(vector.steps.size()); !v) return v;
      if (auto v = put_away(static_cast<std::int64_t>(s), engines[s]->stream()); !v) return v;
    }
    return accept();
  }
  /// Every slice of a group in which any slice works gets its part of the result.
  void reduce(std::vector<std::unique_ptr<VectorEngine>>& engines, std::int64_t group_slices, std::size_t at) {
    for (std::int64_t first = 0; first < static_cast<std::int64_t>(engines.size()); first += group_slices) {
      std::vector<const VectorEngine*> group;
      const VectorEngine* any = nullptr;
      for (std::int64_t s = first; s < first + group_slices && s < static_cast<std::int64_t>(engines.size()); ++s) {
        group.push_back(engines[static_cast<std::size_t>(s)].get());
        if (group.back() != nullptr) any = group.back();
      }
      if (any == nullptr) continue;
      Stream const folded = any->folded_with(group, first);
      for (std::size_t g = 0; g < group.size(); ++g) {
        auto& engine = engines[static_cast<std::size_t>(first) + g];
        if (!engine) {
          std::int64_t const number = first + static_cast<std::int64_t>(g);
          engine = std::make_unique<VectorEngine>(context_, *exec_.vector, number, slice(number).vrf, Stream{});
          engine->skip_to(at, *any);
        }
        engine->take_reduced(folded, first);
      }
    }
  }

  const PassContext& context_;
  const program::Exec& exec_;
  Chip& chip_;
  std::int64_t chip_number_, cluster_;
  const FetchAdapter& adapter_;
  const ContractionWalk* walk_;  // of a pass that contracts
  DirectContraction* direct_;    // null: not of this one
  PassCounts& counts_;
};

}  // namespace

Verdict run_pass(const PassContext& context, const program::Exec& exec, std::vector<std::unique_ptr<Chip>>& chips, bool packet_by_packet,
                 PassCounts& counts) {
  FetchAdapter const adapter(context, exec.fetch);
  std::optional<ContractionWalk> walk;
  if (exec.contraction) walk.emplace(context, *exec.contraction);
  bool const routed = exec.switching && exec.switching->topology != program::Topology::Forwarding;
  std::optional<DirectContraction> direct = DirectContraction::of(context, exec, adapter, walk && !routed ? &*walk : nullptr);
  for (std::size_t chip = 0; chip < exec.units.chips.size(); ++chip) {
    if (!exec.units.chips[chip]) continue;
    for (std::int64_t cluster = 0; cluster < Chip::most_clusters; ++cluster) {
      if ((exec.units.clusters >> cluster & 1) == 0) continue;
      Cluster here(context, exec, *chips[chip], static_cast<std::int64_t>(chip), cluster, adapter, walk ? &*walk : nullptr,
                   direct ? &*direct : nullptr, counts);
      if (auto v = here.run(packet_by_packet); !v) return v;
    }
  }
  return accept();
}

}  // namespace tcp::sim
