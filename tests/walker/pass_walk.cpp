#include "pass_walk.hpp"

#include <algorithm>

#include "tcp/scalar/packing.hpp"

namespace tcp::walker {

PassWalk::PassWalk(const ir::Module& module, const Device& device, const ir::Pass& pass, const ir::PassFacts& facts,
                   const program::Exec& exec, Stored& stored)
    : module_(module), device_(device), pass_(pass), facts_(facts), exec_(exec), stored_(stored) {
  Levels const source = in(0);
  Cells const cells(source, AxisNumbers({&source}));
  for (std::int64_t chip = 0; chip < source[Level::chip].size; ++chip)
    for (std::int64_t cluster = 0; cluster < source[Level::cluster].size; ++cluster)
      if (!cells.padded(Level::chip, chip) && !cells.padded(Level::cluster, cluster)) units_.push_back({chip, cluster});
}

Levels PassWalk::in(std::size_t i) const { return i == 0 ? module_.levels(module_.tensor(pass_.source[0])) : out(i - 1); }
ScalarType PassWalk::type_in(std::size_t i) const { return i == 0 ? module_.tensor(pass_.source[0]).type : type_out(i - 1); }

void PassWalk::disagree(const std::string& what) const {
  std::ostringstream says;
  says << "stage " << i_ << ": " << what;
  throw Disagreement(says.str());
}
void PassWalk::disagree(const Place& at, const std::string& what) const {
  std::ostringstream says;
  says << "chip " << at.chip << ", cluster " << at.cluster << ", slice " << at.slice << ", row " << at.row << ", element " << at.element
       << ", step " << at.time << ", place " << at.packet << " " << what;
  disagree(says.str());
}

void PassWalk::spot_check(const Cells& cells, const Place& place) {
  if (!cells.same_as_cell(place)) disagree(place, "is decoded in two ways: the walker and mapping/cell.hpp differ");
}

/// Units take part that hold something.
void PassWalk::check_units() const {
  Levels const source = in(0);
  Cells const cells(source, AxisNumbers({&source}));
  for (std::int64_t c = 0; c < source[Level::chip].size; ++c)
    demand(exec_.units.chips.at(static_cast<std::size_t>(c)) != cells.padded(Level::chip, c), "the bitmap of chips is wrong");
  for (std::int64_t c = 0; c < source[Level::cluster].size; ++c)
    demand((exec_.units.clusters >> c & 1) != (cells.padded(Level::cluster, c) ? 1u : 0u), "the bitmap of clusters is wrong");
  for (std::int64_t s = 0; s < source[Level::slice].size; ++s)
    demand(exec_.units.slices.contains(s) != cells.padded(Level::slice, s), "the bitmap of slices is wrong");
}

void PassWalk::begin_stream(const Levels& levels) {
  levels_ = levels;
  slices_ = levels[Level::slice].size;
  times_ = levels[Level::time].size;
  packets_ = levels[Level::packet].size;
  kind_.assign(units_.size() * static_cast<std::size_t>(slices_ * times_ * packets_), Kind::junk);
  Cells const cells(levels, AxisNumbers({&levels}));
  each_place(cells, [&](std::size_t u, const Place& at) {
    Pad const pad = cells.at(at).pad;
    if (pad != Pad::none && pad != Pad::zero) return;
    kind_[index(u, at.slice, at.time, at.packet)] = pad == Pad::none ? Kind::element : Kind::zero;
  });
}

void PassWalk::run() {
  check_units();
  std::size_t align = 0;
  for (i_ = 0; i_ < pass_.stages.size(); ++i_) {
    const auto& what = pass_.stages[i_].what;
    if (std::holds_alternative<ir::Align>(what)) align = i_;
    if (std::holds_alternative<ir::Accumulate>(what)) contraction(exec_.contraction.value(), align);
    else stage(i_);
  }
}

void PassWalk::stage(std::size_t i) {
  const auto& what = pass_.stages[i].what;
  if (std::holds_alternative<ir::Fetch>(what)) return fetch(exec_.fetch);
  if (std::holds_alternative<ir::Switch>(what)) return move_switch(exec_.switching.value());
  if (std::holds_alternative<ir::Collect>(what)) return collect(exec_.collect.value());
  if (std::holds_alternative<ir::Cast>(what)) return cast(exec_.cast.value().from, exec_.cast.value().to);
  bool const relu = std::holds_alternative<ir::CommitCastRelu>(what);
  if (relu || std::holds_alternative<ir::CommitCast>(what)) {
    const program::CommitCast& c = std::get<program::Commit>(exec_.sink).cast.value();
    demand(c.relu == relu, "the commit makes 0 of what is negative, or does not, against its stage");
    return cast(c.from, c.to);
  }
  if (std::holds_alternative<ir::Transpose>(what)) return transpose(exec_.transpose.value());
  if (std::holds_alternative<ir::Commit>(what)) return commit(std::get<program::Commit>(exec_.sink));
  if (std::holds_alternative<ir::ToTrf>(what)) return store_trf(std::get<program::TrfStore>(exec_.sink));
  if (std::holds_alternative<ir::ToVrf>(what)) return store_vrf(std::get<program::VrfStore>(exec_.sink));
  if (std::holds_alternative<ir::Align>(what) || std::holds_alternative<ir::Contract>(what)) return;
  if (std::holds_alternative<ir::VectorInit>(what)) {
    step_ = 0;
    return start_counts(nullptr);
  }
  if (std::holds_alternative<ir::VectorFinal>(what))
    return demand(step_ == exec_.vector.value().steps.size(), "the vector engine has more steps than stages");
  vector_step(exec_.vector.value());
}

Walked walk(const ir::Verified& placed, const program::Program& program) {
  const ir::Module& module = placed.module();
  Walked walked;
  Stored stored;
  std::size_t next = 0;
  for (std::size_t c = 0; c < module.commands.size(); ++c) {
    const auto* pass = std::get_if<ir::Pass>(&module.commands[c].what);
    if (pass == nullptr) continue;
    while (next < program.commands.size() && !std::holds_alternative<program::Exec>(program.commands[next].what)) ++next;
    if (next == program.commands.size()) {
      walked.says = "a pass has no command";
      return walked;
    }
    PassWalk one(module, placed.device(), *pass, placed.facts().commands[c].as<ir::PassFacts>(),
                 std::get<program::Exec>(program.commands[next++].what), stored);
    try {
      one.run();
    } catch (const Disagreement& d) {
      walked.says = "command " + std::to_string(c) + ", " + d.what();
    }
    walked.places += one.places();
    ++walked.passes;
    if (!walked.says.empty()) return walked;
  }
  return walked;
}

std::int64_t work(const ir::Verified& verified) {
  const ir::Module& module = verified.module();
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < module.commands.size(); ++c) {
    if (!std::holds_alternative<ir::Pass>(module.commands[c].what)) continue;
    for (const ir::StageFacts& stage : verified.facts().commands[c].as<ir::PassFacts>().stages) {
      std::int64_t places = 1;
      for (const Mapping& m : verified.levels(stage).at) places *= m.size;
      sum += places;
    }
  }
  return sum;
}

}  // namespace tcp::walker
