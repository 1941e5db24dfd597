// What the command line says of itself: in the help, in the manual page, in docs/commands.md; and that options mean the same everywhere.
#include <map>
#include <nlohmann/json.hpp>

#include "answer.hpp"
#include "describe.hpp"
#include "tcp/lower/lower.hpp"

namespace {

using namespace tcp::tool;

std::vector<std::string> commands() {
  std::vector<std::string> names;
  std::istringstream help(tcp_command({"--help"}).out.substr(tcp_command({"--help"}).out.find("Subcommands:")));
  std::string line;
  std::getline(help, line);
  while (std::getline(help, line) && line.starts_with("  ")) names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

/// The options of a command, from its help: "--chip" -> "CHIP".
std::map<std::string, std::string> options_of(const std::string& command) {
  std::map<std::string, std::string> all;
  std::istringstream help(tcp_command({command, "--help"}).out);
  std::string line;
  while (std::getline(help, line)) {
    if (!line.starts_with("  -")) continue;
    std::istringstream words(line);
    std::string names, value;
    words >> names >> value;
    bool const has_value = line.size() > 2 + names.size() + 1 && line[2 + names.size() + 1] != ' ';
    std::istringstream each(names);
    for (std::string name; std::getline(each, name, ',');) all[name] = has_value ? value : "";
  }
  return all;
}

TEST(Manual, page_of_the_docs_is_what_the_program_says) {
  std::ifstream page(TCP_SOURCE_DIR "/docs/commands.md");
  std::ostringstream text;
  text << page.rdbuf();
  EXPECT_EQ(tcp_command({"manual", "--format", "markdown"}).out, text.str())
      << "tcp manual --format markdown > docs/commands.md writes it again";
}

TEST(Manual, has_every_command_and_every_option) {
  std::string const man = tcp_command({"manual"}).out, markdown = tcp_command({"manual", "--format", "markdown"}).out;
  auto const names = commands();
  ASSERT_GE(names.size(), 13u);
  for (std::string const& name : names) {
    EXPECT_NE(man.find(".SS tcp " + name), std::string::npos) << name;
    EXPECT_NE(markdown.find("## tcp " + name + "\n"), std::string::npos) << name;
    for (auto const& [option, value] : options_of(name)) EXPECT_NE(markdown.find(option), std::string::npos) << name << " " << option;
  }
}

TEST(Manual, every_command_has_examples_and_exit_codes) {
  for (std::string const& name : commands()) {
    std::string const help = tcp_command({name, "--help"}).out;
    EXPECT_NE(help.find("\nExamples:\n  "), std::string::npos) << name;
    EXPECT_NE(help.find("\nExit codes: 0 "), std::string::npos) << name;
    EXPECT_NE(help.find("tcp " + name, help.find("\nExamples:\n")), std::string::npos) << name;
  }
}

TEST(Options, mean_the_same_in_every_command) {
  std::map<std::string, std::string> values;  // of all commands that came before
  for (std::string const& name : commands())
    for (auto const& [option, value] : options_of(name)) {
      if (name == "llama" && option == "--model") continue;  // the model that runs; elsewhere it is the model that tells the time
      EXPECT_EQ(values.emplace(option, value).first->second, value) << "tcp " << name << " " << option;
      bool const of_fmt =
          option == "--check" || option == "--write";  // flags have no value to compare, and these two are what formatters have
      EXPECT_TRUE(!of_fmt || name == "fmt") << "tcp " << name << " " << option;
    }
  for (const char* strange : {"--device", "--out-file", "--format-json", "--quiet-mode"}) EXPECT_EQ(values.count(strange), 0u) << strange;
  // A short name never stands alone, and the long one is always the same.
  for (std::string const& name : commands()) {
    auto const own = options_of(name);
    EXPECT_EQ(own.count("-o"), own.count("--output")) << name;
  }
}

TEST(Options, colours_can_be_had_and_refused) {
  std::vector<std::string> plain = {"layout", "--axes", "A=8", "A # 10"};
  auto with = [&](const char* how) {
    auto all = plain;
    all.insert(all.end(), {"--colour", how});
    return all;
  };
  EXPECT_NE(tcp_command(with("always")).out.find('\033'), std::string::npos);
  EXPECT_EQ(tcp_command(with("never"), true).out.find('\033'), std::string::npos);
  EXPECT_EQ(tcp_command(with("auto"), true).out, tcp_command(plain, true).out);
  EXPECT_EQ(tcp_command(with("sometimes")).code, misused);
}

TEST(Options, a_refusal_is_json_where_json_is_asked_for) {
  for (std::vector<std::string> const& arguments : std::vector<std::vector<std::string>>{{"layout", "--axes", "A=8", "A / 3", "--json"},
                                                                                         {"report", "/no/such/trace", "--json"},
                                                                                         {"diff", "/no/such/a", "/no/such/b", "--json"},
                                                                                         {"lens", "/no/such/trace", "--json"},
                                                                                         {"explain", "no-such-code", "--json"}}) {
    Answer const a = tcp_command(arguments);
    EXPECT_EQ(a.code, refused);
    auto const answer = nlohmann::json::parse(a.out)["refused"];
    EXPECT_EQ("error[" + answer["code"].get<std::string>() + "]: " + answer["what"].get<std::string>(), a.err.substr(0, a.err.find('\n')));
    for (const char* part : {"why", "help"}) EXPECT_FALSE(answer[part].get<std::string>().empty()) << arguments[0];
  }
}

TEST(Explain, lists_codes_for_programs) {
  auto const all = nlohmann::json::parse(tcp_command({"explain", "--json"}).out)["codes"];
  EXPECT_GT(all.size(), 20u);
  auto const one = nlohmann::json::parse(tcp_command({"explain", "mapping-axis-twice", "--json"}).out)["codes"];
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0]["code"], "mapping-axis-twice");
  EXPECT_TRUE(std::filesystem::exists(one[0]["page"].get<std::string>()));
}

TEST(Describe, knows_what_can_be_typed_for_a_value) {
  EXPECT_EQ(choice_for("on|off").words, (std::vector<std::string>{"on", "off"}));
  EXPECT_TRUE(choice_for("FILE").files);
  EXPECT_EQ(choice_for("PASS").words.size(), std::size(tcp::lower::pass_names));
  EXPECT_TRUE(choice_for("CHIP").files && choice_for("CHIP").words.size() == 3);
  EXPECT_TRUE(choice_for("AXES").words.empty() && !choice_for("AXES").files);
}

/// A choice that the help offers is a choice that is taken: words between bars come from one place and checks from another.
TEST(Describe, offers_only_words_that_are_taken) {
  int tried = 0;
  for (std::string const& name : commands())
    for (auto const& [option, value] : options_of(name)) {
      if (value.find('|') == value.npos) continue;
      EXPECT_EQ(tcp_command({name, option, "no-such-word"}).code, misused) << name << option;
      for (std::string const& word : choice_for(value).words) {
        ++tried;
        std::string const said = tcp_command({name, option, word}).err;
        EXPECT_EQ(said.find("is none of"), std::string::npos) << name << " " << option << " " << word << said;
      }
    }
  EXPECT_GT(tried, 15);
}

}  // namespace
