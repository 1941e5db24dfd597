// Contexts: one at a time has the device; what they take from the environment; what outlives them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <thread>

#include "recorder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/device/load.hpp"
#include "tcp/runtime/interrupt.hpp"
#include "tcp/tcp.hpp"
#include "tcp/trace/json.hpp"

namespace tcp {
namespace {

using build::code_of;
using namespace std::chrono_literals;

TCP_AXES(A = 2048);
using Hbm = HbmTensor<i32, m<1>, m<A>>;
using Host = HostTensor<i32, m<A>>;

Hbm copied(Context& ctx, const Hbm& in) { return in.to_hbm<m<A>>(ctx.tdma); }

TEST(Context, a_second_one_waits_until_the_first_is_gone) {
  std::optional<std::thread> other;
  std::atomic<bool> has_it = false;
  {
    auto ctx = Context::acquire();
    other.emplace([&] {
      auto second = Context::acquire();
      has_it = true;
    });
    std::this_thread::sleep_for(30ms);
    EXPECT_FALSE(has_it);
  }
  other->join();
  EXPECT_TRUE(has_it);
}
TEST(Context, a_second_one_is_refused_if_it_may_not_wait) {
  ContextOptions options;
  options.wait = false;
  std::string code;
  {
    auto ctx = Context::acquire(options);
    std::thread([&] { code = code_of([&] { auto const second = Context::acquire(options); }); }).join();
  }
  EXPECT_EQ(code, "runtime-device-in-use");
  EXPECT_EQ(code_of([&] { auto const again = Context::acquire(options); }), "accepted");
}
TEST(Context, a_thread_does_not_wait_for_itself) {
  auto ctx = Context::acquire();
  EXPECT_EQ(code_of([] { auto const second = Context::acquire(); }), "runtime-device-in-use");
}
TEST(Context, ends_when_all_that_was_launched_has_run) {
  std::optional<Launch<Hbm>> launched;
  {
    auto ctx = Context::acquire();
    auto const x = Host::full(i32::from_int(7)).to_hbm<m<1>, m<A>>(ctx.pdma);
    for (int i = 0; i < 4; ++i) launched = launch(copied, ctx, x);
  }
  EXPECT_TRUE(launched->done());
  (void)launched->get();  // the result is a tensor of a context that is gone
}
TEST(Context, tensors_that_outlive_theirs_mean_nothing_to_the_next) {
  std::optional<Hbm> kept;
  {
    auto ctx = Context::acquire();
    kept = Host::full(i32::from_int(7)).to_hbm<m<1>, m<A>>(ctx.pdma);
  }
  auto next = Context::acquire();
  EXPECT_EQ(code_of([&] { (void)kept->to_host<m<A>>(next.pdma); }), "dsl-tensor-of-another-context");
  EXPECT_EQ(code_of([&] { (void)launch(copied, next, *kept).get(); }), "dsl-tensor-of-another-context");
}
TEST(Context, reports_how_far_a_kernel_has_come) {
  struct Seen {
    std::string kernel;
    std::int64_t done = 0, of = 0, calls = 0;
  } seen;
  ContextOptions options;
  options.progress_user = &seen;
  options.on_progress = [](void* user, const Progress& p) {
    Seen& s = *static_cast<Seen*>(user);
    s = {p.kernel, p.done, p.of, s.calls + 1};
  };
  auto ctx = Context::acquire(options);
  auto const x = Host().to_hbm<m<1>, m<A>>(ctx.pdma);
  launch([&](Context& c) { return copied(c, copied(c, x)); }, ctx).wait();
  EXPECT_EQ(seen.kernel, "copied");
  EXPECT_EQ(seen.done, 2);
  EXPECT_EQ(seen.of, 2);
  EXPECT_GE(seen.calls, 2);
}

TEST(Context, an_exception_of_on_progress_stops_the_launch) {
  struct Stopped {};
  bool stop = true;
  ContextOptions options;
  options.progress_user = &stop;
  options.on_progress = [](void* user, const Progress& p) {
    if (*static_cast<bool*>(user) && p.done == 1) throw Stopped();
  };
  auto ctx = Context::acquire(options);
  auto const x = Host().to_hbm<m<1>, m<A>>(ctx.pdma);
  auto const twice = [&](Context& c) { return copied(c, copied(c, x)); };
  EXPECT_THROW((void)launch(twice, ctx).get(), Stopped);
  stop = false;
  EXPECT_NO_THROW((void)launch(twice, ctx).get());
}

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}
/// Without the comments that say where each line was recorded.
std::string without_places(const std::string& text) { return std::regex_replace(text, std::regex("  // [^\n]*"), ""); }

TEST(Context, writes_the_text_of_every_kernel) {
  auto const file =
      std::filesystem::temp_directory_path() / ("tcp_dump_" + std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id())));
  std::filesystem::remove(file);
  {
    ContextOptions options;
    std::string const name = file.string();
    options.dump = name.c_str();
    auto ctx = Context::acquire(options);
    auto const x = Host().to_hbm<m<1>, m<A>>(ctx.pdma, 4096);
    (void)launch(copied, ctx, x);
    (void)launch(copied, ctx, x);
  }
  std::string const text = read(file);
  std::string const one =
      "module copied\naxes A = 2048\n\nargument hbm in: i32 Element[A] at 4096\nresult hbm result: i32 Element[A]\n\nmove in -> result\n\n";
  EXPECT_EQ(without_places(text), one + one);
  EXPECT_NE(text.find("move in -> result  // "), text.npos);
  EXPECT_NE(text.find("context_test.cpp:"), text.npos);
  std::filesystem::remove(file);
}
std::filesystem::path scratch(const char* name) {
  auto const folder = std::filesystem::temp_directory_path() / ("tcp_context_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  return folder / name;
}

TEST(Context, writes_a_trace_for_every_launch_on_the_device) {
  auto const file = scratch("copied.json");
  std::string const name = file.string();
  std::vector<trace::Trace> seen;
  for (int context = 0; context < 2; ++context) {
    ContextOptions options;
    options.backend = BackendKind::device;
    options.trace = name.c_str();
    options.trace_user = &seen;
    options.on_trace = [](void* user, const trace::Trace& t) { static_cast<std::vector<trace::Trace>*>(user)->push_back(t); };
    auto ctx = Context::acquire(options);
    auto const x = Host().to_hbm<m<1>, m<A>>(ctx.pdma, 4096);
    for (int i = 0; i < 2; ++i) (void)launch(copied, ctx, x).get();
  }
  ASSERT_EQ(seen.size(), 4u);
  const char* const files[] = {"copied.json", "copied.2.json", "copied.3.json", "copied.4.json"};
  for (std::size_t i = 0; i < 4; ++i) {
    auto const read_back = trace::read_json(read(scratch(files[i])), files[i]);
    ASSERT_TRUE(read_back) << read_back.refusal().sentence().view();
    EXPECT_EQ(*read_back, seen[i]);
    EXPECT_EQ(read_back->model, "book");
    EXPECT_EQ(read_back->program, "copied");
    EXPECT_GT(read_back->makespan.value, 0);
    EXPECT_NE(read_back->sources[0].text.find("to_hbm"), std::string::npos) << read_back->sources[0].text;
  }
  EXPECT_FALSE(std::filesystem::exists(scratch("copied.5.json")));
  std::filesystem::remove_all(file.parent_path());
}
TEST(Context, an_interpreter_is_asked_for_no_trace) {
  ContextOptions options;
  options.trace = "copied.json";
  EXPECT_EQ(code_of([&] { auto const ctx = Context::acquire(options); }), "runtime-trace-without-device");
  EXPECT_EQ(code_of([] { auto const ctx = Context::acquire(ContextOptions{}); }), "accepted");
}
TEST(Context, a_launch_can_be_stopped_and_the_next_one_runs) {
  bool stop = true;
  ContextOptions options;
  options.backend = BackendKind::device;
  options.stop_user = &stop;
  options.stop = [](void* user) { return *static_cast<bool*>(user); };
  auto ctx = Context::acquire(options);
  auto const x = Host().to_hbm<m<1>, m<A>>(ctx.pdma);
  EXPECT_EQ(code_of([&] { (void)launch(copied, ctx, x).get(); }), "runtime-interrupted");
  stop = false;
  EXPECT_EQ(code_of([&] { (void)launch(copied, ctx, x).get(); }), "accepted");
}
TEST(Interrupt, is_noted_while_somebody_watches) {
  {
    InterruptWatch const outer;
    {
      InterruptWatch const watch;
      EXPECT_FALSE(interrupt_asked(nullptr));
      std::raise(SIGINT);
      EXPECT_TRUE(interrupt_asked(nullptr));
    }
    InterruptWatch const next;
    EXPECT_FALSE(InterruptWatch::asked());
  }
  struct sigaction now{};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

Hbm copied_by_a_part(Context& c, const Hbm& x) { return copied(c, x); }
struct OfAClass {
  Hbm operator()(Context& c, const Hbm& x) const { return copied_by_a_part(c, x); }
};
template <class>
struct OfATemplate : OfAClass {};

TEST(Context, a_kernel_goes_by_its_class_or_by_the_function_of_its_first_command) {
  auto const file = std::filesystem::temp_directory_path() / "tcp_dump_of_names";
  std::filesystem::remove(file);
  {
    ContextOptions options;
    std::string const name = file.string();
    options.dump = name.c_str();
    auto ctx = Context::acquire(options);
    auto const x = Host().to_hbm<m<1>, m<A>>(ctx.pdma);
    auto const lambda = [](Context& c, const Hbm& in) { return copied(c, in); };
    (void)launch(OfAClass(), ctx, x);
    (void)launch(OfATemplate<std::string>(), ctx, x);
    (void)launch(copied_by_a_part, ctx, x);
    (void)launch(&copied_by_a_part, ctx, x);
    (void)launch(lambda, ctx, x);
    (void)launch(std::function<Hbm(Context&, const Hbm&)>(lambda), ctx, x);
  }
  std::istringstream lines(read(file));
  std::string names;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("module ")) names += line.substr(6);
  EXPECT_EQ(names, " OfAClass OfATemplate copied copied copied copied");
  std::filesystem::remove(file);
}

TEST(Context, a_dump_that_cannot_be_written_is_refused) {
  ContextOptions options;
  options.dump = "/no/such/folder/kernels.tcp";
  auto ctx = Context::acquire(options);
  auto const x = Host().to_hbm<m<1>, m<A>>(ctx.pdma);
  EXPECT_EQ(code_of([&] { (void)launch(copied, ctx, x).get(); }), "runtime-dump-not-written");
}

// The environment. The variables are set and unset here; tests of one program run one after the other.

constexpr const char* variables[] = {"TCP_BACKEND", "TCP_CHECK", "TCP_CHIPS",    "TCP_THREADS",
                                     "TCP_NUMERIC", "TCP_DUMP",  "TCP_PROGRESS", "TCP_CHIP"};

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};
std::string code_with(const char* name, const char* value) {
  Variable const v(name, value);
  auto const options = options_from_environment();
  return options ? "accepted" : options.refusal().code;
}

TEST(Environment, nothing_set_gives_the_defaults) {
  for (const char* name : variables) unsetenv(name);
  auto const o = options_from_environment().value();
  ContextOptions const d;
  EXPECT_EQ(o.backend, d.backend);
  EXPECT_EQ(o.check, d.check);
  EXPECT_EQ(o.chips, d.chips);
  EXPECT_EQ(o.numeric, d.numeric);
  EXPECT_EQ(o.dump, nullptr);
  EXPECT_EQ(o.on_progress, terminal_progress);
}
TEST(Environment, every_variable_is_read) {
  Variable const backend("TCP_BACKEND", "reference"), check("TCP_CHECK", "off"), chips("TCP_CHIPS", "2"), numeric("TCP_NUMERIC", "ieee"),
      dump("TCP_DUMP", "kernels.tcp"), threads("TCP_THREADS", "3"), progress("TCP_PROGRESS", "off"), model("TCP_MODEL", "detailed"),
      reorder("TCP_REORDER", "on"), trace("TCP_TRACE", "kernel.json");
  auto const o = options_from_environment().value();
  EXPECT_EQ(o.backend, BackendKind::reference);
  EXPECT_FALSE(o.check);
  EXPECT_EQ(o.chips, 2);
  EXPECT_EQ(o.numeric, NumericModel::ieee);
  EXPECT_STREQ(o.dump, "kernels.tcp");
  EXPECT_EQ(o.threads, 3);
  EXPECT_STREQ(o.model, "detailed");
  EXPECT_TRUE(o.reorder);
  EXPECT_STREQ(o.trace, "kernel.json");
  EXPECT_EQ(o.stop, interrupt_asked);
  EXPECT_EQ(o.on_progress, nullptr);
}
TEST(Environment, the_chip_is_the_one_that_was_compiled_for_or_that_of_the_environment) {
  for (const char* name : variables) unsetenv(name);
  EXPECT_EQ(options_from_environment().value().device, &target);
  EXPECT_EQ(options_from_environment({}, rngd_s).value().device, &rngd_s);
  {
    Variable const chip("TCP_CHIP", "rngd_s");
    auto const o = options_from_environment().value(), again = options_from_environment().value();
    EXPECT_EQ(*o.device, rngd_s);
    EXPECT_EQ(o.device, again.device);
    EXPECT_EQ(Context::acquire().session()->device().name.view(), "rngd_s");
  }
  Device mine = rngd;
  mine.name = "mine";
  mine.dma.engines_per_chip = 4;
  std::string const path = ::testing::TempDir() + "tcp_chip_of_environment.json";
  std::ofstream(path) << to_chip_file(mine);
  Variable const chip("TCP_CHIP", path.c_str());
  EXPECT_EQ(options_from_environment().value().device->dma.engines_per_chip, 4);
  EXPECT_EQ(code_with("TCP_CHIP", "rngd2"), "device-unknown");
  EXPECT_EQ(code_with("TCP_CHIP", "/nowhere/chip.json"), "device-file-unreadable");
}
TEST(Environment, values_that_mean_nothing_are_refused) {
  EXPECT_EQ(code_with("TCP_BACKEND", "fastest"), "runtime-environment");
  EXPECT_EQ(code_with("TCP_MODEL", "exact"), "runtime-environment");
  EXPECT_EQ(code_with("TCP_REORDER", "yes"), "runtime-environment");
  EXPECT_EQ(code_with("TCP_CHECK", "yes"), "runtime-environment");
  EXPECT_EQ(code_with("TCP_NUMERIC", "exact"), "runtime-environment");
  EXPECT_EQ(code_with("TCP_PROGRESS", "1"), "runtime-environment");
  for (const char* chips : {"0", "-1", "4097", "two", "2x", " ", "99999999999999999999"})
    EXPECT_EQ(code_with("TCP_CHIPS", chips), "runtime-environment") << chips;
  for (const char* threads : {"0", "1025", "all"}) EXPECT_EQ(code_with("TCP_THREADS", threads), "runtime-environment") << threads;
  EXPECT_EQ(code_with("TCP_CHIPS", "4096"), "accepted");
  for (const char* name : variables) EXPECT_EQ(code_with(name, ""), "accepted");
}
TEST(Environment, is_what_acquire_takes_and_options_are_not_changed_by_it) {
  Variable const chips("TCP_CHIPS", "1");
  {
    auto ctx = Context::acquire();
    EXPECT_EQ(code_of([&] { launch<2>([](Context&) {}, ctx).get(); }), "runtime-too-few-chips");
  }
  auto ctx = Context::acquire(ContextOptions{});
  EXPECT_EQ(code_of([&] { launch<2>([](Context&) {}, ctx).get(); }), "accepted");
}
TEST(Environment, a_wrong_one_leaves_the_device_free) {
  {
    Variable const chips("TCP_CHIPS", "none");
    EXPECT_EQ(code_of([] { auto const ctx = Context::acquire(); }), "runtime-environment");
  }
  EXPECT_EQ(code_of([] { auto const ctx = Context::acquire(); }), "accepted");
}

}  // namespace
}  // namespace tcp
