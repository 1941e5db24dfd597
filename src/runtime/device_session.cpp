#include "device_session.hpp"

#include <fstream>

#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::detail {

DeviceSession::DeviceSession(const ContextOptions& options, std::unique_ptr<Backend> backend)
    : Session(*options.device), options_(options), backend_(std::move(backend)) {}

DeviceSession::~DeviceSession() { TCP_BUG_UNLESS(!worker_.joinable(), "a device went away while kernels ran on it"); }

Job* DeviceSession::open(std::int64_t chips) {
  auto job = std::make_unique<Job>(this, nullptr);
  try {
    if (chips > options_.chips)
      throw Refused(refuse("runtime-too-few-chips", {})
                        .what("a kernel for ", chips, " chips is launched on a machine that has ", options_.chips)
                        .why("all chips of a kernel run at the same time")
                        .help("launch it for at most ", options_.chips, " chips, or acquire a machine with more"));
    job->open = &start(chips, {});
    job->open->module.numeric = options_.numeric;
  } catch (...) {
    fail(*job, std::current_exception());
  }
  return job.release();
}

void DeviceSession::fail(Job& job, std::exception_ptr why) {
  job.failure = std::move(why);
  std::shared_ptr<const Refusal> lost;
  try {
    std::rethrow_exception(job.failure);
  } catch (const Refused& r) {
    lost = std::make_shared<const Refusal>(r.refusal());
  } catch (const std::exception& e) {
    lost = std::make_shared<const Refusal>(
        refuse("runtime-kernel-threw", {})
            .what("the kernel that was to make this tensor threw: ", std::string_view(e.what()).substr(0, 120))
            .why("a tensor of a kernel that did not run has no contents")
            .help("catch the exception where the kernel is launched"));
  } catch (...) {
    lost = std::make_shared<const Refusal>(refuse("runtime-kernel-threw", {})
                                               .what("the kernel that was to make this tensor threw an exception")
                                               .why("a tensor of a kernel that did not run has no contents")
                                               .help("catch the exception where the kernel is launched"));
  }
  {
    std::lock_guard const lock(mutex);
    for (const Exchange& r : job.results)
      if (!r.node.get()->image) r.node.get()->lost = lost;
  }
  job.promise.set_value();
}

void DeviceSession::submit(Job& job) {
  Recording& recording = *job.open;
  std::vector<Exchange> results = recording.finish();
  job.arguments = std::move(recording.arguments);
  job.module = std::move(recording.module);
  job.open = nullptr;
  stop();
  {
    std::lock_guard const lock(mutex);
    for (const Exchange& r : results) {
      r.node.get()->recording = 0;
      r.node.get()->pending = job.done;
    }
  }
  job.results = std::move(results);
  if (options_.dump != nullptr) std::ofstream(options_.dump, std::ios::app) << ir::print(job.module) << "\n";
  auto facts = ir::verify(job.module, device());
  if (!facts) throw Refused(facts.refusal());
  job.facts = *std::move(facts);
  throw_if_refused(ir::place(job.module, device()));
  detail::retain(&job);
  std::lock_guard const lock(queue_mutex_);
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  queue_.emplace_back(&job);
  queue_changed_.notify_all();
}

void DeviceSession::work() {
  for (;;) {
    std::unique_lock lock(queue_mutex_);
    queue_changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    JobHandle const job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    try {
      run(*job.get());
      job.get()->arguments.clear();
      job.get()->promise.set_value();
    } catch (...) {
      fail(*job.get(), std::current_exception());
    }
  }
}

void DeviceSession::run(Job& job) {
  std::vector<std::shared_ptr<const Image>> arguments;
  for (const Exchange& a : job.arguments) arguments.push_back(image_of(*a.node.get(), job.module.tensor(a.id).at));
  RunOptions options;
  options.check = options_.check;
  if (options_.on_progress != nullptr)
    options.on_progress = [&](std::size_t done, std::size_t of) {
      options_.on_progress(options_.progress_user,
                           {job.module.name.c_str(), static_cast<std::int64_t>(done), static_cast<std::int64_t>(of)});
    };
  auto images = backend_->run(job.module, job.facts, arguments, options);
  if (!images) throw Refused(images.refusal());
  for (std::size_t i = 0; i < job.results.size(); ++i) {
    Node& node = *job.results[i].node.get();
    {
      std::lock_guard const lock(mutex);
      node.image = std::make_shared<const Image>(std::move((*images)[i]));
      node.address = job.module.tensor(job.results[i].id).address;
    }
    settle(node);
  }
  job.results.clear();
}

namespace {
DeviceSession& on_device(Session* session) { return static_cast<DeviceSession&>(*session); }
}  // namespace

Job* open_job(Session* session, std::int64_t chips) { return on_device(session).open(chips); }
bool is_open(const Job* job) { return job->open != nullptr; }
void submit_job(Job* job) noexcept {
  try {
    job->session->submit(*job);
  } catch (...) {
    job->session->stop();
    job->session->fail(*job, std::current_exception());
  }
}
void fail_job(Job* job) noexcept {
  job->session->stop();
  job->session->fail(*job, std::current_exception());
}
void wait_for_job(const Job* job) { job->done.wait(); }
void finish_job(const Job* job) {
  job->done.wait();
  if (job->failure) std::rethrow_exception(job->failure);
}
bool is_done(const Job* job) { return job->done.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
void retain(Job* job) noexcept { ++job->handles; }
void release(Job* job) noexcept {
  if (--job->handles == 0) delete job;
}

}  // namespace tcp::detail
