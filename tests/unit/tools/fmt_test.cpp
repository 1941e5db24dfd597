// `tcp fmt` and `tcp lens`.
#include <map>
#include <nlohmann/json.hpp>

#include "answer.hpp"

namespace {

using namespace tcp::tool;

class Fmt : public Scratch {
 protected:
  std::string formatted(const std::string& text) const {
    Answer const a = tcp_command({"fmt", write("a.tcp", text)});
    EXPECT_EQ(a.code, 0) << a.err;
    return a.out;
  }
};

const std::string canonical = R"(// What it is for.
// More of it.
module copy  // its name
axes A = 256  // one size

// The tensors.
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A] Element[1] at 0  // here // really
result hbm out: i32 Element[A] at 65536

// In,
move in -> x
// through,
main.begin(x)  // a pass
  .fetch i32 Time[1] Packet[1 # 8]  // begins
  // then
  .collect
  .commit(x)
// and out.
move x -> out
// The end.
)";

TEST_F(Fmt, leaves_a_formatted_text_as_it_is) { EXPECT_EQ(formatted(canonical), canonical); }

TEST_F(Fmt, moves_comments_with_what_they_stand_at) {
  EXPECT_EQ(formatted("\n\n  // top\nmodule copy axes A=256 // sizes\n"
                      "argument hbm in : i32 Element [ A ] at 0 // first\n"
                      "      // about x\n\n"
                      "dm x: i32 Cluster[1#2] Slice[A] at 0\n"
                      "move in -> x // the move\n"
                      "// the result comes late\n"
                      "result hbm out: i32 Element[A] at 0x10000  //late\n"
                      "move\n// inside\n x->out // last\n//end"),
            "// top\nmodule copy  // sizes\naxes A = 256\n\n"
            "argument hbm in: i32 Element[A] at 0  // first\n"
            "// about x\n"
            "dm x: i32 Cluster[1 # 2] Slice[A] Element[1] at 0\n"
            "// the result comes late\n"
            "result hbm out: i32 Element[A] at 65536  //late\n\n"
            "move in -> x  // the move\n"
            "move x -> out\n"
            "// inside\n// last\n//end\n");
}

TEST_F(Fmt, takes_no_slashes_in_quoted_names_for_a_comment) {
  std::string const text = "module \"a // b\"  // c\n\n";
  EXPECT_EQ(formatted(text).substr(0, text.size() - 1), text.substr(0, text.size() - 1));
}

TEST_F(Fmt, gives_every_comment_back_and_changes_nothing_the_second_time) {
  int tried = 0;
  for (std::size_t cut = 0; cut < canonical.size(); ++cut) {
    // A comment put at every blank or line end of the text.
    if (canonical[cut] != '\n' &&
        (canonical[cut] != ' ' || canonical.substr(0, cut).rfind('[') + 1 > canonical.substr(0, cut).rfind(']') + 1))
      continue;
    std::string const text = canonical.substr(0, cut) + " // mark\n" + canonical.substr(cut + 1);
    Answer const once = tcp_command({"fmt", write("a.tcp", text)});
    if (once.code != 0) continue;  // the rest of a comment became a line of its own
    ++tried;
    EXPECT_NE(once.out.find("// mark"), std::string::npos) << text;
    EXPECT_EQ(formatted(once.out), once.out) << text;
  }
  EXPECT_GT(tried, 60);
}

TEST_F(Fmt, checks_and_writes) {
  std::string const file = write("a.tcp", canonical);
  EXPECT_EQ(tcp_command({"fmt", file, "--check"}).code, 0);
  write("a.tcp", "\n" + canonical);
  Answer const check = tcp_command({"fmt", file, "--check"});
  EXPECT_EQ(check.code, refused);
  EXPECT_EQ(check.err.substr(0, check.err.find("]: ")), file + ":1: error[tool-not-formatted");
  EXPECT_EQ(content(file), "\n" + canonical);
  Answer const written = tcp_command({"fmt", file, "--write"});
  EXPECT_EQ(written.code, 0);
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(content(file), canonical);
  EXPECT_EQ(tcp_command({"fmt", file, "--check"}).code, 0);
}

TEST_F(Fmt, leaves_a_text_alone_that_it_cannot_read) {
  std::string const file = write("a.tcp", "modul x\n");
  EXPECT_EQ(tcp_command({"fmt", file, "--write"}).code, refused);
  EXPECT_EQ(content(file), "modul x\n");
}

// `tcp lens`: cycles by line add up to what the trace says, and files are found however they are named.

using namespace tcp::tool;
using Json = nlohmann::json;

class Lens : public Scratch {
 protected:
  /// The trace of the kernel that adds one.
  std::string traced() {
    std::string const source = write("add_one.tcp", add_one), trace = file("add_one.json");
    Answer const a = tcp_command({"run", source, "--random", "1", "--backend", "device", "--trace", trace});
    EXPECT_EQ(a.code, 0) << a.err;
    return trace;
  }
};

TEST_F(Lens, has_every_cycle_of_the_trace_at_the_line_of_its_command) {
  std::string const trace = traced();
  Answer const a = tcp_command({"lens", trace, "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  Json const lens = Json::parse(a.out), whole = Json::parse(content(trace));

  // By hand: each command's length goes to its source's line.
  std::map<std::int64_t, std::int64_t> busy, critical, commands;
  for (const Json& c : whole["commands"]) {
    std::int64_t const line = whole["sources"][c["source"].get<std::size_t>()]["line"];
    std::int64_t const length = c["end"].get<std::int64_t>() - c["start"].get<std::int64_t>();
    busy[line] += length;
    commands[line] += 1;
    if (c.value("critical", false)) critical[line] += length;
  }
  ASSERT_EQ(lens["files"].size(), 1u);
  EXPECT_EQ(lens["makespan"], whole["makespan"]);
  std::int64_t last = 0;
  for (const Json& line : lens["files"][0]["lines"]) {
    std::int64_t const number = line["line"];
    EXPECT_GT(number, last) << "lines come in their order";
    last = number;
    EXPECT_EQ(line["busy"], busy[number]);
    EXPECT_EQ(line["cycles"], critical[number]);
    EXPECT_EQ(line["commands"], commands[number]);
    EXPECT_NEAR(line["share"].get<double>(), static_cast<double>(critical[number]) / whole["makespan"].get<double>(), 1e-9);
    EXPECT_LE(line["bottleneck"]["cycles"].get<std::int64_t>(), busy[number]);
    EXPECT_FALSE(line["bottleneck"]["name"].get<std::string>().empty());
  }
  EXPECT_EQ(lens["files"][0]["lines"].size(), busy.size());
  EXPECT_EQ(busy.size(), 3u);  // two moves and a pass
}

TEST_F(Lens, names_the_cause_that_took_most) {
  std::string const trace = traced();
  Json const lens = Json::parse(tcp_command({"lens", trace, "--json"}).out), whole = Json::parse(content(trace));
  for (const Json& line : lens["files"][0]["lines"]) {
    std::map<std::string, std::int64_t> causes;
    for (const Json& c : whole["commands"]) {
      if (whole["sources"][c["source"].get<std::size_t>()]["line"] != line["line"]) continue;
      causes["start-up"] += c.value("startup", 0);
      causes[c["slowest"]] += c.value("streaming", 0);
      for (const Json& stall : c.value("stalls", Json::array()))
        causes["stall: " + stall["name"].get<std::string>()] += stall["cycles"].get<int>();
    }
    for (auto const& [cause, cycles] : causes) EXPECT_LE(cycles, line["bottleneck"]["cycles"].get<std::int64_t>()) << cause;
    EXPECT_EQ(causes[line["bottleneck"]["name"]], line["bottleneck"]["cycles"]);
  }
}

TEST_F(Lens, finds_a_file_by_each_of_its_names) {
  std::string const trace = traced();
  std::string const all = tcp_command({"lens", trace}).out;
  EXPECT_NE(all.find("add_one.tcp:9: "), std::string::npos) << all;
  EXPECT_NE(all.find(" cycles, "), std::string::npos) << all;
  for (const std::string& name :
       {file("add_one.tcp"), std::string("add_one.tcp"), std::string("./add_one.tcp"), file("./here/../add_one.tcp")})
    EXPECT_EQ(tcp_command({"lens", trace, "--file", name}).out, all) << name;
}

TEST_F(Lens, refuses_a_file_that_no_command_comes_from) {
  std::string const trace = traced();
  for (const char* name : {"one.tcp", "other/add_one.tcp", "add_one.tcp/x", "/"}) {
    expect_refused(tcp_command({"lens", trace, "--file", name}), refused, "tool-lens-no-line");
    Answer const json = tcp_command({"lens", trace, "--file", name, "--json"});
    EXPECT_EQ(json.code, refused);
    EXPECT_EQ(Json::parse(json.out)["refused"]["code"], "tool-lens-no-line");
  }
  EXPECT_EQ(tcp_command({"lens", write("not.json", "{}")}).code, refused);
  expect_refused(tcp_command({"lens"}), misused, "tool-usage");
}

}  // namespace
