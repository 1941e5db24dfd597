// `tcp check` and `tcp compile`.
#include <nlohmann/json.hpp>

#include "answer.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/encode.hpp"

namespace {

using namespace tcp;
using namespace tcp::tool;

class Check : public Scratch {
 protected:
  std::string const kernels_ = write("kernels.rs", R"(axes![A = 2048];
type Dm = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
#[device(chip = 1)]
fn add(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>, n: i32) -> HbmTensor<i32, m![1], m![A]> {
  let dm: Dm = x.to_dm(&mut ctx.tdma);
  let sum: Dm = ctx.main.begin(dm.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().vector_init()
    .vector_intra_slice_tag(TagMode::Zero).vector_fxp(FxpBinaryOp::AddFxp, n).vector_final().commit();
  sum.to_hbm(&mut ctx.tdma)
}
#[device(chip = 1)]
fn copy(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
  let dm: Dm = x.to_dm(&mut ctx.tdma);
  dm.to_hbm(&mut ctx.tdma)
}
)");
  std::string const wrong_ = TCP_SOURCE_DIR "/tests/refuse/files/wrong.rs";
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST_F(Check, lists_the_kernels_of_every_form) {
  for (const char* command : {"check", "run", "compile", "report", "view"}) {
    Answer const a = tcp_command({command, kernels_, "--list"});
    EXPECT_EQ(a.code, 0) << a.err;
    EXPECT_TRUE(contains(a.out, "add  ") && contains(a.out, "kernels.rs:4\n") && contains(a.out, "copy  ")) << a.out;
  }
  EXPECT_EQ(tcp_command({"check", write("add_one.tcp", add_one), "--list"}).out, "add_one\n");
  std::string const two = write("two.tcp", std::string(add_one) + add_one);
  EXPECT_EQ(tcp_command({"run", two, "--list"}).out, "add_one  " + two + "#1\nadd_one  " + two + "#2\n");
  EXPECT_EQ(tcp_command({"run", two + "#2", "--list"}).out, "add_one\n");
}

TEST_F(Check, says_every_error_with_its_line_underlined) {
  Answer const a = tcp_command({"check", wrong_});
  EXPECT_EQ(a.code, 1);
  EXPECT_TRUE(contains(a.out,
                       "wrong.rs:6:29: error[mapping-stride-not-divisor]: A / 7: 7 does not divide the 2048 positions\n"
                       " 6 |     x.to_dm::<m![1 # 2], m![A / 7], m![A % 8]>(&mut ctx.tdma);\n"
                       "   |                             ^~~~~\n"))
      << a.out;
  EXPECT_TRUE(contains(a.out, "wrong.rs:7:7: error[rust-unknown-method]")) << a.out;
  EXPECT_TRUE(contains(a.out, "wrong.rs:11:59: error[rust-unknown-name]")) << a.out;
  EXPECT_TRUE(contains(a.err, "error[tool-check-failed]: 3 errors in wrong.rs; 2 of 2 kernels are wrong")) << a.err;
  EXPECT_EQ(tcp_command({"check", wrong_, "--kernel", "third"}).code, 1);
}

/// `fetch` of April takes a scalar, and the kernels here give none.
TEST_F(Check, the_edition_is_that_of_the_crate_that_kernels_are_written_for) {
  auto const is_april = [&](const std::string& dependencies, const std::string& locked = "0.6.0") {
    std::string const manifest =
        write("Cargo.toml", "[package]\nname = \"k\"\n[lib]\npath = \"kernels.rs\"\n[dependencies]\n" + dependencies + "\n");
    write("Cargo.lock",
          "version = 4\n[[package]]\nname = \"anyhow\"\nversion = \"0.1.0\"\n[[package]]\nname = \"furiosa-opt-std\"\nversion = \"" +
              locked + "\"\n");
    Answer const a = tcp_command({"check", manifest});
    EXPECT_EQ(contains(a.out, "error[rust-edition]"), a.code == 1) << a.out << a.err;
    return a.code == 1;
  };
  EXPECT_TRUE(is_april(R"(furiosa-opt-std = "0.1")"));
  EXPECT_FALSE(is_april(R"(furiosa-opt-std = "0.6")", "0.1.0")) << "the lock file is old";
  EXPECT_FALSE(is_april("furiosa-opt-std = \"0.6\"\nfuriosa-smi = \"0.1\"")) << "another crate of the vendor";
  EXPECT_TRUE(is_april(R"(furiosa-opt-std = { git = "https://example.org/opt", tag = "v0.1.3" })"));
  EXPECT_TRUE(is_april(R"(opt = { package = "furiosa-opt-std", version = "0.1" })"));
  EXPECT_TRUE(is_april(R"(furiosa-opt-std = { git = "https://example.org/opt" })", "0.1.2"));
  EXPECT_FALSE(is_april(R"(furiosa-opt-std = { git = "https://example.org/opt" })", "0.6.3"));
  EXPECT_FALSE(is_april(R"(furiosa-opt-std = ">=0.1, <0.7")", "0.6.3"));
}

/// Members are found by patterns, once; each has the edition and the features of its own manifest. Two programs of a crate share a module.
TEST_F(Check, members_of_a_workspace_are_crates_of_their_own) {
  std::string const kernel = R"(
#[device(chip = 1)]
fn NAME(ctx: &mut CONTEXT, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
  let dm: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
  WIDTH;
  dm.to_hbm(&mut ctx.tdma)
}
)";
  auto const with = [&](std::string name, std::string context, std::string width) {
    std::string text = "axes![A = 2048];" + kernel;
    for (auto const& [word, by] : {std::pair{"NAME", name}, std::pair{"CONTEXT", context}, std::pair{"WIDTH", width}}) {
      std::size_t const at = text.find(word);
      text.replace(at, std::string_view(word).size(), by);
    }
    return text;
  };
  auto const member = [&](const std::string& folder, const std::string& edition, const std::string& features, const std::string& text) {
    std::filesystem::create_directories(file("w/" + folder + "/src"));
    write("w/" + folder + "/Cargo.toml", "[package]\nname = \"" + folder + "\"\n[features]\ndefault = [" + features +
                                             "]\nwide = []\n[dependencies]\nfuriosa-opt-std = \"" + edition + "\"\n");
    write("w/" + folder + "/src/lib.rs", text);
  };
  member("kernels", "0.8", "", with("newer", "Device", "assert!(!cfg!(feature = \"wide\"))"));
  member("kernels-old", "0.5", "\"wide\"", with("older", "Context", "assert!(cfg!(feature = \"wide\"))"));
  member("spare", "0.5", "", with("spare", "Device", "()"));
  std::filesystem::create_directories(file("w/kernels-old/src/bin"));
  for (const char* name : {"first", "second"})
    write("w/kernels-old/src/bin/" + std::string(name) + ".rs",
          "mod common;\nuse common::*;\n" + with(name, "Context", "let n: i32 = SHARED"));
  write("w/kernels-old/src/bin/common.rs", "pub const SHARED: i32 = 3;\n");
  std::string const manifest = write("w/Cargo.toml", "[workspace]\nmembers = [\"kern*\", \"kernels\", \"spa?e\"]\nexclude = [\"spare\"]\n");
  Answer const a = tcp_command({"check", manifest});
  EXPECT_EQ(a.code, 0) << a.out << a.err;
  EXPECT_TRUE(contains(a.out, "4 kernels checked")) << a.out;
  write("w/Cargo.toml", "[workspace]\nmembers = [\"kern*\", \"spare\"]\n");
  Answer const all = tcp_command({"check", manifest});
  EXPECT_TRUE(contains(all.out, "edition 0.5 has no `Device`") && contains(all.err, "1 error in Cargo.toml; 1 of 5 kernels is wrong"))
      << all.out << all.err;
}

/// What keeps a crate from being read is an error, and a kernel that is none is pointed out.
TEST_F(Check, crates_that_are_not_there) {
  std::string const package = "[package]\nname = \"k\"\n[dependencies]\nfuriosa-opt-std = \"0.10\"\n";
  std::string const manifest = write("Cargo.toml", package);
  expect_refused(tcp_command({"check", manifest}), 1, "rust-file");
  write("Cargo.toml", "[workspace]\nmembers = [\"nowhere\"]\n");
  expect_refused(tcp_command({"check", manifest}), 1, "rust-file");
  write("Cargo.toml", package + "[lib]\npath = \"itself.rs\"\n");
  write("itself.rs", "#[path = \"itself.rs\"]\nmod again;\nstruct S;\nimpl S {\n  #[device(chip = 1)]\n  fn k(&self) {}\n}\n");
  Answer const a = tcp_command({"check", manifest});
  EXPECT_EQ(a.code, 1);
  EXPECT_TRUE(contains(a.out, "itself.rs:2:5: error[rust-file]: the module again is the file ")) << a.out;
  EXPECT_TRUE(contains(a.out, "itself.rs:6:6: note: `k` is marked #[device], and is read where it is called")) << a.out;
  EXPECT_TRUE(contains(a.out, "note: edition 0.10 is not known here")) << a.out;
}

/// One mistake in a type shows at each use of the type: it is said once, with the other places. Editors get all of them.
TEST_F(Check, one_mistake_is_said_once) {
  std::string const twice = write("twice.rs", R"(axes![A = 1024];
type Dm = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
#[device(chip = 1)]
fn first(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
  let dm: Dm = x.to_dm(&mut ctx.tdma);
  dm.to_hbm(&mut ctx.tdma)
}
#[device(chip = 1)]
fn second(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
  let dm: Dm = x.to_dm(&mut ctx.tdma);
  dm.to_hbm(&mut ctx.tdma)
}
)");
  Answer const a = tcp_command({"check", twice});
  EXPECT_TRUE(contains(a.out, "twice.rs:5:18: error[memory-slice-size]") && contains(a.out, "\n  also at ") &&
              contains(a.out, "twice.rs:10:18\n"))
      << a.out;
  EXPECT_TRUE(contains(a.err, "1 error in twice.rs; 2 of 2 kernels are wrong")) << a.err;
  EXPECT_EQ(nlohmann::json::parse(tcp_command({"check", twice, "--json"}).out).at("runs").at(0).at("results").size(), 2u);
}

/// What no kernel looks at, and a kernel that gives nothing, are no errors, and are said.
TEST_F(Check, helpers_that_no_kernel_calls_and_kernels_without_a_result) {
  std::string const spare = write("spare.rs", R"(axes![A = 2048];
type Dm = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
fn called(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> Dm { x.to_dm(&mut ctx.tdma) }
fn spare(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> Dm { x.to_dmm(&mut ctx.tdma) }
fn of_the_host(n: usize) -> usize { n + 1 }
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) { let dm = called(ctx, x); }
)");
  Answer const a = tcp_command({"check", spare});
  EXPECT_EQ(a.code, 0) << a.out;
  EXPECT_TRUE(contains(a.out, "note: kernel gives no result: it returns nothing, and writes to none of its arguments\n")) << a.out;
  EXPECT_TRUE(contains(a.out, "note: no kernel calls this helper, which was not checked: spare (") && contains(a.out, "spare.rs:4)\n"))
      << a.out;
  EXPECT_FALSE(contains(tcp_command({"check", spare, "--kernel", "kernel"}).out, "helper"));
}

/// Names of files in SARIF are URIs.
TEST_F(Check, files_of_sarif_are_uris) {
  std::string const odd = write("odd name ä.rs", "#[device(chip = 1)]\nfn k(ctx: &mut Context, x: &Missing) {}\n");
  auto const sarif = nlohmann::json::parse(tcp_command({"check", odd, "--json"}).out);
  std::string const uri =
      sarif.at("runs").at(0).at("results").at(0).at("locations").at(0).at("physicalLocation").at("artifactLocation").at("uri");
  EXPECT_TRUE(uri.ends_with("odd%20name%20%C3%A4.rs")) << uri;
}

TEST_F(Check, answers_in_sarif) {
  Answer const a = tcp_command({"check", wrong_, "--json"});
  EXPECT_EQ(a.code, 1);
  auto const sarif = nlohmann::json::parse(a.out);
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  auto const& results = sarif.at("runs").at(0).at("results");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[1].at("ruleId"), "rust-unknown-method");
  auto const& region = results[1].at("locations").at(0).at("physicalLocation").at("region");
  EXPECT_EQ(region.at("startLine"), 7);
  EXPECT_EQ(region.at("startColumn"), 7);
  EXPECT_EQ(region.at("endColumn"), 27);
  EXPECT_TRUE(nlohmann::json::parse(tcp_command({"check", kernels_, "--json"}).out).at("runs").at(0).at("results").empty());
}

TEST_F(Check, takes_programs_in_text_form) {
  EXPECT_EQ(tcp_command({"check", write("add_one.tcp", add_one)}).out, "1 kernel checked\n");
  std::string wrong = add_one;
  wrong.replace(wrong.find("A % 8"), 5, "A % 7");
  Answer const a = tcp_command({"check", write("wrong.tcp", wrong)});
  EXPECT_EQ(a.code, 1);
  EXPECT_TRUE(contains(a.out, "wrong.tcp:5")) << a.out;
}

TEST_F(Check, numbers_of_a_launch_are_set) {
  Answer const a = tcp_command({"run", kernels_, "--kernel", "add", "--set", "n=1000", "--random", "1"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(contains(a.out, "result result: i32 (2048,), A = 2048\n  997, 1007, ")) << a.out;
  Answer const without = tcp_command({"run", kernels_, "--kernel", "add", "--random", "1"});
  EXPECT_TRUE(contains(without.err, "note: n counts as 1: no value is given for this parameter; --set gives one\n")) << without.err;
  expect_refused(tcp_command({"run", kernels_, "--kernel", "add", "--set", "n", "--random", "1"}), 2, "tool-usage");
}

TEST_F(Check, commands_take_kernels_in_rust) {
  expect_refused(tcp_command({"compile", kernels_}), 1, "tool-kernel-unknown");
  expect_refused(tcp_command({"compile", kernels_, "--kernel", "ad"}), 1, "tool-kernel-unknown");
  expect_refused(tcp_command({"compile", write("none.rs", "fn main() {}")}), 1, "tool-kernel-missing");
  EXPECT_TRUE(contains(tcp_command({"compile", kernels_, "--kernel", "copy"}).out, "program copy for rngd"));
  Answer const text = tcp_command({"compile", kernels_, "--kernel", "add", "--emit", "text"});
  EXPECT_TRUE(contains(text.out, "vector_fxp(AddFxp, 1)")) << text.out;
  EXPECT_EQ(tcp_command({"compile", write("again.tcp", text.out), "--emit", "text"}).out, text.out);
  Answer const explained = tcp_command({"compile", kernels_, "--kernel", "add", "--explain"});
  EXPECT_TRUE(contains(explained.out, "kernels.rs:7")) << explained.out;
  Answer const report = tcp_command({"report", kernels_, "--kernel", "add", "--model", "planned"});
  EXPECT_TRUE(contains(report.out, "add on rngd, model planned")) << report.out << report.err;
  EXPECT_EQ(tcp_command({"view", kernels_, "--kernel", "add", "-o", file("page.html")}).code, 1) << "the viewer's page is not in docs";
  Answer const refused = tcp_command({"run", wrong_, "--kernel", "first", "--random", "1"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(contains(refused.err, "wrong.rs:6:29: error[mapping-stride-not-divisor]") &&
              contains(refused.err, "tcp check lists all 2 errors"))
      << refused.err;
}

// `tcp compile` from outside: what it prints, writes, reads again and refuses.

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
  expect_refused(tcp_command({"compile", file_, "--kernel", "another"}), 1, "tool-several-modules");
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
