// Programs in text form, lowered and scheduled, as traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "lower_module.hpp"
#include "sections.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/timeline/timeline.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"
#include "tcp/trace/source_text.hpp"
#include "tcp/trace/what_if.hpp"
#include "unit/sched/records.hpp"

namespace tcp::trace_test {
namespace {

namespace fs = std::filesystem;

Expected<program::Program> lowered_text(const std::string& text, const std::string& name) {
  auto const module = ir::parse(text, name.c_str());
  if (!module) return module.refusal();
  return build::lower_module(*module, rngd);
}
Expected<program::Program> lowered(const fs::path& file) {
  std::ifstream in(file);
  return lowered_text({std::istreambuf_iterator<char>(in), {}}, file.string());
}

trace::Trace trace_of(const program::Program& program, bool reorder = false) {
  auto const schedule = sched::schedule(program, rngd, sched::BookDuration(rngd), {.reorder = reorder});
  EXPECT_TRUE(schedule);
  trace::SourceText lines;
  auto const source_line = [&lines](const std::string& file, std::int64_t line) { return lines.line(file, line); };
  return timeline::make_trace(program, *schedule, rngd, {"tcp test", source_line});
}

const std::string ir_texts = TCP_SOURCE_DIR "/tests/fuzz/corpus/ir_text.programs";
const fs::path add_one = TCP_SOURCE_DIR "/tests/refuse/files/add_one.tcp";

trace::Trace add_one_trace() {
  auto const program = lowered(add_one);
  EXPECT_TRUE(program) << program.refusal().sentence().s;
  return trace_of(*program);
}

TEST(TraceOfProgram, has_names_lines_and_edges) {
  trace::Trace const t = add_one_trace();
  EXPECT_EQ(t.program, "add_one");
  EXPECT_EQ(t.chip, "rngd");
  EXPECT_EQ(t.model, "book");
  EXPECT_EQ(t.core_mhz, 1000);
  ASSERT_EQ(t.commands.size(), 3u);
  EXPECT_EQ(t.sources[static_cast<std::size_t>(t.commands[0].source)].text, "move in -> x");
  EXPECT_EQ(t.commands[1].name, "main");
  EXPECT_EQ(t.resources[static_cast<std::size_t>(t.commands[1].resources[0])], "main");
  ASSERT_NE(t.commands[1].binding, trace::none);
  const trace::Edge& e = t.commands[1].after[static_cast<std::size_t>(t.commands[1].binding)];
  EXPECT_EQ(e.kind, "raw");
  EXPECT_EQ(e.from, 0);
  EXPECT_EQ(e.on, "DM");
  EXPECT_EQ(t.critical_path, (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(TraceOfProgram, has_tensors_where_they_lie_and_while_they_live) {
  trace::Trace const t = add_one_trace();
  auto const find = [&t](const char* name) {
    return *std::find_if(t.tensors.begin(), t.tensors.end(), [name](const trace::Tensor& each) { return each.name == name; });
  };
  ASSERT_EQ(t.tensors.size(), 4u);
  trace::Tensor const in = find("in"), x = find("x"), y = find("y");
  EXPECT_EQ(in.role, "argument");
  EXPECT_EQ(in.end, 2048 * 4);
  EXPECT_EQ(in.gone, t.makespan);
  EXPECT_EQ(x.memory, "DM");
  EXPECT_EQ(x.begin, 0);
  EXPECT_EQ(x.end, 32);
  EXPECT_EQ(x.born, Cycles{0});
  EXPECT_EQ(x.gone, t.commands[1].end);
  EXPECT_EQ(y.begin, 4096);
  EXPECT_EQ(y.born, t.commands[1].start);
  EXPECT_EQ(y.gone, t.commands[2].end);
  EXPECT_NE(x.mapping.find("A % 8"), x.mapping.npos) << x.mapping;
}

TEST(TraceOfProgram, has_facts_of_transfers_and_passes) {
  trace::Trace const t = add_one_trace();
  ASSERT_TRUE(t.commands[0].dma.has_value());
  const trace::DmaFacts& d = *t.commands[0].dma;
  EXPECT_EQ(d.bytes, Bytes{8192});
  EXPECT_EQ(d.unit, Bytes{256});
  EXPECT_EQ(d.stacks_of, 2);
  EXPECT_EQ(d.channels_of, 32);
  EXPECT_EQ(d.ideal, Cycles{8192 / 1536}) << "32 channels, 64 bytes at 750 MHz each: 1,536 bytes a cycle";
  ASSERT_TRUE(t.commands[1].pass.has_value());
  const trace::PassFacts& p = *t.commands[1].pass;
  EXPECT_EQ(p.clusters, 1);
  EXPECT_EQ(p.clusters_of, 2);
  EXPECT_EQ(p.slices, 256);
  EXPECT_EQ(p.packet_bytes, Bytes{32});
  EXPECT_EQ(p.flit_bytes, Bytes{32});
}

TEST(TraceOfProgram, rows_are_idle_only_if_the_weights_have_something_for_them) {
  // A matrix times a vector, which has no axis but the one that is summed over; then weights that differ from step to step.
  for (const char* weights : {"K", "T, K"}) {
    std::string const text =
        std::string("axes M = 256, T = 4, K = 64\n") + "dm a: i8 Cluster[1 # 2] Slice[M] Element[T, K]\n" +
        "dm w: i8 Cluster[1 # 2] Slice[M] Element[" + weights + "]\n" + "trf v: i8 Cluster[1 # 2] Slice[M] Row[1] Element[" + weights +
        "]\n" + "dm y: i32 Cluster[1 # 2] Slice[M] Element[T, 1 # 8]\n" + "sub.begin(w)\n" +
        (std::string(weights) == "K" ? "  .fetch i8 Time[K / 32] Packet[K % 32]\n" : "  .fetch i8 Time[T, K / 32] Packet[K % 32]\n") +
        "  .collect\n  .to_trf(v)\n" + "main.begin(a)\n  .fetch i8 Time[T, K / 32] Packet[K % 32]\n  .collect\n" +
        "  .align(v) Time[T] Packet[K]\n  .contract Packet[1]\n  .accumulate(Interleaved) Time[T] Packet[1 # 8]\n  .commit(y)\n";
    auto const program = lowered_text(text, "matrix_vector");
    ASSERT_TRUE(program) << program.refusal().sentence().view();
    trace::Trace const t = trace_of(*program);
    ASSERT_TRUE(t.commands[1].pass);
    EXPECT_EQ(t.commands[1].pass->rows, 1);
    EXPECT_EQ(t.commands[1].pass->rows_of, std::string(weights) == "K" ? 1 : 8);
  }
}

TEST(TraceOfProgram, tells_how_engines_are_set_and_what_streams_are) {
  trace::Trace const t = add_one_trace();
  const trace::Configuration& c = t.configurations[static_cast<std::size_t>(t.commands[1].configuration)];
  ASSERT_FALSE(c.stages.empty());
  EXPECT_EQ(c.stages[0].name, "fetch");
  EXPECT_NE(c.stages[0].text.find("A % 8"), std::string::npos) << c.stages[0].text;
  EXPECT_FALSE(c.settings.empty());
}

TEST(TraceOfProgram, tells_how_the_chip_is_made_and_what_axes_are) {
  trace::Trace const t = add_one_trace();
  ASSERT_TRUE(t.geometry.has_value());
  const trace::Geometry& g = *t.geometry;
  EXPECT_EQ(g.clusters, 2);
  EXPECT_EQ(g.slices, 256);
  EXPECT_EQ(g.dma_engines, 8);
  EXPECT_EQ(g.bank_limit, 64);
  EXPECT_EQ(g.channels, 32);
  ASSERT_EQ(g.channel_bits.size(), 34u);
  EXPECT_EQ(g.channel_bits[7], 0);
  EXPECT_EQ(g.channel_bits[8], 16) << "bit 8 is the stack, which has 16 channels";
  EXPECT_EQ(t.axes, (std::vector<trace::Axis>{{"A", 2048}}));
}

TEST(TraceOfProgram, has_which_engines_work_and_how_banks_are_used) {
  trace::Trace const t = add_one_trace();
  EXPECT_EQ(t.commands[0].dma->engine_set, "0-3") << "those of the first cluster";
  EXPECT_EQ(t.commands[0].queues, "") << "in the model book the clusters share one";
  for (const trace::Command& c : t.commands) ASSERT_GE(c.bank_runs, 0);
  EXPECT_EQ(t.bank_runs[static_cast<std::size_t>(t.commands[0].bank_runs)].runs, std::vector<std::int64_t>(16, 1))
      << "a DMA takes every bank for one access";
}

TEST(TraceOfProgram, where_clusters_have_queues_commands_say_which) {
  auto const program = *lowered(add_one);
  auto const duration = sched::duration_named("calibrated", rngd);
  ASSERT_TRUE(duration);
  timeline::TraceOptions options;
  options.queue_per_cluster = true;
  trace::Trace const t = timeline::make_trace(program, *sched::schedule(program, rngd, **duration), rngd, options);
  EXPECT_EQ(t.commands[0].queues, "0");
  EXPECT_EQ(t.commands[1].queues, "") << "a pass is in no queue of DMA";
}

/// The module of a kernel whose lines are these, and whose tensors have no names. Its commands are on the lines 2, 4 and 9.
ir::Module named_by(const std::vector<std::string>& lines, const char* function) {
  std::ifstream in(add_one);
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  ir::Module module = *ir::parse(text, "add_one.tcp");
  auto const at = [&](std::uint32_t line) {
    Where w{"k.cpp", line, 1};
    w.function = function;
    return w;
  };
  for (ir::Tensor& t : module.tensors) {
    t.name.clear();
    t.at = at(t.role == ir::Role::result ? 9 : 2);
  }
  for (std::size_t i = 0; i < module.commands.size(); ++i) module.commands[i].at = at(std::vector<std::uint32_t>{2, 4, 9}.at(i));
  ir::name_tensors(module, [&lines](const std::string&, std::int64_t n) {
    return n >= 1 && n <= std::ssize(lines) ? lines[static_cast<std::size_t>(n) - 1] : "";
  });
  return module;
}
trace::Trace unnamed_trace(const std::vector<std::string>& lines, const char* function) {
  return trace_of(*build::lower_module(named_by(lines, function), rngd));
}
std::vector<std::string> names_of(const trace::Trace& t) {
  std::vector<std::string> names;
  for (const trace::Tensor& each : t.tensors) names.push_back(each.name);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(TraceOfProgram, tensors_without_names_are_called_as_the_variables) {
  trace::Trace const t = unnamed_trace(
      {"auto add_one(Context& ctx, const In& in) -> Out {", "auto x_dm = in.to_dm<Cluster, Slice>(ctx.tdma, 0);", "auto const y = ctx.main",
       ".begin(x_dm.view())", ".fetch<i32>()  // as it is", ".commit<m<A % 8>>(1 << 12);", "if (wanted) {", "return",
       "y.to_hbm<m<A>>(ctx.tdma);", "}"},
      "auto tcp::(anonymous namespace)::add_one(tcp::Context&, const tcp::HbmTensor<tcp::i32, tcp::Map<(int)2> >&) [with int n = 3]");
  EXPECT_EQ(names_of(t), (std::vector<std::string>{"in", "result", "x_dm", "y"}));
  EXPECT_EQ(t.sources.at(0).function, "tcp::add_one");
}
TEST(TraceOfProgram, tensors_without_a_variable_are_called_as_the_function_that_makes_them) {
  trace::Trace const t =
      unnamed_trace({"", "return a.to_dm(ctx.tdma);", "", "return dyn::main(ctx).begin(a);", "", "", "", "", "c.to_hbm(d);"},
                    "tcp::dyn::Tensor tcp::kernels::Gemm::operator()(tcp::Context&) const");
  EXPECT_EQ(names_of(t), (std::vector<std::string>{"Gemm", "Gemm", "a", "result"}));
}
TEST(TraceOfProgram, tensors_of_lines_that_are_not_at_hand_keep_their_numbers) {
  trace::Trace const t = unnamed_trace({}, "");
  EXPECT_EQ(names_of(t), (std::vector<std::string>{"%1", "%2", "argument", "result"}));
}

TEST(TraceOfProgram, the_text_form_has_the_names_of_the_trace) {
  ir::Module const module = named_by(
      {"", "auto x_dm = in.to_dm(ctx.tdma, 0);", "", "auto y = ctx.main.begin(x_dm.view());", "", "", "", "", "return y.to_hbm(ctx.tdma);"},
      "auto add_one(tcp::Context&)");
  auto const read = ir::parse(ir::print(module, {}), "dump.tcp");
  ASSERT_TRUE(read) << read.refusal().sentence().s;
  EXPECT_EQ(names_of(trace_of(*build::lower_module(*read, rngd))), names_of(trace_of(*build::lower_module(module, rngd))));
  EXPECT_EQ(names_of(trace_of(*build::lower_module(*read, rngd))), (std::vector<std::string>{"in", "result", "x_dm", "y"}));
}
TEST(TraceOfProgram, a_name_that_was_given_stays) {
  ir::Module module = named_by({}, "");
  module.tensors[1].name = "mine";
  ir::name_tensors(module, [](const std::string&, std::int64_t) { return std::string("auto other = a.to_dm();"); });
  EXPECT_EQ(module.tensors[1].name, "mine");
  EXPECT_EQ(module.tensors[2].name, "other");
}

/// Names of the tensors that a command reads or writes, and whether each byte of it has one.
std::vector<std::string> tensors_of(const trace::Trace& t, const std::vector<trace::Range>& ranges) {
  std::vector<std::string> names;
  for (const trace::Range& r : ranges) names.push_back(r.tensor == trace::none ? "-" : t.tensors[static_cast<std::size_t>(r.tensor)].name);
  return names;
}
using Names = std::vector<std::string>;

TEST(TraceOfProgram, an_interleaved_pass_has_all_of_its_sources) {
  auto const program = lowered_text(
      "module two\naxes A=2048, I=2\nargument hbm in: i32 Element[A] at 0\nargument hbm other: i32 Element[A] at 65536\n"
      "dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0\ndm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096\n"
      "dm z: i32 Cluster[1 # 2] Slice[A / 8] Element[I, A % 8] at 8192\nmove in -> x\nmove other -> y\n"
      "main.begin_interleaved(I, x, y)\n  .fetch i32 Time[I] Packet[A % 8]\n  .collect\n  .commit(z)\n",
      "two.tcp");
  ASSERT_TRUE(program) << program.refusal().sentence().s;
  trace::Trace const t = trace_of(*program);
  EXPECT_EQ(tensors_of(t, t.commands[2].reads), (Names{"x", "y"}));
  EXPECT_EQ(tensors_of(t, t.commands[2].writes), Names{"z"});
  trace::Tensor const y = t.tensors[static_cast<std::size_t>(t.commands[2].reads[1].tensor)];
  EXPECT_EQ(y.begin, 4096) << "where it was written, not where the stretch begins";
  EXPECT_EQ(y.end, 4096 + 32);
  EXPECT_EQ(y.last, 2);
}

TEST(TraceOfProgram, a_gather_has_its_table_and_its_source) {
  auto const program = lowered_text(sections_of(ir_texts).at("gather"), "gather");
  ASSERT_TRUE(program) << program.refusal().sentence().s;
  trace::Trace const t = trace_of(*program);
  Names gathered = tensors_of(t, t.commands[1].reads);
  std::sort(gathered.begin(), gathered.end());
  EXPECT_EQ(gathered, (Names{"rows_dm", "table"}));
  EXPECT_EQ(tensors_of(t, t.commands[1].writes), Names{"picked"});
}

TEST(TraceOfProgram, a_transfer_in_many_stretches_has_names_for_all) {
  auto const program = lowered_text(
      "module rows\naxes A=4, B=512\nargument hbm in: i32 Element[A, B # 768] at 0\n"
      "dm x: i32 Cluster[A / 2] Slice[A % 2 # 256] Element[B] at 0\nmove in -> x\n",
      "rows.tcp");
  ASSERT_TRUE(program) << program.refusal().sentence().s;
  trace::Trace const t = trace_of(*program);
  EXPECT_EQ(tensors_of(t, t.commands[0].reads), (Names{"in", "in"})) << "rows, with what pads them in between";
  for (const std::string& name : tensors_of(t, t.commands[0].writes)) EXPECT_EQ(name, "x");
}

/// A command that lasts ten cycles, with the tensor that it writes as lowering leaves it.
program::Command writing(program::Program& p, const char* tensor, program::Range range) {
  program::Command c = sched::lasting(10, sched::main_context, {}, {range});
  c.debug = static_cast<std::int32_t>(p.debug.commands.size());
  p.debug.commands.emplace_back().destination = static_cast<std::int32_t>(p.debug.tensors.size());
  p.debug.tensors.push_back({tensor, ScalarType::bf16, range.memory, {{"Element", "A"}}, 0, -1});
  return c;
}

TEST(TraceOfProgram, the_same_bytes_of_other_units_are_other_tensors) {
  using program::Memory, sched::bytes, sched::all_slices;
  program::Program p = sched::program_of({});
  p.commands.push_back(writing(p, "first", bytes(Memory::Trf, 0, 64, all_slices(256, 1))));
  p.commands.push_back(writing(p, "second", bytes(Memory::Trf, 0, 64, all_slices(256, 2))));
  for (std::uint32_t clusters : {1u, 2u, 3u})
    p.commands.push_back(sched::lasting(10, sched::main_context, {bytes(Memory::Trf, 0, 64, all_slices(64, clusters))}));
  trace::Trace const t = timeline::make_trace(p, sched::scheduled(p), rngd);
  EXPECT_EQ(tensors_of(t, t.commands[2].reads), Names{"first"});
  EXPECT_EQ(tensors_of(t, t.commands[3].reads), Names{"second"});
  EXPECT_EQ(tensors_of(t, t.commands[4].reads), Names{"second"}) << "both clusters: what was written last";
}

TEST(TraceOfProgram, what_the_vector_engine_leaves_in_vrf_for_itself_is_a_tensor) {
  using program::Memory, sched::bytes;
  program::Program p = sched::program_of({});
  p.commands.push_back(writing(p, "y", bytes(Memory::Dm, 0, 64)));
  p.commands[0].writes.insert(p.commands[0].writes.begin(), bytes(Memory::Vrf, 32, 64));
  p.commands.push_back(sched::lasting(10, sched::main_context, {bytes(Memory::Vrf, 32, 64)}));
  trace::Trace const t = timeline::make_trace(p, sched::scheduled(p), rngd);
  EXPECT_EQ(tensors_of(t, t.commands[0].writes), (Names{"scratch", "y"}));
  EXPECT_EQ(tensors_of(t, t.commands[1].reads), Names{"scratch"});
  trace::Tensor const scratch = t.tensors[static_cast<std::size_t>(t.commands[1].reads[0].tensor)];
  EXPECT_EQ(scratch.begin, 32);
  EXPECT_EQ(scratch.gone, Cycles{20});
}

TEST(TraceOfProgram, the_hash_is_of_what_the_chip_is_given) {
  auto program = *lowered(add_one);
  std::string const hash = timeline::hash_of(program);
  EXPECT_EQ(hash.size(), 16u);
  program.debug.lines[0].line += 7;
  EXPECT_EQ(timeline::hash_of(program), hash);
  std::get<program::Exec>(program.commands[1].what).fetch.read.base += 8;
  EXPECT_NE(timeline::hash_of(program), hash);
}

/// Each program of the text corpus that lowers: the trace is sound, is read as it was written, and gives the same schedule when it is worked out again.
TEST(TraceOfProgram, is_sound_for_all_programs) {
  int made = 0;
  for (const auto& [name, text] : sections_of(ir_texts)) {
    auto const program = lowered_text(text, name);
    if (!program) continue;
    for (bool reorder : {false, true}) {
      trace::Trace const t = trace_of(*program, reorder);
      auto const v = trace::check(t, "t.json");
      ASSERT_TRUE(v) << name << v.refusal().sentence().s;
      std::ostringstream out;
      trace::write_json(t, out);
      auto const again = trace::read_json(out.view(), "t.json");
      ASSERT_TRUE(again) << name << again.refusal().sentence().s;
      EXPECT_EQ(*again, t) << name;
      trace::Trace replayed = t;
      trace::replay(replayed);
      EXPECT_EQ(replayed, t) << name;
      EXPECT_FALSE(show(trace::make_report(t)).empty());
    }
    ++made;
  }
  EXPECT_GE(made, 5);
}

}  // namespace
}  // namespace tcp::trace_test
