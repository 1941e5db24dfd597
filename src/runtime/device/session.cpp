// The queue of a device: a launch records its kernel, verifies and places it, and leaves it to a worker thread, which
// gives it to the backend; results and failures go back to the tensors.
#include "runtime/device/session.hpp"

#include <unistd.h>

#include <fstream>
#include <optional>

#include "tcp/ir/module.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/support/progress_line.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/room.hpp"
#include "tcp/support/source_names.hpp"
#include "tcp/trace/source_text.hpp"

namespace tcp::detail {

DeviceSession::DeviceSession(const ContextOptions& options, std::unique_ptr<Backend> backend)
    : Session(*options.device), options_(options), dump_(options.dump == nullptr ? "" : options.dump), backend_(std::move(backend)) {}

DeviceSession::~DeviceSession() { TCP_BUG_UNLESS(!worker_.joinable(), "a device went away while kernels ran on it"); }

Job* DeviceSession::open(std::int64_t chips, const char* kernel) {
  auto job = std::make_unique<Job>(this, nullptr);
  if (is_recording()) start(chips, {});  // refuses, and so the kernel that is being recorded
  try {
    if (chips > options_.chips)
      throw Refused(refuse("runtime-too-few-chips", {})
                        .what("a kernel for ", chips, " chips is launched on a machine that has ", options_.chips)
                        .why("all chips of a kernel run at the same time")
                        .help("launch it for at most ", options_.chips, " chips, or acquire a machine with more"));
    job->open = &start(chips, {});
    job->open->module.numeric = options_.numeric;
    job->open->module.name = kernel_class(kernel);
  } catch (...) {
    fail(*job, std::current_exception());
  }
  return job.release();
}

namespace {

/// Memory that has run out, as a refusal; other failures as they are.
std::exception_ptr in_words(std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return std::make_exception_ptr(Refused(out_of_memory()));
  } catch (...) {
    return failure;
  }
}

/// Why tensors of a job that failed hold nothing.
Refusal reason_of(const std::exception_ptr& failure) {
  auto const threw = [](std::string_view what) {
    return refuse("runtime-kernel-threw", {})
        .what("the kernel that was to make this tensor threw ", what)
        .why("a tensor of a kernel that did not run has no contents")
        .help("catch the exception where the kernel is launched");
  };
  try {
    std::rethrow_exception(failure);
  } catch (const Refused& r) {
    return r.refusal();
  } catch (const std::exception& e) {
    return threw(std::string_view(e.what()).substr(0, 120));
  } catch (...) {
    return threw("an exception");
  }
}

}  // namespace

void DeviceSession::fail(Job& job, std::exception_ptr why, const std::vector<Handle>& made) {
  why = in_words(std::move(why));
  auto const lost = std::make_shared<const Refusal>(reason_of(why));
  job.failure = std::move(why);
  for (const auto& contents : job.results) contents->lost = lost;
  {
    std::lock_guard const lock(mutex);
    for (const Handle& handle : made) {
      Node& node = *handle.get();
      node.recording = 0;
      node.contents = std::make_shared<Contents>();
      node.contents->lost = lost;
    }
  }
  job.promise.set_value();
}

ir::Verified DeviceSession::checked(const ir::Module& recorded, const std::vector<ir::Taken>& taken) {
  // Reading sources takes time: names are looked for only if a trace or an error shows them.
  bool const shown = is_traced();
  auto const checked_as = [&](ir::Module m) -> Expected<ir::Verified> {
    auto verified = ir::verify(std::move(m), device());
    if (!verified) return verified.refusal();
    return ir::placed(*std::move(verified), taken);
  };
  auto made = checked_as(shown ? named(recorded) : recorded);
  if (!made && !shown) made = checked_as(named(recorded));
  return value_or_throw(std::move(made));
}

ir::Module DeviceSession::named(const ir::Module& recorded) {
  ir::Module module = recorded;
  trace::SourceText text;
  ir::name_tensors(module, [&text](const std::string& file, std::int64_t line) { return text.line(file, line); });
  return module;
}

std::shared_ptr<Placement> DeviceSession::placement_of(KeptModule& kept, const std::vector<std::int64_t>& addresses,
                                                       const std::vector<ir::Taken>& taken) {
  if (auto found = kept.find(addresses, taken)) return found;
  ir::Module recorded = kept.recorded();
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (addresses[i] >= 0) recorded.tensors[recorded.arguments[i]].address = addresses[i];
  auto made = std::make_shared<Placement>(checked(recorded, taken), recorded);
  kept.add(made);
  return made;
}

std::shared_ptr<Placement> DeviceSession::placement_of(ir::Module&& recorded, const std::vector<ir::Taken>& taken) {
  std::vector<std::int64_t> const addresses = argument_addresses_of(recorded);
  if (auto const kept = kept_.find(recorded)) return placement_of(*kept, addresses, taken);
  auto made = std::make_shared<Placement>(checked(recorded, taken), recorded);
  kept_.add(std::move(recorded))->add(made);  // only what the rules accept
  return made;
}

namespace {

std::exception_ptr recorded_only() {
  return std::make_exception_ptr(Refused(refuse("runtime-recorded-only")
                                             .what("the kernel that was to make this tensor was recorded, and not run")
                                             .why("record() and prepare() give commands, no values")
                                             .help("launch the kernel")));
}

}  // namespace

ir::Verified DeviceSession::keep(Job& job) {
  Recording& recording = *job.open;
  (void)recording.finish();
  dump(recording.module);
  ir::Verified module = checked(recording.module, taken_by_others(recording.arguments));
  std::vector<Handle> const made = recording.held();
  job.open = nullptr;
  stop();
  fail(job, recorded_only(), made);
  return module;
}

std::shared_ptr<KeptModule> DeviceSession::keep_for_launches(Job& job, std::vector<Exchange>& arguments, std::vector<Exchange>& results) {
  Recording& recording = *job.open;
  results = recording.finish();
  arguments = recording.arguments;
  auto kept = std::make_shared<KeptModule>(recording.module);
  (void)placement_of(*kept, argument_addresses_of(kept->recorded()), taken_by_others(arguments));
  std::vector<Handle> const made = recording.held();
  job.open = nullptr;
  stop();
  fail(job, recorded_only(), made);
  return kept;
}

void DeviceSession::submit(Job& job) {
  Recording& recording = *job.open;
  std::vector<Exchange> const results = recording.finish();
  std::vector<Exchange> const arguments = recording.arguments;
  dump(recording.module);
  job.placement = placement_of(std::move(recording.module), taken_by_others(arguments));
  job.open = nullptr;
  stop();
  settle(job, arguments, results);
  detail::retain(&job);
  enqueue(JobHandle(&job));
}

Job* DeviceSession::launch_again(KeptModule& kept, const std::vector<Handle>& arguments, const std::vector<Handle>& results) {
  if (is_recording()) start(1, {});  // refuses, and so the kernel that is being recorded
  {
    std::lock_guard const lock(queue_mutex_);
    if (closing_)
      throw Refused(refuse("runtime-prepared-context")
                        .what("a prepared kernel is launched after its context has gone")
                        .why("it was recorded, checked and placed for the device that the context had")
                        .help("keep the context for as long as the kernel is launched, or prepare it again in another one"));
  }
  const ir::Module& recorded = kept.recorded();
  std::vector<Exchange> from, to;
  std::vector<std::int64_t> addresses;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto const contents = contents_of(*arguments[i].get(), recorded.tensor(recorded.arguments[i]).at);
    if (!contents->pending.valid() && contents->lost) throw Refused(*contents->lost);
    from.push_back({arguments[i], recorded.arguments[i]});
    addresses.push_back(place_of(*arguments[i].get()).begin.value);
  }
  dump(recorded);
  auto job = std::make_unique<Job>(this, nullptr);
  for (std::size_t i = 0; i < results.size(); ++i) to.push_back({results[i], recorded.results[i]});
  job->placement = placement_of(kept, addresses, taken_by_others(from));
  settle(*job, from, to);
  detail::retain(job.get());
  enqueue(JobHandle(job.get()));
  return job.release();
}

namespace {

/// A transfer is one line of the host's program: the variable that it sets is what is made, the one before the dot what
/// is moved.
void name_ends(ir::Module& transfer) {
  trace::SourceText text;
  auto const line_of = [&text](const std::string& file, std::int64_t line) { return text.line(file, line); };
  Where const at = transfer.commands.front().at;
  for (bool source : {true, false}) {
    std::string& name = transfer.tensors[source ? transfer.arguments[0] : transfer.results[0]].name;
    if (name.empty()) name = source ? receiver_at(line_of, at.file, at.line) : variable_at(line_of, at.file, at.line);
  }
}

}  // namespace

std::shared_ptr<Contents> DeviceSession::run_host_transfer(ir::Module module, const std::shared_ptr<const Contents>& argument) {
  if (is_traced()) name_ends(module);
  auto* const job = new Job(this, nullptr);
  JobHandle handle(job);
  job->kernel = false;
  job->placement = placement_of(std::move(module), {});
  job->arguments.push_back(argument);
  auto result = std::make_shared<Contents>();
  result->pending = job->done;
  job->results.push_back(result);
  enqueue(std::move(handle));
  return result;
}

void DeviceSession::enqueue(JobHandle job) {
  {
    std::lock_guard const lock(queue_mutex_);
    if (!closing_) {
      if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
      queue_.push_back(std::move(job));
      queue_changed_.notify_all();
      return;
    }
  }
  finish(*job.get());  // a tensor that is downloaded after its context: nothing else runs
}

std::vector<ir::Taken> DeviceSession::taken_by_others(const std::vector<Exchange>& arguments) {
  std::vector<ir::Taken> taken = Session::taken();
  for (const Exchange& a : arguments) std::erase(taken, ir::Taken{a.node.get()->memory, a.node.get()->place});
  return taken;
}

void DeviceSession::settle(Job& job, const std::vector<Exchange>& arguments, const std::vector<Exchange>& results) {
  const ir::Module& module = job.placement->module();
  for (const Exchange& a : arguments) job.arguments.push_back(contents_of(*a.node.get(), module.tensor(a.id).at));
  for (const ir::Taken& bytes : job.placement->overwritten()) overwrite(bytes);
  for (const Exchange& r : results) {
    auto contents = std::make_shared<Contents>();
    contents->pending = job.done;
    job.results.push_back(contents);
    r.node.get()->recording = 0;
    Session::settle(*r.node.get(), extent_of(*r.node.get(), *module.address_of(r.id)), std::move(contents));
  }
}

void DeviceSession::dump(const ir::Module& recorded) const {
  if (dump_.empty()) return;
  std::ofstream file(dump_, std::ios::app);
  file << ir::print(named(recorded), {.locations = true}) << "\n";
  file.flush();
  if (!file)
    throw Refused(refuse("runtime-dump-not-written", {})
                      .what("'", std::string_view(dump_).substr(0, 200), "', which was to take the text of every kernel, cannot be written")
                      .why("ContextOptions::dump, or TCP_DUMP, names it")
                      .help("name a file in a folder that exists, or none"));
}

void DeviceSession::give_up(Job& job) {
  std::exception_ptr why = std::current_exception();
  std::vector<Handle> made;
  if (job.open != nullptr) {
    made = job.open->held();
    job.open = nullptr;
    stop();
  }
  fail(job, std::move(why), made);
}

void DeviceSession::work() {
  for (;;) {
    std::unique_lock lock(queue_mutex_);
    queue_changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    JobHandle const job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    finish(*job.get());
  }
}

void DeviceSession::finish(Job& job) {
  try {
    run(job);
    job.promise.set_value();
  } catch (...) {
    fail(job, std::current_exception());
  }
}

void DeviceSession::run(Job& job) {
  Images arguments;
  for (const auto& contents : job.arguments) arguments.push_back(image_of(*contents));
  job.arguments.clear();
  RunOptions options;
  options.check = options_.check;
  options.kernel = job.kernel;
  options.kept = &job.placement->keepsake;
  const ir::Module& module = job.placement->module();
  std::optional<ProgressLine> line;
  if (!job.kernel) {  // progress is told of kernels
  } else if (options_.on_progress == terminal_progress) {
    line.emplace(module.name, module.commands.size(), STDERR_FILENO);
    options.on_progress = [&line](std::size_t done, std::size_t) { line->done(done); };
  } else if (options_.on_progress != nullptr) {
    options.on_progress = [&](std::size_t done, std::size_t of) {
      options_.on_progress(options_.progress_user, {module.name.c_str(), static_cast<std::int64_t>(done), static_cast<std::int64_t>(of)});
    };
  }
  auto images = backend_->run(job.placement->verified(), arguments, options);
  if (!images) throw Refused(images.refusal());
  for (std::size_t i = 0; i < job.results.size(); ++i) job.results[i]->image = (*images)[i];
  job.results.clear();
}

Job* open_job(Session* session, std::int64_t chips, const char* kernel) {
  auto* const device = dynamic_cast<DeviceSession*>(session);
  TCP_BUG_UNLESS(device != nullptr, "a kernel was launched in a session that no device runs");
  return device->open(chips, kernel);
}
bool is_open(const Job* job) { return job->open != nullptr; }
void submit_job(Job* job) noexcept {
  try {
    job->session->submit(*job);
  } catch (...) {
    job->session->give_up(*job);
  }
}
ir::Verified keep_recording(Job* job) { return job->session->keep(*job); }
void fail_job(Job* job) noexcept { job->session->give_up(*job); }
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
