// A device that runs what is launched on it: one kernel after the other, on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "runtime/device/kept.hpp"
#include "tcp/dsl/backend.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/runtime/launch.hpp"

namespace tcp::detail {

class DeviceSession;

/// One launch: first a recording, then a module to be run, then its outcome. An upload or download of the host is one,
/// too, without a recording.
class Job {
 public:
  Job(DeviceSession* on, Recording* recording) : session(on), open(recording), done(promise.get_future().share()) {}

  DeviceSession* session;  // alive as long as the job runs: close() waits for it
  Recording* open;         // null: the launch itself was refused, or this is no kernel
  bool kernel = true;      // false: an upload or download of the host
  std::atomic<int> handles{1};
  std::shared_ptr<Placement> placement;                    // once it is submitted
  std::vector<std::shared_ptr<const Contents>> arguments;  // in the order of the module's
  std::vector<std::shared_ptr<Contents>> results;
  std::exception_ptr failure;  // before `done`
  std::promise<void> promise;
  std::shared_future<void> done;
};

class DeviceSession : public Session {
 public:
  DeviceSession(const ContextOptions& options, std::unique_ptr<Backend> backend);
  ~DeviceSession() override;

  Job* open(std::int64_t chips, const char* kernel);
  void submit(Job& job);
  /// The module that a job would run. Its results hold nothing.
  ir::Verified keep(Job& job);
  /// What was recorded for this job, to be launched as often as wanted, and not now.
  std::shared_ptr<KeptModule> keep_for_launches(Job& job, std::vector<Exchange>& arguments, std::vector<Exchange>& results);
  /// Runs a module that was recorded before on these tensors. `results`: for each result of the module the tensor that
  /// takes it, an argument among them. Throws if the module does not go with where these tensors are.
  Job* launch_again(KeptModule& kept, const std::vector<Handle>& arguments, const std::vector<Handle>& results);
  void give_up(Job& job);
  /// The job is over. `made`: tensors that it was to make and that hold nothing.
  void fail(Job& job, std::exception_ptr why, const std::vector<Handle>& made = {});
  std::shared_ptr<Contents> run_host_transfer(ir::Module module, const std::shared_ptr<const Contents>& argument) override;
  void close() override;

 private:
  /// What was recorded, checked and placed.
  ir::Verified checked(const ir::Module& recorded, const std::vector<ir::Taken>& taken);
  /// From an earlier launch, or made now and kept for the next: then `recorded` is moved from.
  std::shared_ptr<Placement> placement_of(ir::Module&& recorded, const std::vector<ir::Taken>& taken);
  std::shared_ptr<Placement> placement_of(KeptModule& kept, const std::vector<std::int64_t>& addresses,
                                          const std::vector<ir::Taken>& taken);
  void enqueue(JobHandle job);
  void work();
  /// Runs the job to its end, whatever comes of it.
  void finish(Job& job);
  void run(Job& job);
  bool is_traced() const { return options_.trace != nullptr || options_.on_trace != nullptr; }
  std::vector<ir::Taken> taken_by_others(const std::vector<Exchange>& arguments);
  /// The module with names for its tensors, as people see it.
  static ir::Module named(const ir::Module& recorded);
  /// Adds the text of a kernel to the file that was asked for, if one was.
  void dump(const ir::Module& recorded) const;
  /// From now on, in the order of the host's calls, tensors hold what the job will leave in them.
  void settle(Job& job, const std::vector<Exchange>& arguments, const std::vector<Exchange>& results);

  ContextOptions options_;
  std::string dump_;  // empty: none
  std::unique_ptr<Backend> backend_;
  KeptModules kept_;
  std::thread worker_;
  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<JobHandle> queue_;
  bool closing_ = false;
};

}  // namespace tcp::detail
