// `tcp run` from outside: arrays in, arrays out. Expected values are computed here, by loops.
#include <cstring>
#include <nlohmann/json.hpp>

#include "answer.hpp"
#include "tcp/io/npy.hpp"
#include "tcp/io/safetensors.hpp"

namespace {

using namespace tcp;
using namespace tcp::tool;

/// Two arguments go through, each in another order of its axes; the result b is a view of the axes that y does not have in this order.
const std::string turned = R"(module turned
axes A = 8, B = 16
argument hbm x: bf16 Element[A, B] at 0
argument hbm w: i8 Element[B] at 8192
result hbm y: bf16 Element[B, A] at 4096
result hbm v: i8 Element[B] at 16384
dm d: bf16 Cluster[1 # 2] Slice[A # 256] Element[B] at 0
dm e: i8 Cluster[1 # 2] Slice[1 # 256] Element[B] at 1024
move x -> d
move d -> y
move w -> e
move e -> v
)";

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& numbers) {
  return std::as_bytes(std::span(numbers));
}

class Run : public Scratch {
 protected:
  std::string i32_file(const std::string& name, const std::vector<std::int32_t>& numbers, io::Extents shape) const {
    EXPECT_TRUE(io::write_npy(file(name), ScalarType::i32, shape, bytes_of(numbers)));
    return file(name);
  }
  std::vector<std::int32_t> numbers_of(const io::Array& array) const {
    std::vector<std::int32_t> out;
    for (std::int64_t i = 0; i < array.size; ++i) out.push_back(static_cast<std::int32_t>(array.bits(i)));
    return out;
  }
  std::vector<std::int32_t> counted(int n) const {
    std::vector<std::int32_t> out;
    for (int i = 0; i < n; ++i) out.push_back(7 * i - 1000);
    return out;
  }
};

TEST_F(Run, adds_one_to_an_array) {
  std::string const x = i32_file("x.npy", counted(2048), {2048});
  Answer const a = tcp_command({"run", write("a.tcp", add_one), "--in", "in=" + x, "--out", "out=" + file("y.npy")});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.err, "");
  EXPECT_EQ(a.out, "argument in: i32 (2048,), A = 2048, from " + x + "\n  -1000, -993, -986, -979, -972, -965, -958, -951, ...\n" +
                       "result out: i32 (2048,), A = 2048, written to " + file("y.npy") +
                       "\n  -999, -992, -985, -978, -971, -964, -957, -950, ...\n");
  std::vector<std::int32_t> expected = counted(2048);
  for (std::int32_t& n : expected) ++n;
  EXPECT_EQ(numbers_of(*io::read_npy(file("y.npy"))), expected);
}

TEST_F(Run, has_the_axes_of_an_array_in_the_order_of_the_mapping) {
  std::vector<std::uint16_t> x;
  for (std::uint16_t i = 0; i < 8 * 16; ++i) x.push_back(static_cast<std::uint16_t>(0x3f80 + i));
  std::vector<std::int8_t> w;
  for (std::int8_t i = 0; i < 16; ++i) w.push_back(static_cast<std::int8_t>(5 * i - 40));
  io::TensorToWrite const tensors[] = {{"layer.x", ScalarType::bf16, {8, 16}, bytes_of(x)}, {"w", ScalarType::i8, {16}, bytes_of(w)}};
  std::string const in = file("in.safetensors"), out = file("out.safetensors");
  ASSERT_TRUE(io::write_safetensors(in, tensors));
  Answer const a = tcp_command({"run", "--in", "x=" + in + ":layer.x", "--in", "w=" + in, write("a.tcp", turned), "--out", "y=" + out,
                                "--out", "v=" + out + ":other"});
  ASSERT_EQ(a.code, 0) << a.err;
  auto const results = io::open_safetensors(out);
  ASSERT_TRUE(results);
  ASSERT_EQ(results->entries.size(), 2u);
  auto const y = results->read("y", ScalarType::bf16), v = results->read("other", ScalarType::i8);
  ASSERT_TRUE(y && v);
  EXPECT_EQ(y->shape, (io::Extents{16, 8}));
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 16; ++c) EXPECT_EQ(y->bits(c * 8 + r), x[static_cast<std::size_t>(r * 16 + c)]) << r << ", " << c;
  for (int c = 0; c < 16; ++c) EXPECT_EQ(v->bits(c), static_cast<std::uint8_t>(w[static_cast<std::size_t>(c)]));
}

TEST_F(Run, fills_arguments_at_random_the_same_way_each_time) {
  std::string const program = write("a.tcp", turned);
  auto const random = [&](const char* seed, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"run", program, "--random", seed, "--out", "v=" + file("v.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(tcp_command(arguments).code, 0);
    return content(file("v.npy"));
  };
  std::string const first = random("1");
  EXPECT_EQ(random("1"), first);
  EXPECT_NE(random("2"), first);
  std::vector<std::uint16_t> const zeros(128);
  ASSERT_TRUE(io::write_npy(file("x.npy"), ScalarType::bf16, {8, 16}, bytes_of(zeros)));
  EXPECT_EQ(random("1", {"--in", "x=" + file("x.npy")}), first);  // another argument's file changes nothing
  auto const v = io::read_npy(file("v.npy"));
  bool differ = false;
  for (std::int64_t i = 0; i < v->size; ++i) {
    auto const n = static_cast<std::int8_t>(v->bits(i));
    EXPECT_TRUE(n >= -8 && n <= 7) << int{n};
    differ |= n != static_cast<std::int8_t>(v->bits(0));
  }
  EXPECT_TRUE(differ);
}

TEST_F(Run, refuses_arguments_that_do_not_fit) {
  std::string const program = write("a.tcp", add_one), x = i32_file("x.npy", counted(2048), {2048});
  struct Case {
    std::vector<std::string> more;
    const char* code;
  };
  std::vector<float> const floats(2048);
  ASSERT_TRUE(io::write_npy(file("f.npy"), ScalarType::f32, {2048}, bytes_of(floats)));
  for (Case const& c : std::vector<Case>{
           {{}, "tool-argument-missing"},
           {{"--in", "on=" + x}, "tool-argument-unknown"},
           {{"--in", "out=" + x}, "tool-argument-unknown"},
           {{"--in", "in=" + x, "--out", "in=" + file("y.npy")}, "tool-result-unknown"},
           {{"--in", "in=" + i32_file("a.npy", counted(2048), {8, 256})}, "tool-argument-shape"},
           {{"--in", "in=" + i32_file("b.npy", counted(2047), {2047})}, "tool-argument-shape"},
           {{"--in", "in=" + file("f.npy")}, "io-other-type"},
           {{"--in", "in=" + file("none.npy")}, "io-file-unreadable"},
           {{"--in", "in=" + program}, "npy-not-npy"},
           {{"--in", "in=" + x + ".safetensors:x"}, "io-file-unreadable"},
           {{"--in", "in=" + x, "--chip", "rngd9"}, "device-unknown"},
           {{"--in", "in=" + x, "--out", "out=" + file("no/y.npy")}, "io-file-not-written"},
       }) {
    SCOPED_TRACE(c.code);
    std::vector<std::string> arguments = {"run", program};
    arguments.insert(arguments.end(), c.more.begin(), c.more.end());
    expect_refused(tcp_command(arguments), refused, c.code);
  }
  expect_refused(tcp_command({"run", file("none.tcp")}), refused, "io-file-unreadable");
}

/// `file:line:column: error[code]`
void expect_refused_at(const Answer& a, const std::string& place, const std::string& code) {
  EXPECT_EQ(a.code, refused);
  EXPECT_EQ(a.out, "");
  EXPECT_EQ(a.err.substr(0, a.err.find("]: ")), place + ": error[" + code) << a.err;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(Run, points_into_the_text_of_a_program_that_is_none) {
  std::string const program = file("a.tcp");
  write("a.tcp", with(add_one, "Slice[A / 8]", "Slice[A / 7]"));
  expect_refused_at(tcp_command({"run", program, "--random", "1"}), program + ":5:37", "mapping-stride-not-divisor");
  write("a.tcp", with(add_one, "Packet[A % 8]", "Packet[A % 4]"));
  expect_refused_at(tcp_command({"run", program, "--random", "1"}), program + ":12:3", "collect-packet-not-one-flit");
}

TEST_F(Run, refuses_results_that_undefined_values_decide_or_warns_of_them) {
  std::string const program = write("a.tcp", with(add_one, "move in -> x\n", "\n")), y = file("y.npy");
  Answer const refusing = tcp_command({"run", program, "--random", "1", "--out", "out=" + y});
  expect_refused_at(refusing, program + ":10:1", "exec-undefined-result");
  EXPECT_FALSE(std::filesystem::exists(y));
  Answer const warning = tcp_command({"run", program, "--random", "1", "--undefined", "zero", "--out", "out=" + y});
  EXPECT_EQ(warning.code, 0);
  EXPECT_EQ(warning.err,
            program +
                ":10: warning: 2048 of 2048 elements of result out depend on an undefined value: nothing has written x; it counts "
                "as zero; the first is at A = 0\n");
  EXPECT_NE(warning.out.find("\n  ?, ?, ?, ?, ?, ?, ?, ?, ...\n"), std::string::npos) << warning.out;
  EXPECT_EQ(io::read_npy(y)->size, 2048);
}

TEST_F(Run, both_backends_say_the_same) {
  for (const std::string& program : {add_one, turned}) {
    std::string const path = write("p.tcp", program);
    Answer const fast = tcp_command({"run", path, "--random", "3"}),
                 slow = tcp_command({"run", path, "--random", "3", "--backend", "reference"});
    ASSERT_EQ(fast.code, 0) << fast.err;
    EXPECT_EQ(fast.out, slow.out);
    EXPECT_EQ(fast.err, slow.err);
    EXPECT_EQ(tcp_command({"run", path, "--random", "3", "--backend", "vector"}).out, fast.out);
  }
  expect_refused(tcp_command({"run", write("p.tcp", add_one), "--backend", "fastest"}), misused, "tool-usage");
}

TEST_F(Run, a_result_that_repeats_is_written_as_its_shape_says_by_every_backend) {
  std::string const program = write("p.tcp", R"(module repeated
axes A = 256, R = 4
argument hbm in: i32 Element[A]
dm x: i32 Cluster[1 # 2] Slice[A / 8 # 256] Element[A % 8]
result hbm out: i32 Element[R, A]
move in -> x
move x -> out
)");
  std::vector<std::int32_t> all[3];
  for (int i = 0; i < 3; ++i) {
    const char* const backend[] = {"reference", "vector", "device"};
    Answer const a = tcp_command({"run", program, "--random", "3", "--backend", backend[i], "--out", "out=" + file("y.npy")});
    ASSERT_EQ(a.code, 0) << backend[i] << a.err;
    all[i] = numbers_of(*io::read_npy(file("y.npy")));
    EXPECT_EQ(all[i].size(), 1024u);
    EXPECT_EQ(all[i], all[0]);
  }
}

TEST_F(Run, one_of_several_modules_of_a_file_is_named_by_its_number) {
  std::string two = add_one;
  two.replace(two.find("add_one"), 7, "add_two");
  two.replace(two.find("AddFxp, 1"), 9, "AddFxp, 2");
  std::string const dump = write("kernels.tcp", std::string(add_one) + "\n" + two);
  expect_refused(tcp_command({"run", dump, "--random", "3"}), refused, "tool-several-modules");
  expect_refused(tcp_command({"run", dump + "#3", "--random", "3"}), refused, "tool-several-modules");
  for (const char* number : {"#1", "#2"}) {
    Answer const alone = tcp_command({"run", write("alone.tcp", number[1] == '1' ? std::string(add_one) : two), "--random", "3"});
    EXPECT_EQ(tcp_command({"run", dump + number, "--random", "3"}).out, alone.out) << number;
  }
}

TEST_F(Run, the_simulated_chip_says_the_same_and_how_long_it_took) {
  std::string const program = write("p.tcp", add_one), trace = file("t.json");
  Answer const interpreted = tcp_command({"run", program, "--random", "3"});
  for (const char* model : {"book", "planned", "calibrated", "detailed"}) {
    Answer const a = tcp_command({"run", program, "--random", "3", "--backend", "device", "--model", model, "--trace", trace});
    ASSERT_EQ(a.code, 0) << a.err;
    ASSERT_EQ(a.out.substr(0, interpreted.out.size()), interpreted.out);
    std::string const more = a.out.substr(interpreted.out.size());
    EXPECT_EQ(more.find("device: "), 0u) << more;
    EXPECT_NE(more.find(std::string(" cycles by the model ") + model + ", "), more.npos) << more;
    EXPECT_NE(more.find("\ntrace: written to " + trace), more.npos) << more;
    Answer const report = tcp_command({"report", trace});
    EXPECT_EQ(report.code, 0) << report.err;
    EXPECT_NE(report.out.find(std::string("add_one on rngd, model ") + model), report.out.npos) << report.out;
  }
  Answer const reordered = tcp_command({"run", program, "--random", "3", "--backend", "device", "--reorder"});
  EXPECT_NE(reordered.out.find(", 0 less than in program order\n"), reordered.out.npos) << reordered.out;
}

TEST_F(Run, time_is_a_matter_of_the_device) {
  std::string const program = write("p.tcp", add_one);
  for (std::vector<std::string> const& more : {std::vector<std::string>{"--model", "book"},
                                               {"--trace", file("t.json")},
                                               {"--reorder"},
                                               {"--backend", "device", "--show-plan"},
                                               {"--backend", "device", "--model", "exact"}}) {
    std::vector<std::string> arguments = {"run", program, "--random", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(tcp_command(arguments), misused, "tool-usage");
  }
  EXPECT_FALSE(std::filesystem::exists(file("t.json")));
  expect_refused(tcp_command({"run", program, "--random", "1", "--backend", "device", "--trace", file("no/t.json")}), refused,
                 "tool-file-not-written");
}

TEST_F(Run, both_backends_find_the_same_undefined_elements) {
  std::string const half = R"(module half
axes A = 64
argument hbm in: i32 Element[A] at 0
argument hbm other: i32 Element[A] at 4096
result hbm out: i32 Element[A] at 8192
hbm first: i32 Element[A = 32 # 64] = out.tile([A], length: 32, start: 0)
result hbm whole: i32 Element[A] at 16384
hbm front: i32 Element[A = 32 # 64] = in.tile([A], length: 32, start: 0)
move front -> first
move other -> whole
)";
  std::string const path = write("half.tcp", half);
  for (const char* check : {"refused", "zero"}) {
    Answer const fast = tcp_command({"run", path, "--random", "3", "--undefined", check});
    Answer const slow = tcp_command({"run", path, "--random", "3", "--undefined", check, "--backend", "reference"});
    EXPECT_EQ(fast.code, slow.code);
    EXPECT_EQ(fast.out, slow.out);
    EXPECT_EQ(fast.err, slow.err);
    EXPECT_NE(fast.err.find("nothing has written"), std::string::npos) << fast.err;
  }
}

TEST_F(Run, arguments_in_scratchpads_are_run_by_the_reference_interpreter) {
  std::string const path = write("slices.tcp", R"(module slices
axes A = 4, B = 8
argument spm x: i32 Cluster[1 # 2] Pe[A] Element[B] at 0
result hbm out: i32 Element[A, B] at 0
move x -> out
)");
  Answer const a = tcp_command({"run", path, "--random", "3", "--show-plan"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_NE(a.out.find("plan: none, "), std::string::npos) << a.out;
  EXPECT_EQ(tcp_command({"run", path, "--random", "3"}).out, tcp_command({"run", path, "--random", "3", "--backend", "reference"}).out);
}

TEST_F(Run, shows_what_was_fused) {
  Answer const a = tcp_command({"run", write("a.tcp", add_one), "--random", "3", "--show-plan"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_NE(a.out.find("plan line 9: x shares the elements, nothing is copied\n"
                       "plan line 10: y in one sweep: load i32, FxpBinaryOp::AddFxp\n"
                       "plan line 18: out shares the elements, nothing is copied\n"
                       "plan at the end: out is moved into HBM\n"),
            std::string::npos)
      << a.out;
  expect_refused(tcp_command({"run", write("a.tcp", add_one), "--random", "3", "--show-plan", "--backend", "reference"}), misused,
                 "tool-usage");
}

TEST_F(Run, answers_in_json_what_it_answers_in_words) {
  std::string const program = write("add_one.tcp", add_one), x = i32_file("x.npy", counted(2048), {2048}), trace = file("trace.json");
  Answer const a =
      tcp_command({"run", program, "--in", "in=" + x, "--out", "out=" + file("y.npy"), "--backend", "device", "--trace", trace, "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  auto const answer = nlohmann::json::parse(a.out);
  EXPECT_EQ(answer["arguments"][0]["file"], x);
  EXPECT_EQ(answer["arguments"][0]["type"], "i32");
  EXPECT_EQ(answer["results"][0]["shape"], nlohmann::json({2048}));
  EXPECT_EQ(answer["results"][0]["file"], file("y.npy"));
  auto const traced = nlohmann::json::parse(content(trace));
  EXPECT_EQ(answer["device"]["cycles"], traced["makespan"]);
  EXPECT_EQ(answer["device"]["trace"], trace);
  auto const plan = nlohmann::json::parse(tcp_command({"run", program, "--random", "1", "--show-plan", "--json"}).out);
  EXPECT_EQ(plan["plan"][0]["line"], 9);
  EXPECT_TRUE(plan["arguments"][0]["file"].is_null());
  EXPECT_EQ(plan.count("device"), 0u);
}

}  // namespace
