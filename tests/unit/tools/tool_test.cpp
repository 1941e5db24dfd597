#include "tool.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "answer.hpp"
#include "tcp/support/random.hpp"
#include "tcp/trace/findings.hpp"

namespace {

using namespace tcp::tool;

TEST(Tool, says_its_version_and_how_it_is_used) {
  EXPECT_EQ(tcp_command({"--version"}).out.substr(0, 4), "tcp ");
  Answer const help = tcp_command({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"layout", "run", "fmt", "new", "explain", "Exit codes: 0 done;\n  1 error", "2 wrong usage", "NO_COLOR"})
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
}

TEST(Tool, prints_its_help_where_nothing_is_asked) {
  Answer const bare = tcp_command({}), help = tcp_command({"--help"});
  EXPECT_EQ(bare.code, 0);
  EXPECT_EQ(bare.out, help.out);
  EXPECT_NE(bare.out.find("To begin: tcp new hello"), std::string::npos);
}

TEST(Tool, refuses_wrong_use_with_exit_code_2) {
  std::vector<std::vector<std::string>> const wrong = {
      {"llama", "tiny", "--prompt-ids", "3", "--set", "layers=1"},
      {"llama", "tiny", "--prompt-ids", "3", "--trace", "t.json"},
      {"lsp", "--set", "layers=1"},
      {"lsp", "--clangd", ""},
      {"lay"},
      {"--no-such-option"},
      {"layout"},
      {"layout", "--axes", "A=8"},
      {"layout", "--axes"},
      {"layout", "A", "B"},
      {"layout", "--no-such-option", "1"},
      {"layout", "--limit", "0", "1"},
      {"layout", "--limit", "-3", "1"},
      {"layout", "--limit", "99999999999999999999", "1"},
      {"layout", "--from", "x", "1"},
      {"layout", "--from", "", "1"},
      {"layout", "--all", "--limit", "3", "1"},
      {"layout", "--levels", "Slice: 1", "1"},
      {"layout", "--move", "1"},
      {"layout", "--move", "1", "1", "--svg", "x.svg"},
      {"layout", "--store", "1"},
      {"layout", "1", "--svg", ""},
      {"layout", "--type", "bf16", "1"},
      {"layout", "--levels", "Slice: 1", "--memory", "dm"},
      {"layout", "--levels", "Slice: 1", "--memory", "disk", "--type", "bf16"},
      {"layout", "--move", "1", "1", "--absent", "guessed"},
      {"explain", "a-b", "c-d"},
      {"explain", ""},
      {"report", "a.json", "--rows", "0"},
      {"report", "a.json", "--rows", "-1"},
      {"report", "a.json", "--rows", "99999999999999999999"},
      {"report", "a.json", "--perfetto", "a.json"},
      {"diff", "a.json", "b.json", "--rows", "0"},
      {"diff", "a.json", "b.json", "--max-slowdown", ""},
      {"diff", "a.json", "b.json", "--max-slowdown", "2%%"},
      {"diff", "a.json", "b.json", "--max-slowdown", "%"},
      {"compile", "a.tcp", "-o", "a.tcp"},
      {"view", "a.json", "-o", "a.json"},
      {"fmt", "-"},
      {"run", "-", "--random", "1"},
      {"compile", "a.tcp", "-o", "-"},
      {"report", "-"},
      {"view", "a.json", "b.json", "-o", "b.json"},
      {"view", "a.json", "-o", "a.html", "--port", "99"},
      {"compile", "a.tcp", "--chip", "c.json", "-o", "c.json"},
      {"layout", "--axes", "I=256", "--levels", "Slice: I", "--type", "bf16", "--chip", "c.json", "--svg", "c.json"},
      {"run", "a.tcp", "--random", "1", "--backend", "device", "--trace", "a.tcp"},
      {"run", "a.tcp", "--in", "x=x.npy", "--backend", "device", "--trace", "x.npy"},
      {"run", "a.tcp", "--random", "1", "--backend", "device", "--out", "y=y.npy", "--trace", "y.npy"},
      {"run"},
      {"run", ""},
      {"run", "a.tcp", "b.tcp"},
      {"run", "a.tcp", "--in"},
      {"run", "a.tcp", "--in", "x"},
      {"run", "a.tcp", "--in", "=x.npy"},
      {"run", "a.tcp", "--in", "x="},
      {"run", "a.tcp", "--in", "x=1.npy", "--in", "x=2.npy"},
      {"run", "a.tcp", "--out", "y=y.txt"},
      {"run", "a.tcp", "--out", "y=1.npy", "--out", "z=1.npy"},
      {"run", "a.tcp", "--random", "one"},
      {"run", "a.tcp", "--undefined", "perhaps"},
      {"fmt"},
      {"new"},
      {"new", ""},
      {"new", "a", "b"},
      {"fmt", "a.tcp", "--write", "--check"},
  };
  for (auto const& arguments : wrong) {
    std::string line;
    for (auto const& a : arguments) line += a + " ";
    SCOPED_TRACE(line);
    expect_refused(tcp_command(arguments), misused, "tool-usage");
  }
}

TEST(Tool, says_what_may_have_been_meant) {
  auto const help = [](const std::vector<std::string>& arguments) { return tcp_command(arguments).err; };
  EXPECT_NE(help({"layot"}).find("there is no command 'layot'"), std::string::npos);
  EXPECT_NE(help({"nwe"}).find("perhaps you meant new\n"), std::string::npos);  // two letters that changed places
  EXPECT_NE(help({"layot"}).find("perhaps you meant layout\n"), std::string::npos);
  EXPECT_NE(help({"fmt", "a.tcp", "--chek"}).find("tcp fmt has no option '--chek'"), std::string::npos);
  EXPECT_NE(help({"fmt", "a.tcp", "--chek"}).find("perhaps you meant --check\n"), std::string::npos);
  EXPECT_NE(help({"layout", "--axs=A=8", "A"}).find("tcp layout has no option '--axs'"), std::string::npos);
  EXPECT_NE(help({"--verson"}).find("tcp has no option '--verson'"), std::string::npos);
  EXPECT_NE(help({"--verson"}).find("perhaps you meant --version\n"), std::string::npos);
  EXPECT_EQ(help({"--nothing-of-the-kind"}).find("perhaps"), std::string::npos);
  EXPECT_NE(help({"diff", "a.json", "b.json", "c.json", "--json"}).find("does not take so many arguments: c.json"), std::string::npos);
}

TEST(Tool, refuses_what_cannot_be_with_exit_code_1) {
  struct Case {
    std::vector<std::string> arguments;
    const char* code;
  };
  std::string const deep = std::string(10000, '[') + "A" + std::string(10000, ']');
  std::string const long_list = [] {
    std::string s = "A";
    for (int i = 0; i < 5000; ++i) s += ", 2";
    return s;
  }();
  std::vector<Case> const cases = {
      {{"layout", "--axes", "A=8", "B"}, "mapping-text-unknown-axis"},
      {{"layout", "A"}, "mapping-text-unknown-axis"},
      {{"layout", "--axes", "A=8", "A / 3"}, "mapping-stride-not-divisor"},
      {{"layout", "--axes", "A=8", "A # 4"}, "mapping-pad-below-size"},
      {{"layout", "--axes", "A=8", "A #"}, "mapping-text-syntax"},
      {{"layout", "--axes", "A=8", " "}, "mapping-text-syntax"},
      {{"layout", "--axes", "A=8", "A \x01\xff"}, "mapping-text-syntax"},
      {{"layout", "--axes", "A=eight", "A"}, "mapping-text-syntax"},
      {{"layout", "--axes", "A=99999999999999999999", "A"}, "mapping-text-number"},
      {{"layout", "--axes", "A=0", "A"}, "mapping-axis-size"},
      {{"layout", "--axes", "A=8,A=9", "A"}, "axes-declared-twice"},
      {{"layout", "--axes", "A=9223372036854775807,B=2", "A, B"}, "mapping-size-overflow"},
      {{"layout", "--axes", "A=8", deep}, "mapping-text-too-deep"},
      {{"layout", "--axes", "A=8", long_list}, "mapping-size-overflow"},
      {{"layout", "--axes", "A=8", "A", "--from", "8"}, "draw-no-such-place"},
      {{"layout", "--axes", "W=922337203685477,F=3", "$(W:2, F)"}, "draw-window-too-long"},
      {{"layout", "--axes", "W=4000000000,F=4000000000", "--levels", "Slice: 1; Element: $(W, F)"}, "draw-window-too-long"},
      {{"layout", "--axes", "A=8", "--levels", "A / 2"}, "tool-level-missing"},
      {{"layout", "--axes", "A=8", "--levels", "Slices: A / 2"}, "tool-level-unknown"},
      {{"layout", "--axes", "A=8", "--levels", "Slice: A / 2; Slice: A % 2"}, "tool-level-twice"},
      {{"layout", "--axes", "A=8", "--levels", "Slice: A; Element: A"}, "levels-axis-twice"},
      {{"layout", "--axes", "A=8", "--levels", "Slice: A; Element: B"}, "mapping-text-unknown-axis"},
      {{"layout", "--axes", "A=8", "--levels", "Slice: A", "--chip", "rngd"}, "memory-slice-size"},
      {{"layout", "--axes", "A=8", "--levels", "Cluster: A", "--chip", "rngd"}, "memory-cluster-size"},
      {{"layout", "--axes", "A=8", "--levels", "Slice: A # 256; Element: 1000000", "--type", "f32"}, "memory-dm-too-large"},
      {{"layout", "--axes", "A=8", "--levels", "Slice: A # 256; Row: 3", "--type", "f32"}, "memory-trf-rows"},
      {{"layout", "--axes", "A=8", "--levels", "Element: A", "--type", "fp16"}, "scalar-unknown-type"},
      {{"layout", "--axes", "A=8", "--levels", "Element: A", "--chip", "rngds"}, "device-unknown"},
      {{"layout", "--axes", "A=8", "--levels", "Element: A", "--chip", "/no/such/chip.json"}, "device-file-unreadable"},
      {{"layout", "--axes", "A=8,B=4", "--move", "A % 4", "A"}, "sequence-insufficient-input"},
      {{"layout", "--axes", "A=15", "--move", "A % 5, A / 5", "Time: A % 3; Packet: A / 3"}, "sequence-incompatible-shapes"},
      {{"layout", "--axes", "A=8,B=4", "--move", "A", "Time: B; Packet: A", "--store"}, "sequence-write-broadcast"},
      {{"layout", "--axes", "A=8,B=4", "--move", "A", "Slice: B; Packet: A"}, "tool-stream-level"},
      {{"layout", "--axes", "A=70001", "--move", "A, 2", "Packet: A"}, "sequence-loop-too-long"},
      {{"layout", "--axes", "A=8", "A", "--svg", "/no/such/folder/a.svg"}, "tool-file-not-written"},
      {{"layout", "--axes", "A=8", "A", "--svg", "/"}, "tool-file-not-written"},
      {{"explain", "mapping-axis-twise"}, "tool-unknown-code"},
      {{"explain", "../README"}, "tool-unknown-code"},
      {{"explain", "README"}, "tool-unknown-code"},
      {{"explain", std::string(5000, 'x')}, "tool-unknown-code"},
  };
  for (Case const& c : cases) {
    Answer a = tcp_command(c.arguments);
    SCOPED_TRACE(c.code);
    if (std::string_view(c.code) == "tool-file-not-written") a.out.clear();  // the table stands there already
    expect_refused(a, refused, c.code);
    for (char letter : a.err) EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter <= '~')) << "not printable: " << a.err;
  }
}

TEST(Tool, survives_the_largest_sizes) {
  std::string const most = "9223372036854775807";
  for (std::vector<std::string> more : std::vector<std::vector<std::string>>{
           {"A"},
           {"A", "--all"},
           {"A", "--from", "9223372036854775806"},
           {"A", "--json"},
           {"A / 7 % 3 # 4000000000000000000"},
           {"--levels", "Slice: A; Element: B"},
           {"--levels", "Slice: A; Element: B", "--all"},
           {"--levels", "Slice: A; Row: A # " + most + " = 1 # 8; Element: B", "--type", "bf16", "--chip", "logical"},
           {"--levels", "Slice: A; Row: B; Element: 1000", "--type", "bf16", "--chip", "logical"},
           {"--move", "A", "A", "--chip", "logical"},
       }) {
    more.insert(more.begin(), {"layout", "--axes", "A=" + most + ",B=4611686018427387904"});
    Answer const a = tcp_command(more);
    EXPECT_TRUE(a.code == done || a.code == refused) << more[3] << a.err;
  }
}

TEST(Tool, uses_colours_only_where_they_are_wanted) {
  std::vector<std::string> const good = {"layout", "--axes", "A=8", "A # 10"}, bad = {"layout", "B"};
  EXPECT_EQ(tcp_command(good).out.find('\033'), std::string::npos);
  EXPECT_EQ(tcp_command(bad).err.find('\033'), std::string::npos);
  EXPECT_NE(tcp_command(good, true).out.find('\033'), std::string::npos);
  EXPECT_EQ(tcp_command(bad, true).err.substr(0, 7 + 6), "\033[1;31merror[");
}

TEST(Layout, takes_a_mapping_as_messages_print_it) {
  EXPECT_EQ(tcp_command({"layout", "--axes", "A=8", "m![A / 2 # 6]"}).out, tcp_command({"layout", "--axes", "A=8", "A / 2 # 6"}).out);
}

TEST(Layout, counts_columns_of_levels_from_the_beginning_of_the_text) {
  EXPECT_NE(tcp_command({"layout", "--axes", "A=8", "--levels", "Slice: A / 2; Element: A %"}).err.find("at column 27"), std::string::npos);
}

TEST(Layout, splices_levels_that_stand_before) {
  Answer const a = tcp_command({"layout", "--axes", "A=8,B=4", "--levels", "Time: A; Packet: { Time }, B"});
  expect_refused(a, refused, "levels-axis-twice");
}

TEST(Layout, says_how_much_of_a_memory_is_taken) {
  std::vector<std::string> const tensor = {"layout", "--axes", "I=512,K=64", "--levels", "Slice: I / 2; Element: I % 2, K",
                                           "--type", "bf16"};
  EXPECT_NE(tcp_command(tensor).out.find("rngd: 256 bytes of bf16 in the DM of a slice, 0.1 % of its 524288"), std::string::npos);
  auto in_vrf = tensor;
  in_vrf.insert(in_vrf.end(), {"--memory", "vrf"});
  EXPECT_NE(tcp_command(in_vrf).out.find("in the VRF of a slice, 3.2 % of its 8192"), std::string::npos);
}

TEST(Layout, shows_the_loops_of_a_move_and_the_term_each_comes_from) {
  Answer const a = tcp_command({"layout", "--axes", "A=4,B=6,C=8", "--move", "A, B, C", "Time: B, 3; Packet: A, C # 16", "--type", "i8"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_NE(a.out.find("entries  [6 : 8, 3 : 0, 4 : 48, 16 : 1] : 64\n"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("Time    B       6 : 8\nTime    3       3 : 0   copies\nPacket  A       4 : 48\nPacket  C # 16  16 : 1\n"),
            std::string::npos)
      << a.out;
}

TEST(Layout, reads_a_chip_file) {
  std::string const chip = std::string(TCP_SOURCE_DIR) + "/data/chips/rngd.json";
  EXPECT_EQ(tcp_command({"layout", "--axes", "A=256", "--levels", "Slice: A", "--chip", chip}).code, 0);
}

TEST_F(Scratch, a_picture_replaces_the_one_that_was_there) {
  std::string const svg = file("a.svg");
  std::ofstream(svg) << "what was there before";
  ::chmod(svg.c_str(), 0640);
  EXPECT_EQ(tcp_command({"layout", "--axes", "A=8", "A", "--svg", svg}).code, 0);
  EXPECT_EQ(content(svg).substr(0, 5), "<svg ");
  struct stat now{};
  ASSERT_EQ(::stat(svg.c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 07777, 0640U);
  EXPECT_EQ(files(), 1U);  // and nothing unfinished lies beside it
}

TEST_F(Scratch, a_picture_goes_through_a_link_to_the_file_itself) {
  std::filesystem::create_symlink(file("a.svg"), file("link.svg"));
  EXPECT_EQ(tcp_command({"layout", "1", "--svg", file("link.svg")}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(file("link.svg")));
  EXPECT_EQ(content(file("a.svg")).substr(0, 5), "<svg ");
}

TEST_F(Scratch, links_in_a_circle_are_refused) {
  std::filesystem::create_symlink(file("b.svg"), file("a.svg"));
  std::filesystem::create_symlink(file("a.svg"), file("b.svg"));
  EXPECT_EQ(tcp_command({"layout", "1", "--svg", file("a.svg")}).code, refused);
  EXPECT_TRUE(std::filesystem::is_symlink(file("a.svg")));
  EXPECT_EQ(files(), 2U);
}

TEST_F(Scratch, what_cannot_be_written_leaves_no_trace) {
  std::filesystem::create_directory(file("folder.svg"));
  Answer a = tcp_command({"layout", "1", "--svg", file("folder.svg")});
  EXPECT_EQ(a.code, refused);
  EXPECT_NE(a.err.find("folder.svg cannot be written: Is a directory"), std::string::npos) << a.err;
  EXPECT_EQ(files(), 1U);
  a = tcp_command({"layout", "1", "--svg", "/dev/full"});
  EXPECT_EQ(a.code, refused);
  EXPECT_NE(a.err.find("No space left on device"), std::string::npos) << a.err;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

/// code -> its area, as the headings of the pages have them.
std::map<std::string, std::string> codes_of_pages() {
  std::map<std::string, std::string> codes;
  for (auto const& entry : std::filesystem::directory_iterator(std::string(TCP_SOURCE_DIR) + "/docs/diagnostics")) {
    if (entry.path().stem() == "README") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("## ")) codes[line.substr(3)] = entry.path().stem().string();
  }
  return codes;
}

TEST(Explain, prints_the_part_of_every_code) {
  auto const codes = codes_of_pages();
  EXPECT_GT(codes.size(), 500U);
  for (auto const& [code, area] : codes) {
    Answer const a = tcp_command({"explain", code});
    EXPECT_EQ(a.code, 0) << code;
    EXPECT_EQ(a.out.substr(0, code.size() + 3), "# " + code + "\n");
    EXPECT_NE(a.out.find("error[" + code + "]: "), std::string::npos) << code;
    EXPECT_EQ(a.out.find("<!--"), std::string::npos);
    EXPECT_EQ(a.out.find("\n## "), std::string::npos) << code << ": and no other code";
  }
  Answer const list = tcp_command({"explain"});
  EXPECT_NE(list.out.find("\n" + std::to_string(codes.size() + tcp::trace::finding_rules().size()) + " codes;"), std::string::npos);
}

TEST(Explain, prints_the_page_of_every_finding) {
  std::string const list = tcp_command({"explain", "findings"}).out;
  for (std::string_view rule : tcp::trace::finding_rules()) {
    Answer const a = tcp_command({"explain", std::string(rule)});
    EXPECT_EQ(a.code, 0) << rule;
    EXPECT_TRUE(a.out.starts_with("# " + std::string(rule) + "\n")) << rule;
    for (const char* part : {"\nBefore, ", "\nThe report says:\n", "\nAfter, ", " fewer were promised, "})
      EXPECT_NE(a.out.find(part), std::string::npos) << rule << part;
    EXPECT_EQ(a.out.find("<!--"), std::string::npos);
    EXPECT_NE(list.find("\n  " + std::string(rule) + " "), std::string::npos) << rule;
  }
}

TEST(Explain, takes_a_code_as_it_is_copied_from_a_message) {
  std::string const plain = tcp_command({"explain", "cast-wrong-packet"}).out;
  for (const char* asked : {"error[cast-wrong-packet]", "error[cast-wrong-packet]: and what follows it", " cast-wrong-packet: "})
    EXPECT_EQ(tcp_command({"explain", asked}).out, plain) << asked;
}

TEST(Explain, shows_the_names_that_the_kernels_of_a_page_use) {
  std::string const text = tcp_command({"explain", "cast-wrong-packet"}).out;
  EXPECT_NE(text.find("\nBefore:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("using Cluster = m<one.pad(2)>;"), std::string::npos) << text;
}

TEST(Explain, lists_the_codes_of_an_area) {
  Answer const cast = tcp_command({"explain", "cast"});
  EXPECT_EQ(cast.code, 0);
  EXPECT_EQ(cast.out.substr(0, 5), "cast\n");
  EXPECT_NE(cast.out.find("\n  cast-no-such-cast "), std::string::npos) << cast.out;
  EXPECT_EQ(cast.out.find("fetch-"), std::string::npos);
  std::size_t expected = 0;
  for (auto const& [code, area] : codes_of_pages()) expected += area == "cast" ? 1 : 0;
  EXPECT_NE(cast.out.find("\n" + std::to_string(expected) + " codes;"), std::string::npos) << cast.out;
}

TEST(Explain, offers_the_nearest_codes) {
  EXPECT_NE(tcp_command({"explain", "scalar-unknown-typ"}).err.find("perhaps scalar-unknown-type"), std::string::npos);
  EXPECT_NE(tcp_command({"explain", "impossible"}).err.find("perhaps device-impossible"), std::string::npos);
  EXPECT_NE(tcp_command({"explain", "nothing like any of them"}).err.find("`tcp explain` lists all codes"), std::string::npos);
}

TEST(Explain, says_where_it_looked_when_there_are_no_pages) {
  std::ostringstream out, err;
  Terminal terminal{out, err, false, false, "/no/such/folder"};
  EXPECT_EQ(run({"explain"}, terminal), refused);
  EXPECT_NE(err.str().find("error[tool-pages-missing]: there are no diagnostics pages in /no/such/folder/diagnostics"), std::string::npos);
}

}  // namespace

namespace {

using namespace tcp::tool;

nlohmann::json answer_of(std::vector<std::string> arguments, int code) {
  std::ostringstream out, err;
  Terminal terminal{out, err, false, false, ""};
  arguments.insert(arguments.begin(), "layout");
  arguments.push_back("--json");
  EXPECT_EQ(run(arguments, terminal), code) << err.str();
  return nlohmann::json::parse(out.str());
}

TEST(Json, of_a_mapping_has_its_normal_form_and_its_runs) {
  auto const j = answer_of({"--axes", "A=3,B=5,C=7", "[A, B @ 1 = 3] #z 10, C"}, done);
  EXPECT_EQ(j["mapping"], "[A, B @ 1 = 3] #z 10, C");
  EXPECT_EQ(j["size"], 70);
  EXPECT_EQ(j["starts"]["B"], 1);
  EXPECT_EQ(j["digits"].size(), 3U);
  EXPECT_EQ(j["tails"][0]["slot"], 10);
  EXPECT_EQ(j["census"]["elements"], 63);
  EXPECT_EQ(j["census"]["zero"], 7);
  EXPECT_EQ(j["runs_are"], "all");
  std::int64_t covered = 0;
  for (auto const& r : j["runs"]) {
    EXPECT_EQ(r["from"], covered);
    covered += r["count"].get<std::int64_t>();
  }
  EXPECT_EQ(covered, 70);
  EXPECT_EQ(j["runs"][1]["index"]["B"], 2);
  EXPECT_EQ(j["runs"][1]["moving"], "C");
  EXPECT_EQ(j["runs"].back()["padding"], "zero");
}

TEST(Json, of_a_window_lists_all_elements) {
  auto const j = answer_of({"--axes", "W=4,Fw=3", "$(W:2, Fw)"}, done);
  EXPECT_EQ(j["runs"][2]["elements"].size(), 2U);
  EXPECT_TRUE(j["census"].is_null());
}

TEST(Json, of_a_part_says_where_it_goes_on) {
  auto const j = answer_of({"--axes", "A=300000,B=2", "B, A, 2", "--all"}, done);
  EXPECT_EQ(j["runs_are"], "the first");
  EXPECT_EQ(j["next"].get<std::size_t>(), 2 * j["runs"].size());
  EXPECT_EQ(answer_of({"--axes", "A=300000,B=2", "B, A, 2"}, done)["runs_are"], "some");
}

TEST(Json, of_levels_has_places_and_the_check) {
  auto const j = answer_of({"--axes", "I=512,K=64", "--levels", "Slice: I / 2; Element: I % 2, K", "--type", "bf16"}, done);
  EXPECT_EQ(j["levels"]["Slice"]["size"], 256);
  EXPECT_EQ(j["memory"]["bytes"], 256);
  EXPECT_EQ(j["runs"].back()["place"]["Slice"], 255);
}

TEST(Json, of_a_refusal_has_its_parts) {
  auto const j = answer_of({"--axes", "A=8", "A / 3"}, refused);
  EXPECT_EQ(j["refused"]["code"], "mapping-stride-not-divisor");
  for (const char* part : {"what", "why", "help"}) EXPECT_TRUE(j["refused"][part].is_string()) << part;
}

/// The terms of a stream and the loops it became, for buffers and streams that are cut at random.
TEST(Json, of_a_move_gives_every_loop_to_the_term_it_comes_from) {
  tcp::Random random(7);
  auto one_of = [&](std::vector<std::string> const& words) { return words[random.below(words.size())]; };
  std::vector<std::string> const a = {"A", "A / 4, A % 4", "A % 4, A / 4", "A % 8, A / 8", "A # 40", "A / 2 % 4, A / 8, A % 2"};
  std::vector<std::string> const b = {"B", "B % 3, B / 3", "B # 16", "[B % 3, B / 3]"};
  std::vector<std::string> const more = {"", ", 3", ", X", ", [X, 2] # 11"};
  int moves = 0;
  for (int i = 0; i < 400; ++i) {
    std::string const to = "Time: " + one_of(a) + one_of(more) + "; Packet: " + one_of(b);
    std::ostringstream out, err;
    Terminal terminal{out, err, false, false, ""};
    if (run({"layout", "--axes", "A=32,B=12,X=5", "--move", one_of(a) + ", " + one_of(b), to, "--chip", "logical", "--json"}, terminal) !=
        done)
      continue;
    ++moves;
    auto const j = nlohmann::json::parse(out.str());
    std::size_t next = 0;
    for (auto const& term : j["terms"]) {
      ASSERT_EQ(term["first_entry"], next) << out.str();
      std::int64_t rounds = 1;
      for (int k = 0; k < term["entries"]; ++k) rounds *= j["entries"][next++]["size"].get<std::int64_t>();
      ASSERT_EQ(rounds, term["positions"]) << out.str();
    }
    ASSERT_EQ(next, j["entries"].size()) << out.str();
  }
  EXPECT_GT(moves, 100);
}

}  // namespace
