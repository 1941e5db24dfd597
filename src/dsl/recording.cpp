// A module as it grows: tensors and mappings get their numbers, passes are opened, extended and closed, and the
// tensors that stay alive outside are listed at the end.
#include <algorithm>

#include "dsl/parts.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/source_names.hpp"

namespace tcp::detail {

Recording::Recording(Session* session, std::uint64_t serial, std::int64_t chips, Where at) : session_(session), serial_(serial), at_(at) {
  module.chips = chips;
}

ir::MapId Recording::map(const Mapping& m) {
  auto const [found, fresh] = maps_.try_emplace(&m, 0);
  if (fresh) found->second = module.intern(m);
  return found->second;
}

ir::Tensor Recording::tensor(Memory memory, const Layout& layout, Address address, Where at) {
  ir::Tensor t;
  t.memory = memory;
  t.type = layout.type;
  t.chip = map(layout[Level::chip]);
  t.cluster = map(layout[Level::cluster]);
  t.slice = map(layout[Level::slice]);
  t.row = map(layout[Level::row]);
  t.element = map(layout[Level::element]);
  if (address.given) t.address = address.bytes;
  t.at = at;
  return t;
}

ir::Shape Recording::shape(const Layout& layout) {
  auto const level = [&](Level l) { return map(layout[l]); };
  return {layout.type,       level(Level::chip), level(Level::cluster), level(Level::slice),
          level(Level::row), level(Level::time), level(Level::packet)};
}

Handle Recording::add(ir::Tensor tensor) {
  auto node = std::make_unique<Node>();
  node->session = session_;
  session_->retain();
  node->memory = tensor.memory;
  node->type = tensor.type;
  node->recording = serial_;
  node->id = module.tensors.add(std::move(tensor));
  nodes_.resize(module.tensors.size(), nullptr);
  nodes_.back() = node.get();
  return Handle(node.release());
}

void Recording::take_leave(Node& node) const { node.levels = std::make_shared<const Levels>(module.levels(module.tensor(node.id))); }

void Recording::forget(const Node& node) { nodes_[node.id] = nullptr; }

ir::TensorId Recording::id_of(Node* node, Where at) {
  if (node == nullptr) throw Refused(empty_tensor(at));
  if (node->session != session_) throw Refused(foreign_tensor(*node, session_, at));
  if (node->recording == serial_) return node->id;
  if (auto const known = argument_of_.find(node); known != argument_of_.end()) return known->second;
  if (!node->levels) throw Refused(foreign_tensor(*node, session_, at));
  const Levels& levels = *node->levels;
  ir::Tensor t;
  t.memory = node->memory;
  t.type = node->type;
  t.chip = module.intern(levels[Level::chip]);
  t.cluster = module.intern(levels[Level::cluster]);
  t.slice = module.intern(levels[Level::slice]);
  t.row = module.intern(levels[Level::row]);
  t.element = module.intern(levels[Level::element]);
  t.at = at;
  {
    std::lock_guard const lock(session_->mutex);
    if (!node->contents) throw Refused(foreign_tensor(*node, session_, at));
    if (!node->contents->pending.valid() && node->contents->lost) throw Refused(*node->contents->lost);
    t.address = node->place.begin.value;
  }
  t.role = ir::Role::argument;
  t.name = node->name;
  ir::TensorId const id = module.tensors.add(std::move(t));
  nodes_.resize(module.tensors.size(), nullptr);
  module.arguments.push_back(id);
  retain(node);
  arguments.push_back({Handle(node), id});
  argument_of_[node] = id;
  return id;
}

void Recording::command(std::variant<ir::Pass, ir::Transfer, ir::HostTransfer, ir::Memset> what, Where at) {
  if (module.name.empty()) module.name = kernel_name(at.function);
  module.commands.push_back({std::move(what), at, region_});
  check_open_streams(module.commands.back());
}

void Recording::check_open_streams(const ir::Command& command) const {
  if (open_.empty()) return;
  std::vector<ir::TensorId> const written = ir::written_by(command);
  auto const is_written = [&](ir::TensorId id) {
    return std::any_of(written.begin(), written.end(), [&](ir::TensorId w) { return module.root_of(w) == module.root_of(id); });
  };
  for (const auto& [number, open] : open_) {
    std::vector<ir::TensorId> const read = ir::read_by(open.pass);
    if (std::none_of(read.begin(), read.end(), is_written)) continue;
    throw Refused(refuse("dsl-stream-overtaken", command.at)
                      .what("a tensor is written here that a stream still has to read")
                      .why("a pass runs when its stream comes to its sink, and this one has begun and is still open")
                      .help("end the stream before, or begin it after this"));
  }
}

End Recording::open(ir::Pass pass, Where at) {
  open_.emplace(++passes_, OpenPass{std::move(pass), at});
  return {session_, passes_, 0};
}

End Recording::stage(const End& end, ir::Stage stage) {
  auto const open = open_.find(end.pass);
  if (open == open_.end() || end.stages != static_cast<int>(open->second.pass.stages.size()))
    throw Refused(refuse("dsl-stream-used-twice", stage.at)
                      .what("a stream goes on from a stage that it has left already")
                      .why("a stream is consumed by its next stage")
                      .help("begin another pass over the tensor"));
  open->second.pass.stages.push_back(std::move(stage));
  return {session_, end.pass, end.stages + 1};
}

void Recording::close(const End& end, ir::Stage sink) {
  stage(end, std::move(sink));
  OpenPass closed = std::move(open_.extract(end.pass).mapped());
  command(std::move(closed.pass), closed.at);
}

void Recording::enter_region(const char* name, std::int64_t index, bool kept) {
  module.regions.push_back({name, index, region_, kept});
  region_ = static_cast<int>(module.regions.size()) - 1;
}
void Recording::leave_region() {
  if (region_ != ir::none) region_ = module.regions[static_cast<std::size_t>(region_)].inside;
}

std::vector<Handle> Recording::held() const {
  std::vector<Handle> all;
  for (ir::TensorId id : nodes_.ids()) {
    if (nodes_[id] == nullptr || !outlives_kernels(module.tensor(id).memory) || module.tensor(id).view) continue;
    take_leave(*nodes_[id]);
    retain(nodes_[id]);
    all.emplace_back(nodes_[id]);
  }
  return all;
}

void Recording::finish_open_passes() const {
  if (!open_.empty())
    throw Refused(refuse("dsl-stream-without-sink", open_.begin()->second.at)
                      .what("the stream that begins here ends nowhere, and the kernel returns")
                      .why("what no commit, to_trf or to_vrf takes up would be lost")
                      .help("end it with a sink"));
}

std::vector<Exchange> Recording::finish() {
  finish_open_passes();
  if (module.name.empty()) module.name = "kernel";
  std::vector<Exchange> results;
  for (ir::TensorId id : nodes_.ids()) {
    Node* const node = nodes_[id];
    if (node == nullptr) continue;
    ir::Tensor& t = module.tensors[id];
    if (!outlives_kernels(t.memory) || !module.is_whole(id))
      throw Refused(refuse("dsl-result-does-not-live-on", t.at)
                        .what("the kernel returns, and ", t.view ? "a view of a tensor" : "a tensor", " in ", t.memory,
                              " that begins here is still held")
                        .why("only whole tensors in HBM and DM outlive their kernel")
                        .help(t.view && outlives_kernels(t.memory) ? "return the tensor, and look at it again where it is used"
                                                                   : "commit it or copy it with to_hbm, and return that"));
    if (t.role == ir::Role::temporary) t.role = ir::Role::result;
    module.results.push_back(id);
    take_leave(*node);
    retain(node);
    results.push_back({Handle(node), id});
  }
  Indexed<bool, ir::TensorId> written(module.tensors.size(), false);
  for (const ir::Command& c : module.commands)
    for (ir::TensorId id : ir::written_by(c)) written[module.root_of(id)] = true;
  for (const Exchange& argument : arguments) {  // those that the kernel has written into come back, too
    if (!written[argument.id]) continue;
    module.results.push_back(argument.id);
    results.push_back(argument);
  }
  return results;
}

}  // namespace tcp::detail
