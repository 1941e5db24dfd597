#include "tcp/dsl/session.hpp"

#include <algorithm>

#include "session_of_thread.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::detail {

namespace {

thread_local Session* recording_on_this_thread = nullptr;

}  // namespace

Session* recording_session() { return recording_on_this_thread; }

void retain(Node* node) noexcept { ++node->handles; }
void release(Node* node) noexcept {
  if (--node->handles != 0) return;
  Session* const session = node->session;
  session->forget(*node);
  delete node;
  session->release();
}

Mapping mapping_of(MapText text) {
  auto const axes = declared_axes(text.axes, {});
  TCP_BUG_UNLESS(axes.ok(), "a mapping's type holds axes that do not parse");
  auto const m = parse(text.text, *axes);
  TCP_BUG_UNLESS(m.ok(), "a mapping's type holds a text that does not parse");
  return *m;
}
Levels levels_of(const Layout& layout) {
  Levels l;
  for (int i = 0; i < level_count; ++i) l.at[i] = mapping_of(layout.level[i]);
  return l;
}
std::int64_t chips_of(const Layout& layout) { return mapping_of(layout.level[static_cast<int>(Level::chip)]).size; }
std::int64_t bytes_per_chip(const Layout& layout) {
  std::int64_t const elements = mapping_of(layout.level[static_cast<int>(Level::element)]).size;
  return ceil_div(elements * scalar_info(layout.type).packet_bits, std::int64_t{8});
}

Recording& Session::start(std::int64_t chips, Where at) {
  if (recording_)
    throw Refused(refuse("dsl-launch-inside-kernel", at)
                      .what("a kernel is launched while another one is being recorded")
                      .why("a kernel runs on the device; only the host launches")
                      .help("call the inner kernel as a function, with the same context"));
  recording_ = std::make_unique<Recording>(this, ++recordings_, chips, at);
  recording_on_this_thread = this;
  return *recording_;
}
void Session::stop() {
  recording_.reset();
  recording_on_this_thread = nullptr;
}
Recording& Session::recording(Where at) {
  if (recording_) return *recording_;
  throw Refused(refuse("dsl-outside-kernel", at)
                    .what("the device is told to do something outside of a kernel")
                    .why("transfers by tdma, passes and views of device tensors are recorded while a kernel runs")
                    .help("put it into a function and launch it: launch(kernel, ctx, tensors...)"));
}

std::shared_ptr<const Image> Session::image_of(const Node& node, Where at) {
  std::shared_future<void> pending;
  {
    std::lock_guard const lock(mutex);
    pending = node.pending;
  }
  if (pending.valid()) pending.wait();
  std::lock_guard const lock(mutex);
  if (node.lost) throw Refused(*node.lost);
  if (!node.image)
    throw Refused(refuse("dsl-tensor-without-contents", at)
                      .what("a tensor is read that no upload and no finished kernel has filled")
                      .why("its contents exist on the device only while its kernel runs")
                      .help("return it from the kernel, and read the result"));
  return node.image;
}

void Session::settle(Node& node) {
  std::lock_guard const lock(mutex);
  std::int64_t const begin = *node.address, end = begin + bytes_per_chip(node.layout);
  for (auto i = in_hbm_.begin(); i != in_hbm_.end();) {
    Node& other = **i;
    std::int64_t const there = *other.address, there_end = there + bytes_per_chip(other.layout);
    if (&other == &node || there >= end || begin >= there_end) {
      ++i;
      continue;
    }
    other.image.reset();
    other.lost = std::make_shared<const Refusal>(
        refuse("dsl-tensor-overwritten", {})
            .what("a tensor at HBM bytes ", there, " to ", there_end - 1, " was overwritten by another one at ", begin, " to ", end - 1)
            .why("both share bytes, and the later one has been written")
            .help("place them apart, or read the first one before the second is made"));
    i = in_hbm_.erase(i);
  }
  in_hbm_.insert(&node);
}

std::int64_t Session::free_place(std::int64_t bytes) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const Node* n : in_hbm_) taken.emplace_back(*n->address, *n->address + bytes_per_chip(n->layout));
  std::sort(taken.begin(), taken.end());
  constexpr std::int64_t unit = 256;  // one request
  std::int64_t at = 0;
  for (auto const& [begin, end] : taken) {
    if (at + bytes <= begin) return at;
    at = std::max(at, ceil_div(end, unit) * unit);
  }
  return at;
}

void Session::forget(Node& node) {
  std::lock_guard const lock(mutex);
  in_hbm_.erase(&node);
  if (recording_ && recording_->serial() == node.recording) recording_->forget(node);
}

}  // namespace tcp::detail
