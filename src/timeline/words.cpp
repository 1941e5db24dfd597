// The words for engines, causes, edges, memories and resources, and sets of numbers as text.
#include "timeline/facts.hpp"

#include <utility>
#include <variant>

#include "tcp/program/print.hpp"

namespace tcp::timeline {

const char* word_of(program::Engine engine) {
  using program::Engine;
  switch (engine) {
    case Engine::Fetch: return "Fetch";
    case Engine::Switch: return "Switch";
    case Engine::Collect: return "Collect";
    case Engine::Contraction: return "Contraction";
    case Engine::Reducer: return "Reducer";
    case Engine::Vector: return "Vector";
    case Engine::Cast: return "Cast";
    case Engine::Transpose: return "Transpose";
    case Engine::Commit: return "Commit";
    case Engine::TrfStore: return "TRF store";
    case Engine::VrfStore: return "VRF store";
    case Engine::Dma: return "DMA";
    case Engine::Hbm: return "HBM";
    case Engine::Pcie: return "PCIe";
    case Engine::Itos: return "ITOS";
  }
  return "";
}

const char* word_of(program::OrderKind kind) {
  switch (kind) {
    case program::OrderKind::Program: return "program";
    case program::OrderKind::Ready: return "ready";
    case program::OrderKind::Shorter: return "shorter";
  }
  return "";
}
const char* word_of(program::Stall cause) {
  using program::Stall;
  switch (cause) {
    case Stall::Engine: return "engine";
    case Stall::TrfBank: return "trf-bank";
    case Stall::DmBank: return "dm-bank";
    case Stall::Dmn: return "dmn";
    case Stall::HbmChannel: return "hbm-channel";
    case Stall::HbmRow: return "hbm-row";
    case Stall::PartialWrite: return "partial-write";
    case Stall::SharedMedium: return "shared-medium";
    case Stall::Pcie: return "pcie";
    case Stall::Broadcast: return "broadcast";
    case Stall::Starvation: return "starvation";
    case Stall::Table: return "table";
    case Stall::Lag: return "lag";
  }
  return "";
}

const char* word_of(program::EdgeKind kind) {
  using program::EdgeKind;
  switch (kind) {
    case EdgeKind::None: return "";
    case EdgeKind::Resource: return "resource";
    case EdgeKind::Raw: return "raw";
    case EdgeKind::War: return "war";
    case EdgeKind::Waw: return "waw";
    case EdgeKind::Starvation: return "starvation";
    case EdgeKind::Barrier: return "barrier";
  }
  return "";
}

const char* word_of(program::Memory memory) { return memory == Memory::Host ? "host" : name_of(memory); }

const char* word_of(program::Resource resource) {
  using program::Resource;
  switch (resource) {
    case Resource::Main: return "main";
    case Resource::Sub: return "sub";
    case Resource::TensorDma: return "tensor DMA";
    case Resource::PcieDma: return "PCIe DMA";
    case Resource::VectorEngine: return "vector engine";
  }
  return "";
}

namespace {

/// Those of 0 to n - 1 that are contained, neighbours joined: "0-3,8".
template <class Contains>
std::string numbers(std::int64_t n, Contains&& contains) {
  std::string out;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!contains(i)) continue;
    std::int64_t last = i;
    while (last + 1 < n && contains(last + 1)) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(i);
    if (last > i) out += "-" + std::to_string(last);
    i = last;
  }
  return out;
}

/// The settings of a command; a transfer with many descriptors shows the first, for they differ in addresses only.
std::vector<program::Setting> short_settings(const program::Command& command) {
  const auto* dma = std::get_if<program::Dma>(&command.what);
  if (dma == nullptr || dma->descriptors.size() <= 1) return program::settings_of(command);
  program::Dma first{dma->pcie, dma->parallel_copy, {dma->descriptors.front()}};
  auto settings = program::settings_of({std::move(first), command.resources, {}, {}, command.debug});
  settings.push_back({"descriptors", std::to_string(dma->descriptors.size()), "this is the first of them"});
  return settings;
}

}  // namespace

trace::Units units_of(const program::Units& u) {
  trace::Units made;
  made.chips = numbers(static_cast<std::int64_t>(u.chips.size()), [&](std::int64_t c) { return u.chips[static_cast<std::size_t>(c)]; });
  made.clusters = numbers(32, [&](std::int64_t c) { return (u.clusters >> c & 1) != 0; });
  made.slices = program::print(u.slices);
  return made;
}

std::string numbers_of(std::uint64_t bits) {
  return numbers(64, [bits](std::int64_t i) { return (bits >> i & 1) != 0; });
}
std::string numbers_of(const std::set<std::int32_t>& all) {
  std::int64_t const end = all.empty() ? 0 : std::int64_t{*all.rbegin()} + 1;
  return numbers(end, [&all](std::int64_t i) { return all.contains(static_cast<std::int32_t>(i)); });
}

std::vector<trace::Setting> setting_texts(const program::Command& command) {
  std::vector<trace::Setting> all;
  for (program::Setting& s : short_settings(command)) all.push_back({std::move(s.stage), std::move(s.configuration), std::move(s.why)});
  return all;
}

}  // namespace tcp::timeline
