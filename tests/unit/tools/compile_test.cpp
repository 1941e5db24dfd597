// `tcp compile` from outside: what it prints, writes, reads again and refuses.
#include "answer.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/encode.hpp"
#include "tcp/program/json.hpp"

namespace {

using namespace tcp;
using namespace tcp::tool;

class Compile : public Scratch {
 protected:
  std::string const file_ = write("add_one.tcp", add_one);

  /// A shell script that stands for an executable: it launches what is in this text.
  std::string script(const std::string& kernels) {
    std::string const path = write("launches", "#!/bin/sh\necho shown\ncat >> \"$TCP_DUMP\" <<'END'\n" + kernels + "END\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST_F(Compile, prints_the_program) {
  Answer const a = tcp_command({"compile", file_});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(has(a.out, "program add_one for rngd")) << a.out;
  EXPECT_TRUE(has(a.out, "fetch        [] @ 0 / 32")) << a.out;
  EXPECT_TRUE(has(a.out, "AddFxp on FxpAdd, arguments 01, 0x1")) << a.out;
}

TEST_F(Compile, both_encodings_hold_the_same_program) {
  EXPECT_EQ(tcp_command({"compile", file_, "--emit", "program", "-o", file("p.prog")}).code, 0);
  Answer const json = tcp_command({"compile", file_, "--emit", "json"});
  std::string const bytes = content(file("p.prog"));
  auto const binary = program::decode(std::as_bytes(std::span(bytes)));
  auto const twin = program::from_json(json.out);
  ASSERT_TRUE(binary && twin);
  EXPECT_TRUE(*binary == *twin);
  EXPECT_EQ(binary->commands.size(), 3u);
  EXPECT_EQ(tcp_command({"compile", file("p.prog"), "--emit", "json"}).out, json.out);
  EXPECT_EQ(tcp_command({"compile", write("p.json", json.out)}).out, tcp_command({"compile", file_}).out);
}

TEST_F(Compile, emitted_text_has_all_addresses) {
  Answer const a = tcp_command({"compile", file_, "--emit", "text"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(has(a.out, "dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at ")) << a.out;
  EXPECT_EQ(tcp_command({"compile", write("again.tcp", a.out), "--emit", "text"}).out, a.out);
}

TEST_F(Compile, configurations_have_a_name_of_their_own) {
  EXPECT_EQ(tcp_command({"compile", file_, "--emit", "configs"}).out, tcp_command({"compile", file_}).out);
}

TEST_F(Compile, emitted_cpp_is_the_typed_kernel) {
  Answer const a = tcp_command({"compile", file_, "--emit", "cpp"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(has(a.out, "TCP_AXES(A = 2048);")) << a.out;
  EXPECT_TRUE(has(a.out, ".vector_fxp(FxpBinaryOp::AddFxp, 1)")) << a.out;
  EXPECT_TRUE(has(a.out, "in C++: what tcp compile --emit cpp printed.")) << a.out;
}

TEST_F(Compile, explains_in_four_columns) {
  Answer const a = tcp_command({"compile", file_, "--explain"});
  EXPECT_EQ(a.code, 0) << a.err;
  for (const char* part : {"SOURCE", "MAPPING", "CONFIGURATION", "WHY", "add_one.tcp:11", "Packet[A % 8]", "fetch: [] @ 0 / 32"})
    EXPECT_TRUE(has(a.out, part)) << part << "\n" << a.out;
}

TEST_F(Compile, every_pass_is_shown_and_timed) {
  for (std::string_view pass : lower::pass_names) {
    Answer const a = tcp_command({"compile", file_, "--print-before", std::string(pass), "--print-after", std::string(pass)});
    EXPECT_EQ(a.code, 0) << a.err;
    EXPECT_TRUE(has(a.out, "== before " + std::string(pass) + "\n")) << pass;
    EXPECT_TRUE(has(a.out, "== after " + std::string(pass) + "\n")) << pass;
  }
  Answer const times = tcp_command({"compile", file_, "--time-passes"});
  for (std::string_view pass : lower::pass_names) EXPECT_TRUE(has(times.out, std::string(pass) + " ")) << times.out;
}

TEST_F(Compile, kernels_of_an_executable) {
  std::string twice = add_one + "\n" + add_one;
  twice.insert(twice.find("\n  .collect"), "  // kernel.cpp:71:5");
  Answer const a = tcp_command({"compile", script(add_one + "\n" + add_one), "--emit", "text"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.out, tcp_command({"compile", file_, "--emit", "text"}).out);
  std::string other = add_one;
  other.replace(other.find("module add_one"), 14, "module other");
  EXPECT_TRUE(has(tcp_command({"compile", script(add_one + other), "--kernel", "other"}).out, "program other for rngd"));
  expect_refused(tcp_command({"compile", script(add_one + other)}), 1, "tool-kernel-unknown");
  expect_refused(tcp_command({"compile", script(add_one), "--kernel", "others"}), 1, "tool-kernel-unknown");
  expect_refused(tcp_command({"compile", script("")}), 1, "tool-kernel-missing");
  Answer const placed = tcp_command({"compile", script(twice), "--kernel", "add_one", "--explain"});
  EXPECT_TRUE(has(placed.out, "kernel.cpp:71")) << placed.out << placed.err;
}

TEST_F(Compile, wrong_use) {
  expect_refused(tcp_command({"compile", file_, "--emit", "program"}), 2, "tool-usage");
  expect_refused(tcp_command({"compile", file_, "--emit", "json", "--explain"}), 2, "tool-usage");
  expect_refused(tcp_command({"compile", file_, "--explain", "-o", file("x")}), 2, "tool-usage");
  expect_refused(tcp_command({"compile", file_, "--print-after", "nothing"}), 2, "tool-usage");
  expect_refused(tcp_command({"compile", file_, "--kernel", "add_one"}), 2, "tool-usage");
  EXPECT_EQ(tcp_command({"compile", file_, "--emit", "program", "-o", file("p.prog")}).code, 0);
  expect_refused(tcp_command({"compile", file("p.prog"), "--emit", "text"}), 2, "tool-usage");
  expect_refused(tcp_command({"compile", file("p.prog"), "--chip", "rngd_s"}), 1, "program-other-chip");
}

TEST_F(Compile, broken_programs_are_refused) {
  EXPECT_EQ(tcp_command({"compile", file_, "--emit", "program", "-o", file("p.prog")}).code, 0);
  std::string bytes = content(file("p.prog"));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  expect_refused(tcp_command({"compile", write("q.prog", bytes)}), 1, "program-checksum");
  expect_refused(tcp_command({"compile", write("q.json", "{}")}), 1, "program-json-key");
}

}  // namespace
