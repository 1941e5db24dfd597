// Names, mappings and source lines of commands and tensors, for people. No executor reads them.
//
// Needs: a placed module. Leaves: Program::debug: every tensor of the module under its own number, and an entry for
// each command. Refuses nothing. A pass has an entry for every stage, in their order, as settings_of
// (program/print.hpp) has.
#include <map>
#include <tuple>

#include "lower/pass.hpp"
#include "tcp/mapping/print.hpp"
#include "tcp/support/round.hpp"

namespace tcp::lower {

std::string plain(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

namespace {

/// As the text form has it between its brackets.
std::string written(const Mapping& m) {
  Text t;
  t << m;
  std::string_view v = t.view();
  if (v.starts_with("m![") && v.ends_with(']')) v = v.substr(3, v.size() - 4);
  return std::string(v);
}

/// Makes the debug section from the module. Lines are shared by all that was written there.
class DebugMaker {
 public:
  DebugMaker(const ir::Module& module, program::Program& program) : module_(module), program_(program), out_(program.debug) {}

  void run(const std::vector<ir::CommandId>& origin) {
    for (ir::TensorId id : module_.tensors.ids()) add_tensor(id);
    for (const ir::Region& r : module_.regions) out_.regions.push_back({plain(r.name), r.index});
    add_axes();
    for (std::size_t i = 0; i < program_.commands.size(); ++i) program_.commands[i].debug = command_number(origin[i]);
    for (std::size_t i = 0; i < module_.arguments.size(); ++i) program_.arguments[i].debug = module_.arguments[i].number;
    for (std::size_t i = 0; i < module_.results.size(); ++i) program_.results[i].debug = module_.results[i].number;
  }

 private:
  std::int32_t line(Where at) {
    if (!at.known()) return -1;
    auto const [known, fresh] = lines_.try_emplace({std::string(at.file), std::string(at.function), at.line, at.column},
                                                   static_cast<std::int32_t>(out_.lines.size()));
    if (fresh) out_.lines.push_back({plain(at.file), plain(at.function), at.line, at.column});
    return known->second;
  }

  void add_tensor(ir::TensorId id) {
    const ir::Tensor& t = module_.tensor(id);
    program::DebugTensor d;
    // A view that has no name goes by that of the tensor it looks at.
    d.name = plain(t.name.empty() ? module_.tensor(module_.root_of(id)).name : t.name);
    d.type = t.type;
    d.memory = t.memory;
    Levels const levels = module_.levels(t);
    for (Level level : {Level::chip, Level::cluster, Level::slice, Level::row, Level::element})
      if (level == Level::element || levels[level].size > 1) d.levels.push_back({name_of(level), plain(written(levels[level]))});
    d.bytes = ceil_div(levels[Level::row].size * levels[Level::element].size * scalar_info(t.type).packet_bits, 8);
    d.at = line(t.at);
    out_.tensors.push_back(std::move(d));
  }

  void add_axes() {
    std::map<std::string, std::int64_t> sizes;
    for (const Mapping& m : module_.maps)
      for (int a = 0; a < m.axes; ++a) {
        Text name;
        name << m.axis[a].name;
        sizes.emplace(name.view(), m.axis[a].extent);
      }
    for (const auto& [name, size] : sizes) out_.axes.push_back({plain(name), size});
  }

  /// Several commands of a program may come from one of the module.
  std::int32_t command_number(ir::CommandId from) {
    auto const [known, fresh] = commands_.try_emplace(from, static_cast<std::int32_t>(out_.commands.size()));
    if (!fresh) return known->second;
    const ir::Command& c = module_.commands[from];
    program::DebugCommand d;
    d.at = line(c.at);
    std::visit([&](const auto& what) { describe(what, d); }, c.what);
    if (std::holds_alternative<ir::Pass>(c.what)) d.destination = ir::written_by(c).back().number;  // of its sink, the last stage
    if (c.region != ir::none) d.region = c.region;
    out_.commands.push_back(std::move(d));
    return known->second;
  }

  void describe(const ir::Pass& p, program::DebugCommand& d) {
    d.name = p.context == Tu::Main ? "main" : "sub";
    for (ir::TensorId id : p.source) d.sources.push_back(id.number);
    for (const ir::Stage& s : p.stages) {
      Levels const levels = module_.levels(s.out);
      std::string const shape = std::string(scalar_info(s.out.type).name) + " Slice[" + written(levels[Level::slice]) + "] Time[" +
                                written(levels[Level::time]) + "] Packet[" + written(levels[Level::packet]) + "]";
      d.stages.push_back({info_of(ir::kind_of(s.what)).word, plain(shape), line(s.at)});
    }
  }
  void describe(const ir::Transfer& t, program::DebugCommand& d) {
    d.name = "dma";
    d.sources = {t.source.number};
    d.destination = t.destination.number;
    if (t.rows != ir::none) d.rows = t.rows.number;
  }
  void describe(const ir::HostTransfer& t, program::DebugCommand& d) {
    d.name = "host";
    d.sources = {t.source.number};
    d.destination = t.destination.number;
  }
  void describe(const ir::Memset& m, program::DebugCommand& d) {
    d.name = "memset";
    d.destination = m.destination.number;
  }

  const ir::Module& module_;
  program::Program& program_;
  program::Debug& out_;
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>, std::int32_t> lines_;
  std::map<ir::CommandId, std::int32_t> commands_;
};

}  // namespace

void add_debug(const ir::Module& module, const std::vector<ir::CommandId>& origin, program::Program& program) {
  DebugMaker(module, program).run(origin);
}

}  // namespace tcp::lower
