// The run-time side of the typed front end: what a tensor refers to (Node), what a running kernel writes down
// (Recording), and what ties both to a device (Session). Kernels never see this header; runtimes and tests do.
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "tcp/dsl/record.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/support/image.hpp"

namespace tcp {

namespace detail {

/// What a tensor holds between kernels. A launch that was given it keeps it, whatever happens to the tensor's bytes
/// afterwards: so the order of the host's calls decides what a kernel reads, not the moment at which it runs.
struct Contents {
  std::shared_future<void> pending;     // the kernel that makes the rest; none: it is there
  std::shared_ptr<const Image> image;   // null: see `lost`
  std::shared_ptr<const Refusal> lost;  // why there is no image
};

/// A tensor that has at least one Handle. While its kernel is being recorded it is a number in a module; a tensor in
/// HBM or DM outlives its kernel and then has contents.
struct Node {
  std::atomic<int> handles{1};
  Session* session = nullptr;  // counted
  Memory memory = Memory::Hbm;
  ScalarType type = ScalarType::i32;
  std::shared_ptr<const Levels> levels;  // null while its kernel is being recorded: its module has them
  std::string name;

  std::uint64_t recording = 0;  // the serial number of the recording that it belongs to; 0: of none
  ir::TensorId id = ir::none;   // in that recording

  // Between kernels, guarded by the session's mutex.
  Interval place;
  std::shared_ptr<Contents> contents;
};

/// While one is alive, every copy of a handle that its thread makes shares the tensor that it says. So a prepared
/// launch finds the tensors in its arguments, and puts new ones into a copy of its result, in whatever structures they
/// are.
class HandleCopies {
 public:
  HandleCopies(const HandleCopies&) = delete;
  HandleCopies& operator=(const HandleCopies&) = delete;

  virtual Node* instead_of(Node* node) noexcept = 0;

 protected:
  HandleCopies();
  ~HandleCopies();

 private:
  HandleCopies* outer_;
};

/// Where a device tensor of the recording's module comes from, and where its image goes.
struct Exchange {
  Handle node;
  ir::TensorId id = ir::none;
};

/// A kernel while it runs: its calls as a module.
class Recording {
 public:
  Recording(Session* session, std::uint64_t serial, std::int64_t chips, Where at);

  ir::Module module;
  std::vector<Exchange> arguments;  // in the order of module.arguments

  /// The module's number of a tensor. A tensor that is in the device's memory becomes an argument. Refused: tensors
  /// of other kernels.
  ir::TensorId id_of(Node* node, Where at);
  /// The number of a mapping that outlives the recording, as those of m<…> do: it is looked at once.
  ir::MapId map(const Mapping& m);
  Handle add(ir::Tensor tensor);
  ir::Tensor tensor(Memory memory, const Layout& layout, Address address, Where at);
  ir::Shape shape(const Layout& layout);
  void command(std::variant<ir::Pass, ir::Transfer, ir::HostTransfer, ir::Memset> what, Where at);

  End open(ir::Pass pass, Where at);
  /// Refused: an end that is not the last of its pass any more.
  End stage(const End& end, ir::Stage stage);
  /// The pass becomes a command: passes run in the order of their sinks, wherever they begin.
  void close(const End& end, ir::Stage sink);
  /// Forgets the passes that are open, for a reader that goes on after a mistake in one.
  void abandon_passes() { open_.clear(); }

  void enter_region(const char* name, std::int64_t index, bool kept = false);
  void leave_region();

  /// The kernel has returned: whatever of HBM and DM it still holds are the results. Refused: an open stream, a tensor
  /// of another memory that is still held.
  std::vector<Exchange> finish();
  /// Refused: a stream that ends nowhere.
  void finish_open_passes() const;
  /// The tensors in HBM and DM that still have a Handle, for a kernel that did not come to its end.
  std::vector<Handle> held() const;

  std::uint64_t serial() const { return serial_; }
  Session* session() const { return session_; }
  void forget(const Node& node);

 private:
  /// Refused: a command that writes what an open stream has still to read.
  void check_open_streams(const ir::Command& command) const;
  /// A tensor goes on without this recording, with the mappings that it has in it.
  void take_leave(Node& node) const;

  Session* session_;
  std::uint64_t serial_;
  Where at_;
  Indexed<Node*, ir::TensorId> nodes_;  // by tensor; null where no handle is left
  std::unordered_map<const Mapping*, ir::MapId> maps_;
  std::unordered_map<const Node*, ir::TensorId> argument_of_;
  struct OpenPass {
    ir::Pass pass;
    Where at;
  };
  std::map<int, OpenPass> open_;  // by number
  int passes_ = 0;
  int region_ = ir::none;
};

/// A device that kernels are recorded for. Runtimes derive from it; by itself it records and runs nothing.
class Session {
 public:
  explicit Session(const Device& device) : device_(device) {}
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Device& device() const { return device_; }

  /// One kernel is recorded at a time. Refused: a launch inside a kernel.
  Recording& start(std::int64_t chips, Where at);
  void stop();
  /// The kernel that is being recorded. Refused: there is none.
  Recording& recording(Where at);
  bool is_recording() const { return recording_ != nullptr; }

  /// What a tensor holds as of now. Refused: nothing was ever written into it, or it is of another device.
  std::shared_ptr<const Contents> contents_of(const Node& node, Where at);
  /// A tensor takes its place in its memory with new contents; whatever lay there is lost.
  void settle(Node& node, const Interval& place, std::shared_ptr<Contents> contents);
  /// Bytes are written on behalf of no tensor that lives on.
  void overwrite(const ir::Taken& written);
  /// The bytes that tensors between kernels take, by their begin.
  std::vector<ir::Taken> taken();
  Interval place_of(const Node& node);
  void forget(Node& node);

  /// Runs a module of one transfer between the host and HBM, after all that was launched before it: from the contents
  /// of its argument to those of its result. Who asks for the image of the result waits for it. Here nothing runs: the
  /// transfer is checked, and its result has no image.
  virtual std::shared_ptr<Contents> run_host_transfer(ir::Module module, const std::shared_ptr<const Contents>& argument);

  /// The context is gone: what it has launched is finished, and the device is free for the next one.
  virtual void close() {}

  void retain() { ++uses_; }
  void release() {
    if (--uses_ == 0) delete this;
  }

  std::mutex mutex;  // of the nodes' contents and places

 private:
  void lose_others(const Node* writer, const ir::Taken& written);

  std::atomic<int> uses_{1};
  Device device_;
  std::unique_ptr<Recording> recording_;
  std::uint64_t recordings_ = 0;
  std::set<Node*> settled_;  // those between kernels that have a place
};

/// The bytes that a tensor takes in one memory: the HBM of a chip, the DM of a slice.
std::int64_t bytes_per_memory(ScalarType type, const Mapping& element);
/// Its bytes from an address on. Needs: a tensor that is between kernels.
Interval extent_of(const Node& node, std::int64_t address);

/// The image, after the kernel that makes it. Refused: it was lost.
std::shared_ptr<const Image> image_of(const Contents& contents);

/// Uploads elements as a memory has them.
Handle upload(Session* session, std::shared_ptr<const Image> elements, const Layout& host, const Layout& to, Address address, Where at);

/// Whether tensors of a memory outlive their kernel.
constexpr bool outlives_kernels(Memory memory) { return memory == Memory::Hbm || memory == Memory::Dm; }

/// All levels of a layout, and of a tensor, in its kernel or between kernels.
Levels levels_of(const Layout& layout);
Levels levels_of(const Node& node);

}  // namespace detail
}  // namespace tcp
