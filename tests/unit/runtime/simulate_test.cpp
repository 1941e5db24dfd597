// A module on the simulated chip: what comes back, and what is said when an undefined value decides a result.
#include "tcp/runtime/simulate.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/random.hpp"
#include "tcp/trace/json.hpp"

namespace tcp {
namespace {

constexpr const char* copied = R"(module copied
axes A = 2000

argument hbm in: i32 Element[A # 2048]
dm here: i32 Cluster[1 # 2] Slice[A # 2048 / 8] Element[A % 8]
dm there: i32 Cluster[1 # 2] Slice[A # 2048 / 8] Element[A % 8]
result hbm out: i32 Element[A # 2048]

move in -> here
main.begin(here)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .commit(there)
move there -> out
)";

Expected<Images> run(std::string text, const SimulateOptions& options) {
  auto const module = ir::parse(text, "test");
  EXPECT_TRUE(module) << module.refusal().sentence().view();
  auto argument = std::make_shared<Image>(std::size_t{2048 * 4});
  for (std::uint32_t i = 0; i < 2000; ++i) std::memcpy(argument->data() + 4 * i, &i, 4);
  auto const verified = ir::verify(*module, rngd);
  if (!verified) return verified.refusal();
  return simulate(*verified, {argument}, options);
}

/// Two loads that take long, each into a cluster of its own.
constexpr const char* two_clusters = R"(module two_clusters
axes A = 2000, E = 2, T = 64

argument hbm in: i32 Element[A # 2048]
hbm many: i32 Element[T, A # 2048]
dm first: i32 Cluster[1 # 2] Slice[A # 2048 / 8] Element[T, A % 8]
dm second: i32 Cluster[E #< 1 = 2] Slice[A # 2048 / 8] Element[T, A % 8]
dm one: i32 Cluster[1 # 2] Slice[A # 2048 / 8] Element[A % 8]
result hbm out: i32 Element[A # 2048]

move in -> many
move many -> first
move many -> second
move in -> one
move one -> out
)";
TEST(Simulate, in_the_detailed_model_each_cluster_has_a_dma_queue_of_its_own) {
  for (std::string_view model : timing_models) {
    SimulateOptions options;
    options.model = model;
    bool together = false;
    options.on_schedule = [&](const program::Program&, const program::Schedule& s) {
      for (std::size_t i = 0; i < s.commands.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) together |= s.commands[i].start < s.commands[j].end && s.commands[j].start < s.commands[i].end;
    };
    auto const images = run(two_clusters, options);
    EXPECT_TRUE(images) << model << ": " << images.refusal().sentence().view();
    EXPECT_EQ(together, model == "detailed") << model;
  }
}

/// `there` lies where `here` lay, and is read without having been written.
constexpr const char* unwritten = R"(module unwritten
axes A = 2000

argument hbm in: i32 Element[A # 2048]
dm here: i32 Cluster[1 # 2] Slice[A # 2048 / 8] Element[A % 8] at 0
dm there: i32 Cluster[1 # 2] Slice[A # 2048 / 8] Element[A % 8] at 0
hbm copy: i32 Element[A # 2048]
result hbm out: i32 Element[A # 2048]

move in -> here
move here -> copy
move there -> out
)";
TEST(Simulate, bytes_of_a_dead_tensor_are_undefined_for_the_next_one) {
  for (std::string_view model : timing_models) {
    SimulateOptions options;
    options.model = model;
    auto const images = run(unwritten, options);
    ASSERT_FALSE(images) << model;
    EXPECT_STREQ(images.refusal().code, "exec-undefined-result") << model;
  }
}

TEST(Simulate, brings_back_every_element_and_zeros_for_padding) {
  SimulateOptions options;
  std::int64_t makespan = 0;
  std::size_t done = 0;
  options.on_schedule = [&](const program::Program& p, const program::Schedule& s) {
    EXPECT_EQ(s.commands.size(), p.commands.size());
    makespan = s.makespan.value;
  };
  options.on_progress = [&](std::size_t n, std::size_t of) {
    EXPECT_EQ(of, 3u);
    EXPECT_EQ(n, ++done);
  };
  auto const images = run(copied, options);
  ASSERT_TRUE(images) << images.refusal().sentence().view();
  EXPECT_GT(makespan, 0);
  EXPECT_EQ(done, 3u);
  for (std::uint32_t i = 0; i < 2048; ++i) {
    std::uint32_t word = 1;
    std::memcpy(&word, (*images)[0]->data() + 4 * i, 4);
    ASSERT_EQ(word, i < 2000 ? i : 0u);
  }
}

TEST(Simulate, names_the_command_that_wrote_an_undefined_result) {
  std::string text = copied;
  std::string const move = "move in -> here\n";
  text.erase(text.find(move), move.size());
  auto const images = run(text, {});
  ASSERT_FALSE(images);
  EXPECT_EQ(std::string_view(images.refusal().code), "exec-undefined-result");
  EXPECT_NE(std::string(images.refusal().headline.view()).find("command 1"), std::string::npos) << images.refusal().headline.view();
  SimulateOptions unchecked;
  unchecked.check = false;
  std::int64_t told = 0;
  unchecked.on_undefined = [&](const UndefinedElement& e) {
    EXPECT_EQ(e.result, 0u);
    EXPECT_EQ(e.element.at[0], told++);
  };
  auto const zeros = run(text, unchecked);
  ASSERT_TRUE(zeros);
  EXPECT_EQ(told, 2000);
  for (std::size_t i = 0; i < 2048 * 4; ++i) ASSERT_EQ((*zeros)[0]->data()[i], std::byte{0});
}

/// The host has anything in its padding; HBM has zeros, which a reshape gives names to.
TEST(Simulate, an_upload_writes_the_zeros_that_are_promised) {
  struct Upload {
    const char *axes, *host, *hbm;
    int zeros;  // of 2048, those among the elements included
  };
  for (const Upload& u :
       {Upload{"A = 2000", "A # 2048", "A #z 2048", 48 + 1}, Upload{"C = 8, A = 250", "C, A # 256", "C, A #z 256", 48 + 1 + 42},
        Upload{"C = 8, A = 250", "C, A # 256", "A #z 256, C", 48 + 1 + 42},
        Upload{"C = 2, A = 250", "C, A # 1024", "C #z 8, A #z 256", 2048 - 500 + 1}}) {
    std::string const text = std::string("module uploaded\naxes ") + u.axes + ", B = 2048\n\nargument host in: i32 Element[" + u.host +
                             "]\nhbm there: i32 Element[" + u.hbm +
                             "]\nhbm seen: i32 Element[B] = there.reshape\nresult hbm out: i32 Element[B]\n\n" +
                             "host_move in -> there\nmove seen -> out\n";
    auto const images = run(text, {});
    ASSERT_TRUE(images) << text << images.refusal().sentence().view();
    int zeros = 0;
    for (std::size_t i = 0; i < 2048; ++i) {
      std::uint32_t word = 1;
      std::memcpy(&word, (*images)[0]->data() + 4 * i, 4);
      zeros += word == 0;
    }
    EXPECT_EQ(zeros, u.zeros) << text;
  }
}

TEST(Simulate, packing_without_a_count_is_refused) {
  std::string text = copied;
  text.replace(text.find("main.begin"), 4, "sub");
  text.erase(text.find("  .collect\n"), 11);
  text.replace(text.find(".commit(there)"), 14, ".commit(there, pack_valid)");
  auto const images = run(text, {});
  ASSERT_FALSE(images);
  EXPECT_EQ(std::string(images.refusal().code), "commit-valid-count-unknown");
}

/// What a run that is asked to stop leaves behind: the trace, which a reader accepts.
trace::Trace stopped_trace(const SimulateOptions& how, const std::string& text = copied) {
  SimulateOptions options = how;
  trace::Trace seen;
  options.on_trace = [&](const trace::Trace& t) {
    seen = t;
    return accept();
  };
  auto const images = run(text, options);
  EXPECT_FALSE(images);
  if (!images) {
    EXPECT_EQ(std::string_view(images.refusal().code), "runtime-interrupted") << images.refusal().sentence().view();
  }
  EXPECT_TRUE(trace::check(seen, "seen"));
  EXPECT_FALSE(seen.complete);
  return seen;
}

TEST(Simulate, hands_out_a_trace_by_the_model_asked_for) {
  for (std::string_view const model : timing_models) {
    SCOPED_TRACE(model);
    SimulateOptions options;
    options.model = model;
    int traces = 0;
    std::int64_t planned = 0;
    options.on_schedule = [&](const program::Program&, const program::Schedule& s) { planned = s.makespan.value; };
    options.on_trace = [&](const trace::Trace& t) {
      ++traces;
      EXPECT_EQ(t.model, model);
      EXPECT_TRUE(t.complete);
      EXPECT_EQ(t.makespan.value, planned);
      EXPECT_EQ(t.commands.size(), 3u);
      EXPECT_TRUE(trace::check(t, "t"));
      return accept();
    };
    EXPECT_TRUE(run(copied, options));
    EXPECT_EQ(traces, 1);
  }
}

TEST(Simulate, stops_between_commands_and_keeps_what_was_done) {
  SimulateOptions options;
  std::int64_t first_end = 0, done = 0;
  options.on_schedule = [&](const program::Program&, const program::Schedule& s) { first_end = s.commands[0].end.value; };
  options.on_progress = [&](std::size_t n, std::size_t) { done = static_cast<std::int64_t>(n); };
  options.stop = [&] { return done == 1; };
  trace::Trace const t = stopped_trace(options);
  EXPECT_EQ(t.makespan.value, first_end);
  EXPECT_EQ(t.commands[0].length().value, first_end);
  for (std::size_t c : {std::size_t{1}, std::size_t{2}}) {
    EXPECT_EQ(t.commands[c].length().value, 0);
    EXPECT_EQ(t.commands[c].start.value, first_end);
  }
  EXPECT_EQ(t.critical_path.front(), 0);
}

TEST(Simulate, stops_the_detailed_model_on_its_way) {
  // 64 MB, which takes far more cycles than lie between two questions.
  constexpr const char* large = R"(module large
axes A = 2000, B = 8192

argument hbm in: i32 Element[A # 2048]
hbm x: i32 Element[B, A # 2048] at 16777216
hbm y: i32 Element[B, A # 2048] at 268435456
result hbm out: i32 Element[A # 2048]

move x -> y
move in -> out
)";
  SimulateOptions options;
  options.model = "detailed";
  options.stop = [] { return true; };
  trace::Trace const t = stopped_trace(options, large);
  EXPECT_EQ(t.model, "detailed");
  EXPECT_GT(t.makespan.value, 0);
  EXPECT_EQ(t.commands[0].end, t.makespan);
  EXPECT_EQ(t.commands[1].length().value, 0);
}

TEST(Simulate, says_which_model_cannot_reorder) {
  SimulateOptions options;
  options.reorder = true;
  EXPECT_TRUE(run(copied, options));
  options.model = "detailed";
  EXPECT_EQ(std::string_view(run(copied, options).refusal().code), "runtime-detailed-reorder");
}

TEST(Simulate, refuses_a_timing_model_that_there_is_not) {
  SimulateOptions options;
  options.model = "guess";
  auto const images = run(copied, options);
  ASSERT_FALSE(images);
  EXPECT_EQ(std::string_view(images.refusal().code), "sched-unknown-model");
}

/// Packets of ordinary numbers, and some with subnormal ones, infinities and NaNs: on the machine they go different ways.
TEST(Simulate, numbers_of_every_kind_are_summed_as_by_the_interpreter) {
  auto const parsed = ir::parse(R"(module gemm
axes I = 512, K = 64, J = 512

argument hbm a: bf16 Element[I, K] at 0
argument hbm b: bf16 Element[J, K] at 268435456
result hbm c: f32 Element[I, J] at 536870912
dm x: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Element[I % 32, K] at 0
dm y: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Element[J % 32, K] at 4096
dm z: f32 Cluster[1 # 2] Slice[I / 32, J / 32] Element[I % 32, J % 32] at 8192
trf w: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Row[J % 8] Element[J / 8 % 4, K]

move a -> x
move b -> y
sub.begin(y)
  .fetch bf16 Time[J % 8, J / 8 % 4] Packet[K]
  .collect Time[J % 8, J / 8 % 4, K / 16] Packet[K % 16]
  .to_trf(w)
main.begin(x)
  .fetch bf16 Time[I % 32, J / 8 % 4] Packet[K]
  .collect Time[I % 32, J / 8 % 4, K / 16] Packet[K % 16]
  .align(w) Time[I % 32, J / 8 % 4, K / 32] Packet[K % 32]
  .contract Packet[1]
  .accumulate(Interleaved) Time[I % 32, J / 8 % 4] Packet[J % 8]
  .commit(z)
move z -> c
)",
                                "test");
  ASSERT_TRUE(parsed) << parsed.refusal().sentence().view();
  auto const verified = ir::verify(*parsed, rngd);
  ASSERT_TRUE(verified);
  auto const module = ir::placed(*verified);
  ASSERT_TRUE(module);
  Random random(5);
  Images arguments;
  for (int argument = 0; argument < 2; ++argument) {
    auto image = std::make_shared<Image>(std::size_t{512 * 64 * 2});
    for (std::size_t i = 0; i < 512 * 64; ++i) {
      bool const of_any_kind = i / 64 % (argument == 0 ? 5 : 64) == 0;  // rows; of b a few, or no slice has plain weights
      std::uint64_t const drawn = random.next();
      // Else from 1 to 2, of either sign.
      auto const bits = static_cast<std::uint16_t>(of_any_kind ? drawn : (0x3f80 | (drawn & 0x807f)));
      std::memcpy(image->data() + 2 * i, &bits, 2);
    }
    arguments.push_back(image);
  }
  auto const ours = simulate(*module, arguments);
  auto const theirs = vector::run(*module, arguments);
  ASSERT_TRUE(ours && theirs);
  for (std::size_t i = 0; i < 512 * 512; ++i)
    ASSERT_EQ(std::memcmp((*ours)[0]->data() + 4 * i, (*theirs)[0]->data() + 4 * i, 4), 0) << i / 512 << ", " << i % 512;
}

}  // namespace
}  // namespace tcp
