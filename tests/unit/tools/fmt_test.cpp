// `tcp fmt`: the form is that of ir::print, whose own tests hold it to its laws; here is what happens to comments and files.
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

}  // namespace
