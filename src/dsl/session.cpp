// Handles and contents of tensors between kernels: who owns which bytes of HBM and DM, and what a write there makes of
// tensors that shared them.
#include "tcp/dsl/session.hpp"

#include <algorithm>

#include "dsl/parts.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::detail {

namespace {

thread_local Session* recording_on_this_thread = nullptr;
thread_local HandleCopies* copies_on_this_thread = nullptr;

}  // namespace

Recording& recording(Session* session, Where at) {
  if (session == nullptr) session = recording_on_this_thread;
  if (session == nullptr) throw Refused(outside_kernel(at));
  return session->recording(at);
}

HandleCopies::HandleCopies() : outer_(copies_on_this_thread) { copies_on_this_thread = this; }
HandleCopies::~HandleCopies() { copies_on_this_thread = outer_; }

Node* copied(Node* node) noexcept {
  if (copies_on_this_thread != nullptr) node = copies_on_this_thread->instead_of(node);
  retain(node);
  return node;
}
void retain(Node* node) noexcept { ++node->handles; }
void release(Node* node) noexcept {
  if (--node->handles != 0) return;
  Session* const session = node->session;
  session->forget(*node);
  delete node;
  session->release();
}

Levels levels_of(const Layout& layout) {
  Levels l;
  for (int i = 0; i < level_count; ++i) l.at[i] = *layout.level[i];
  return l;
}
Levels levels_of(const Node& node) {
  if (node.levels) return *node.levels;
  const ir::Module& module = node.session->recording({}).module;
  return module.levels(module.tensor(node.id));
}
std::int64_t bytes_per_memory(ScalarType type, const Mapping& element) { return ceil_div(element.size * scalar_info(type).packet_bits, 8); }
Interval extent_of(const Node& node, std::int64_t address) {
  return {Bytes{address}, Bytes{address + bytes_per_memory(node.type, (*node.levels)[Level::element])}};
}

std::shared_ptr<const Image> image_of(const Contents& contents) {
  if (contents.pending.valid()) contents.pending.wait();
  if (contents.lost) throw Refused(*contents.lost);
  TCP_BUG_UNLESS(contents.image != nullptr, "a kernel ended and left a result without contents");
  return contents.image;
}

Recording& Session::start(std::int64_t chips, Where at) {
  if (recording_)
    throw Refused(refuse("dsl-launch-inside-kernel", at)
                      .what("a kernel is launched while another one is being recorded")
                      .why("a kernel runs on the device; only the host launches")
                      .help("call the inner kernel as a function, with the same context"));
  auto fresh = std::make_unique<Recording>(this, ++recordings_, chips, at);
  {
    std::lock_guard const lock(mutex);
    recording_ = std::move(fresh);
  }
  recording_on_this_thread = this;
  return *recording_;
}
void Session::stop() {
  std::unique_ptr<Recording> ended;  // lets go of tensors, which takes the mutex again
  {
    std::lock_guard const lock(mutex);
    ended = std::move(recording_);
  }
  recording_on_this_thread = nullptr;
}
Recording& Session::recording(Where at) {
  if (recording_) return *recording_;
  throw Refused(outside_kernel(at));
}

std::shared_ptr<const Contents> Session::contents_of(const Node& node, Where at) {
  if (node.session != this) throw Refused(foreign_tensor(node, this, at));
  std::lock_guard const lock(mutex);
  TCP_BUG_UNLESS(node.contents != nullptr, "a tensor outlived its kernel and has no contents");
  return node.contents;
}

void Session::lose_others(const Node* writer, const ir::Taken& written) {
  for (auto i = settled_.begin(); i != settled_.end();) {
    Node& other = **i;
    if (&other == writer || other.memory != written.memory || !other.place.overlaps(written.bytes)) {
      ++i;
      continue;
    }
    other.contents = std::make_shared<Contents>();
    other.contents->lost = std::make_shared<const Refusal>(
        refuse("dsl-tensor-overwritten", {})
            .what("a tensor at ", other.memory, " bytes ", other.place.begin.value, " to ", other.place.end.value - 1,
                  " was overwritten by another one at ", written.bytes.begin.value, " to ", written.bytes.end.value - 1)
            .why("both share bytes, and the later one has been written")
            .help("place them apart, or read the first one before the second is made"));
    i = settled_.erase(i);
  }
}
void Session::settle(Node& node, const Interval& place, std::shared_ptr<Contents> contents) {
  std::lock_guard const lock(mutex);
  lose_others(&node, {node.memory, place});
  node.place = place;
  node.contents = std::move(contents);
  settled_.insert(&node);
}
void Session::overwrite(const ir::Taken& written) {
  std::lock_guard const lock(mutex);
  lose_others(nullptr, written);
}

std::vector<ir::Taken> Session::taken() {
  std::vector<ir::Taken> taken;
  {
    std::lock_guard const lock(mutex);
    for (const Node* n : settled_) taken.push_back({n->memory, n->place});
  }
  std::sort(taken.begin(), taken.end(), [](const ir::Taken& a, const ir::Taken& b) { return a.bytes.begin < b.bytes.begin; });
  return taken;
}

Interval Session::place_of(const Node& node) {
  std::lock_guard const lock(mutex);
  return node.place;
}

std::shared_ptr<Contents> Session::run_host_transfer(ir::Module module, const std::shared_ptr<const Contents>& argument) {
  throw_if_refused(verdict(ir::verify(std::move(module), device_)));
  auto result = std::make_shared<Contents>();
  result->lost = argument->lost;
  return result;
}

void Session::forget(Node& node) {
  std::lock_guard const lock(mutex);
  settled_.erase(&node);
  if (recording_ && recording_->serial() == node.recording) recording_->forget(node);
}

// Errors about tensors that are used where they cannot be: outside a kernel, empty, or on another device.

Refusal outside_kernel(Where at) {
  return refuse("dsl-outside-kernel", at)
      .what("the device is told to do something outside of a kernel")
      .why("transfers by tdma, passes and views of device tensors are recorded while a kernel runs")
      .help("put it into a function and launch it: launch(kernel, ctx, tensors...)");
}
Refusal empty_tensor(Where at) {
  return refuse("dsl-tensor-empty", at)
      .what("a tensor is used that has not been made yet")
      .why("a tensor that is declared without a value names nothing")
      .help("give it the result of a transfer, a commit, to_trf, to_vrf or a branch log first");
}
Refusal foreign_tensor(const Node& node, const Session* device, Where at) {
  if (node.session != device)
    return refuse("dsl-tensor-of-another-context", at)
        .what("a tensor in ", node.memory, " of one context is used in another")
        .why("when a context ends, the device's memory belongs to the next one")
        .help("download it with to_host before its context ends, and upload it again");
  return refuse("dsl-tensor-of-another-kernel", at)
      .what("a kernel uses a tensor in ", node.memory, " of another kernel")
      .why("what a kernel does not return is gone when it ends")
      .help("return it from its kernel, as a tensor in HBM");
}

}  // namespace tcp::detail
