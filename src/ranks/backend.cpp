// Runs a kernel step by step: its own chips' modules by the backend inside, and exchanges with the other ranks. What
// goes wrong on one rank is told to all before any of them goes on.
#include "tcp/ranks/backend.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>

#include "ranks/parts.hpp"
#include "ranks/split.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::ranks {
namespace {

/// What a rank has come to; the worst of all ranks decides.
enum Outcome : std::uint64_t { good, refused, broken };

/// The plan of a module: the same steps at each of its runs.
class KeptSplit : public Keepsake {
 public:
  explicit KeptSplit(Split made) : split(std::move(made)) {}

  Split split;
  std::unique_ptr<Keepsake> whole{};  // of the backend inside, for all of the kernel
};

/// One run of a module.
class Launch {
 public:
  Launch(Backend& inner, Wire& wire, const Shares& shares, Traffic& traffic, const ir::Verified& module, const RunOptions& options)
      : inner_(inner),
        wire_(wire),
        shares_(shares),
        traffic_(traffic),
        kernel_(module),
        module_(module.module()),
        options_(options),
        first_(shares.first(wire.rank())),
        end_(first_ + shares.count(wire.rank())) {}

  Expected<Images> run(KeptSplit& kept, const Images& arguments) {
    agree_on(kept);
    traffic_.kernels += options_.kernel ? 1 : 0;
    if (kept.split.whole.empty()) {
      bind(arguments);
      for (auto& step : kept.split.steps) {
        if (auto* segment = std::get_if<Segment>(&step)) run_segment(*segment);
        else exchange(std::get<Exchange>(step));
      }
      if (agreed(outcome_) == good) return results();
      throw_if_broken();
      // What one chip refuses, and whether it matters, is for the whole kernel to say.
      held_.clear();
      outcome_ = good;
      if (undefined_between_) kept.split.whole = "undefined elements between two transfers between chips";
    }
    return run_whole(kept, arguments);
  }

 private:
  using Held = std::map<ir::TensorId, std::vector<ImagePointer>>;  // of the host: one image

  bool is_host(ir::TensorId id) const { return module_.tensor(id).memory == Memory::Host; }
  bool is_mine(std::int64_t chip) const { return first_ <= chip && chip < end_; }
  /// How many of a tensor's chips are this rank's.
  std::int64_t mine_of(ir::TensorId root) const { return std::clamp<std::int64_t>(chips_of(module_, root) - first_, 0, end_ - first_); }

  // Agreement.

  /// All ranks run the same kernel, and split it, or none does.
  void agree_on(KeptSplit& kept) {
    std::uint64_t const hash = ir::recording_hash(module_);
    std::uint64_t numbers[] = {hash, ~hash, kept.split.whole.empty() ? 0u : 1u};
    wire_.largest(numbers);
    if (numbers[0] != hash || numbers[1] != ~hash)
      throw Refused(refuse("ranks-out-of-step")
                        .what("rank ", wire_.rank(), " is to run ", std::string_view(module_.name).substr(0, 80),
                              ", and another rank a kernel that differs from it")
                        .why("all ranks record the same program, and each computes its own chips' part of every kernel")
                        .help("let nothing that ranks do not share (time, random numbers, files of one machine) decide what is launched"));
    if (numbers[2] != 0 && kept.split.whole.empty()) kept.split.whole = "another rank could not split it";
  }
  Outcome agreed(Outcome mine) {
    std::uint64_t numbers[] = {mine, mine == broken ? static_cast<std::uint64_t>(wire_.rank()) : 0, undefined_between_ ? 1u : 0u};
    wire_.largest(numbers);
    broken_rank_ = static_cast<int>(numbers[1]);
    undefined_between_ = numbers[2] != 0;
    return outcome_ = static_cast<Outcome>(numbers[0]);
  }
  void throw_if_broken() {
    if (outcome_ != broken) return;
    if (failure_) std::rethrow_exception(failure_);
    throw Refused(refuse("ranks-rank-failed")
                      .what("rank ", broken_rank_, " could not go on, and with it the run")
                      .why("its chips' part of the kernel is missing")
                      .help("see what that rank says; memory that has run out is the usual reason"));
  }
  /// Whatever happens here, the others are told of it at the next agreement.
  template <class Work>
  void guarded(Work&& work) {
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
      outcome_ = broken;
    }
  }

  // Split.

  void bind(const Images& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      ir::TensorId const root = module_.arguments[i];
      if (is_host(root)) held_[root] = {arguments[i]};
      else held_[root] = static_cast<const Parts&>(*arguments[i]).of_chips();
    }
  }
  void run_segment(Segment& segment) {
    if (outcome_ != good) return;
    guarded([&] {
      std::map<ir::TensorId, std::vector<ImagePointer>> made;
      for (const ChipPart& part : segment.parts) {
        Images arguments;
        for (ir::TensorId id : segment.arguments) arguments.push_back(held_.at(id)[static_cast<std::size_t>(part.chip - first_)]);
        LocalModule& local = segment.modules[part.module];
        RunOptions options;
        options.kept = &local.kept;
        auto images = inner_.run(local.module, arguments, options);
        if (!images) {
          outcome_ = refused;
          undefined_between_ |= std::string_view(images.refusal().code) == "exec-undefined-result";
          return;
        }
        for (std::size_t i = 0; i < images->size(); ++i) made[segment.results[i]].push_back((*images)[i]);
      }
      for (auto& [id, images] : made) held_[id] = std::move(images);
      done_ += segment.commands;
      if (options_.on_progress) options_.on_progress(std::min(done_, module_.commands.size()), module_.commands.size());
    });
  }

  /// The bytes of a chip, or of the host; null if nothing has come there yet, or this rank has failed.
  const std::byte* bytes_of(ir::TensorId root, std::int64_t chip) {
    auto const found = held_.find(root);
    if (found == held_.end()) return nullptr;
    auto const at = static_cast<std::size_t>(chip == on_host ? 0 : chip - first_);
    return at < found->second.size() && found->second[at] ? found->second[at]->data() : nullptr;
  }
  /// The part of each chip that this rank has, as images that may be written: a part that others look at is copied.
  std::vector<std::shared_ptr<Image>> to_be_written(ir::TensorId root) {
    std::vector<std::shared_ptr<Image>> out;
    std::vector<ImagePointer> before;
    if (auto const found = held_.find(root); found != held_.end()) before = std::move(found->second);
    std::int64_t const count = is_host(root) ? 1 : mine_of(root);
    for (std::int64_t i = 0; i < count; ++i) {
      auto const at = static_cast<std::size_t>(i);
      if (at < before.size() && before[at]) out.push_back(std::make_shared<Image>(*before[at]));
      else out.push_back(std::make_shared<Image>(static_cast<std::size_t>(bytes_on_chip(module_, root))));
    }
    return out;
  }

  static void take(const Piece& piece, const std::byte* from, std::byte* to) {
    for (const Run& r : piece.runs) {
      std::memcpy(to, from + r.from, static_cast<std::size_t>(r.bytes));
      to += r.bytes;
    }
  }
  static void put(const Piece& piece, const std::byte* from, std::byte* to) {
    for (const Run& r : piece.runs) {
      std::memcpy(to + r.to, from, static_cast<std::size_t>(r.bytes));
      from += r.bytes;
    }
  }

  /// A rank that has failed goes on sending, so that no other rank waits for it: what it sends is never looked at.
  void exchange(const Exchange& e) {
    std::vector<std::shared_ptr<Image>> made;
    int const ranks = wire_.size(), me = wire_.rank();
    std::vector<std::vector<std::byte>> out(static_cast<std::size_t>(ranks)), in(static_cast<std::size_t>(ranks));
    auto const rank_of = [&](std::int64_t chip) { return chip == on_host ? me : shares_.rank_of(chip); };
    // What the host gets, all ranks get; what it gives, each takes for itself.
    auto const receivers = [&](const Piece& p, auto&& visit) {
      if (p.to != on_host) return visit(shares_.rank_of(p.to));
      for (int r = 0; r < ranks; ++r) visit(r);
    };
    for (const Piece& p : e.pieces) {
      if (p.from == on_host) continue;
      int const sender = rank_of(p.from);
      receivers(p, [&](int to) {
        if (sender == me && to != me)
          out[static_cast<std::size_t>(to)].resize(out[static_cast<std::size_t>(to)].size() + static_cast<std::size_t>(p.bytes));
        if (sender != me && to == me)
          in[static_cast<std::size_t>(sender)].resize(in[static_cast<std::size_t>(sender)].size() + static_cast<std::size_t>(p.bytes));
      });
    }
    std::vector<std::size_t> at(static_cast<std::size_t>(ranks), 0);
    for (const Piece& p : e.pieces) {
      if (p.from == on_host || rank_of(p.from) != me) continue;
      const std::byte* const from = bytes_of(e.source, p.from);
      receivers(p, [&](int to) {
        if (to == me) return;
        auto const t = static_cast<std::size_t>(to);
        if (from != nullptr) take(p, from, out[t].data() + at[t]);
        at[t] += static_cast<std::size_t>(p.bytes);
      });
    }
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (int r = 0; r < ranks; ++r) {
      auto const i = static_cast<std::size_t>(r);
      if (!out[i].empty()) outgoing.push_back({r, out[i]});
      if (!in[i].empty()) incoming.push_back({r, in[i]});
      traffic_.messages += out[i].empty() ? 0 : 1;
      traffic_.bytes += static_cast<std::int64_t>(out[i].size());
    }
    if (options_.kernel) ++traffic_.exchanges;
    wire_.exchange(outgoing, incoming);
    done_ += 1;
    if (outcome_ != good) return;
    guarded([&] {
      made = to_be_written(e.destination);
      auto const place = [&](std::int64_t chip) { return made[static_cast<std::size_t>(chip == on_host ? 0 : chip - first_)]->data(); };
      std::fill(at.begin(), at.end(), 0);
      for (const Piece& p : e.pieces) {
        if (p.to != on_host && !is_mine(p.to)) continue;
        int const sender = rank_of(p.from);
        if (sender == me) {
          const std::byte* const from = bytes_of(e.source, p.from);
          TCP_BUG_UNLESS(from != nullptr, "an exchange reads a tensor that nothing has made");
          std::byte* const to = place(p.to);
          for (const Run& r : p.runs) std::memcpy(to + r.to, from + r.from, static_cast<std::size_t>(r.bytes));
        } else {
          auto const s = static_cast<std::size_t>(sender);
          put(p, in[s].data() + at[s], place(p.to));
          at[s] += static_cast<std::size_t>(p.bytes);
        }
      }
      held_[e.destination] = {made.begin(), made.end()};
    });
  }
  Expected<Images> results() {
    Images out;
    traffic_.bytes_held = 0;
    for (ir::TensorId id : module_.results) {
      ir::TensorId const root = module_.root_of(id);
      std::vector<ImagePointer>& images = held_[root];  // none of a rank whose chips have nothing of it
      if (is_host(root)) {
        out.push_back(images.front());
        continue;
      }
      for (const ImagePointer& each : images) traffic_.bytes_held += static_cast<std::int64_t>(each->size());
      out.push_back(std::make_shared<const Parts>(images));
    }
    return out;
  }

  // Whole.

  /// The argument with the parts of all chips, one after the other.
  ImagePointer gathered(ir::TensorId root, const ImagePointer& argument) {
    if (is_host(root)) return argument;
    auto const size = static_cast<std::size_t>(bytes_on_chip(module_, root));
    std::int64_t const chips = chips_of(module_, root);
    auto all = std::make_shared<Image>(size * static_cast<std::size_t>(chips));
    const auto& mine = static_cast<const Parts&>(*argument).of_chips();
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (size > 0) std::memcpy(all->data() + (static_cast<std::size_t>(first_) + i) * size, mine[i]->data(), size);
    auto const range = [&](int rank) {
      std::int64_t const first = std::min(shares_.first(rank), chips), end = std::min(shares_.first(rank + 1), chips);
      return std::span(all->data() + static_cast<std::size_t>(first) * size, static_cast<std::size_t>(end - first) * size);
    };
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    for (int r = 0; r < wire_.size(); ++r) {
      if (r == wire_.rank()) continue;
      if (!range(wire_.rank()).empty()) out.push_back({r, range(wire_.rank())});
      if (!range(r).empty()) in.push_back({r, range(r)});
    }
    for (const Outgoing& o : out) traffic_.bytes += static_cast<std::int64_t>(o.bytes.size());
    traffic_.messages += static_cast<std::int64_t>(out.size());
    wire_.exchange(out, in);
    return all;
  }
  Expected<Images> run_whole(KeptSplit& kept, const Images& arguments) {
    traffic_.whole += options_.kernel ? 1 : 0;
    traffic_.why = kept.split.whole.empty() ? "a chip rejected its part" : kept.split.whole;
    Images all;
    for (std::size_t i = 0; i < arguments.size(); ++i) all.push_back(gathered(module_.arguments[i], arguments[i]));
    Expected<Images> images{Images{}};
    guarded([&] {
      RunOptions options = options_;
      options.kept = &kept.whole;
      images = inner_.run(kernel_, all, options);
    });
    agreed(outcome_);
    throw_if_broken();
    if (!images) return images;
    Images out;
    for (std::size_t i = 0; i < images->size(); ++i) {
      ir::TensorId const root = module_.root_of(module_.results[i]);
      if (is_host(root)) {
        out.push_back((*images)[i]);
        continue;
      }
      auto const size = static_cast<std::size_t>(bytes_on_chip(module_, root));
      std::vector<ImagePointer> parts;
      for (std::int64_t c = 0; c < mine_of(root); ++c) {
        Image part = Image::not_initialised(size);
        if (size > 0) std::memcpy(part.data(), (*images)[i]->data() + static_cast<std::size_t>(first_ + c) * size, size);
        parts.push_back(std::make_shared<const Image>(std::move(part)));
      }
      out.push_back(std::make_shared<const Parts>(std::move(parts)));
    }
    return out;
  }

  Backend& inner_;
  Wire& wire_;
  const Shares& shares_;
  Traffic& traffic_;
  const ir::Verified& kernel_;
  const ir::Module& module_;
  const RunOptions& options_;
  std::int64_t first_, end_;  // this rank's chips
  Held held_;
  std::size_t done_ = 0;  // commands
  Outcome outcome_ = good;
  bool undefined_between_ = false;
  int broken_rank_ = 0;
  std::exception_ptr failure_;
};

class RanksBackend : public Backend {
 public:
  RanksBackend(std::unique_ptr<Backend> inner, Wire& wire, const Shares& shares, Traffic* traffic)
      : inner_(std::move(inner)), wire_(wire), shares_(shares), traffic_(traffic != nullptr ? *traffic : own_) {}

  std::string_view name() const override { return inner_->name(); }

  Expected<Images> run(const ir::Verified& module, const Images& arguments, const RunOptions& options) override {
    std::unique_ptr<Keepsake> once;
    std::unique_ptr<Keepsake>& kept = options.kept != nullptr ? *options.kept : once;
    if (kept == nullptr) kept = std::make_unique<KeptSplit>(split(module, shares_, wire_.rank()));
    return Launch(*inner_, wire_, shares_, traffic_, module, options).run(static_cast<KeptSplit&>(*kept), arguments);
  }

 private:
  std::unique_ptr<Backend> inner_;
  Wire& wire_;
  Shares shares_;
  Traffic own_;
  Traffic& traffic_;
};

}  // namespace

std::unique_ptr<Backend> over_ranks(std::unique_ptr<Backend> inner, Wire& wire, const Shares& shares, Traffic* traffic) {
  return std::make_unique<RanksBackend>(std::move(inner), wire, shares, traffic);
}

}  // namespace tcp::ranks
