// Names, mappings and source lines of commands and tensors, as text for people. No executor reads them.
//
// Needs: a placed module. Leaves: Program::debug. Refuses nothing. A pass has an entry for every stage, in their order, as settings_of (program/print.hpp) has;
// an entry `at` says where the one before it was written.
#include <map>

#include "pass.hpp"
#include "tcp/mapping/print.hpp"

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

program::Debug at_place(Where at) {
  program::Debug d;
  d.file = plain(at.file);
  d.function = plain(at.function);
  d.line = at.line;
  d.column = at.column;
  return d;
}

/// A view that has no name goes by that of the tensor it looks at.
std::string name_of_tensor(const ir::Module& module, ir::TensorId id) {
  if (!module.tensor(id).name.empty()) return module.tensor(id).name;
  const std::string& root = module.tensor(module.root_of(id)).name;
  return root.empty() ? "%" + std::to_string(id) : root;
}

void add_tensor(program::Debug& d, const ir::Module& module, const char* role, ir::TensorId id) {
  const ir::Tensor& t = module.tensor(id);
  std::string text = name_of_tensor(module, id);
  text += std::string(": ") + scalar_info(t.type).name + " in " + name_of(t.memory);
  Levels const levels = module.levels(t);
  for (Level level : {Level::chip, Level::cluster, Level::slice, Level::row, Level::element})
    if (level == Level::element || levels[level].size > 1) text += std::string(" ") + name_of(level) + "[" + written(levels[level]) + "]";
  d.fields.emplace_back(role, plain(text));
}

struct Describe {
  const ir::Module& module;
  program::Debug& d;

  void operator()(const ir::Pass& p) {
    d.name = p.context == Tu::Main ? "main" : "sub";
    for (ir::TensorId id : p.source) add_tensor(d, module, "source", id);
    for (const ir::Stage& s : p.stages) {
      Levels const levels = module.levels(s.out);
      d.fields.emplace_back(info_of(ir::kind_of(s.what)).word,
                            std::string(scalar_info(s.out.type).name) + " Slice[" + written(levels[Level::slice]) + "] Time[" +
                                written(levels[Level::time]) + "] Packet[" + written(levels[Level::packet]) + "]");
      if (s.at.known()) d.fields.emplace_back("at", plain(std::string(s.at.file) + ":" + std::to_string(s.at.line)));
    }
    if (const auto* c = std::get_if<ir::Commit>(&p.stages.back().what)) add_tensor(d, module, "destination", c->destination);
    if (const auto* c = std::get_if<ir::ToTrf>(&p.stages.back().what)) add_tensor(d, module, "destination", c->destination);
    if (const auto* c = std::get_if<ir::ToVrf>(&p.stages.back().what)) add_tensor(d, module, "destination", c->destination);
  }
  void operator()(const ir::Transfer& t) {
    d.name = "dma";
    add_tensor(d, module, "source", t.source);
    add_tensor(d, module, "destination", t.destination);
    if (t.rows != ir::none) add_tensor(d, module, "rows", t.rows);
  }
  void operator()(const ir::HostTransfer& t) {
    d.name = "host";
    add_tensor(d, module, "source", t.source);
    add_tensor(d, module, "destination", t.destination);
  }
  void operator()(const ir::Memset& m) {
    d.name = "memset";
    add_tensor(d, module, "destination", m.destination);
  }
};

}  // namespace

std::int32_t add_debug(const ir::Module& module, const ir::Command& command, program::Program& program) {
  program::Debug d = at_place(command.at);
  std::visit(Describe{module, d}, command.what);
  if (command.region != ir::none) {
    const ir::Region& r = module.regions[static_cast<std::size_t>(command.region)];
    d.fields.emplace_back("region", plain(r.name) + "[" + std::to_string(r.index) + "]");
  }
  program.debug.push_back(std::move(d));
  return static_cast<std::int32_t>(program.debug.size()) - 1;
}

std::int32_t add_debug(const ir::Module& module, ir::TensorId tensor, program::Program& program) {
  program::Debug d = at_place(module.tensor(tensor).at);
  d.name = plain(module.tensor(tensor).name);
  add_tensor(d, module, "tensor", tensor);
  program.debug.push_back(std::move(d));
  return static_cast<std::int32_t>(program.debug.size()) - 1;
}

void add_axes(const ir::Module& module, program::Program& program) {
  std::map<std::string, std::int64_t> sizes;
  for (const Mapping& m : module.maps)
    for (int a = 0; a < m.axes; ++a) {
      Text name;
      name << m.axis[a].name;
      sizes.emplace(name.view(), m.axis[a].extent);
    }
  program::Debug d;
  d.name = "axes";
  for (const auto& [name, size] : sizes) d.fields.emplace_back(plain(name), std::to_string(size));
  program.debug.push_back(std::move(d));
}

}  // namespace tcp::lower
