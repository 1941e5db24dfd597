// `tcp doctor` and `tcp new`.
#include <fcntl.h>
#include <sys/stat.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "answer.hpp"

namespace {

using namespace tcp::tool;
using Json = nlohmann::json;

class Doctor : public Scratch {
 protected:
  Doctor() : path_(std::getenv("PATH")) {
    unsetenv("CXX");
    setenv("PATH", file("bin").c_str(), 1);
    std::filesystem::create_directories(file("bin"));
    for (const char* part :
         {"share/tcp/chips/rngd.json", "share/tcp/diagnostics/README.md", "share/tcp/project/main.cpp", "share/tcp/viewer/page.html"})
      touch(part);
    for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu"}) touch(std::string(folder) + "/cmake/TcpVisa/TcpVisaConfig.cmake");
    // A machine on which nothing is missing.
    program("c++", "echo 'c++ (Debian 12.2.0-14) 12.2.0'");
    program("cmake", "echo 'cmake version 3.25.1'");
    program("make", "echo 'GNU Make 4.3'");
    program("clangd-19", "echo 'Debian clangd version 19.1.7'");
    program("clang-format-19", "echo 'clang-format version 19.1.7'");
    program("firefox", "echo 'Mozilla Firefox 128.3.0esr'");
  }
  ~Doctor() override { setenv("PATH", path_.c_str(), 1); }

  void touch(const std::string& name) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    write(name, "");
  }
  void program(const std::string& name, const std::string& script) const {
    ::chmod(write("bin/" + name, "#!/bin/sh\n" + script + "\n").c_str(), 0755);
  }
  Answer asked(std::vector<std::string> more = {}, int descriptor = -1) const {
    more.insert(more.begin(), "doctor");
    std::ostringstream out, err;
    Terminal terminal{out, err, false, false, file("share/tcp"), descriptor};
    int const code = run(more, terminal);
    return {code, out.str(), err.str()};
  }
  /// name -> state
  static std::map<std::string, std::string> states(const Answer& a) {
    std::map<std::string, std::string> all;
    Json const answer = Json::parse(a.out);
    for (const Json& check : answer["checks"]) all[check["name"]] = check["state"];
    return all;
  }

 private:
  std::string path_;
};

TEST_F(Doctor, finds_nothing_wrong_where_all_is_there) {
  Answer const a = asked({"--json"});
  EXPECT_EQ(a.code, done) << a.out << a.err;
  EXPECT_EQ(a.err, "");
  EXPECT_TRUE(Json::parse(a.out)["healthy"]);
  for (auto const& [name, state] : states(a)) {
    if (name == "processor" || name == "memory") continue;  // of the machine that runs this
    EXPECT_EQ(state, "ok") << name << a.out;
  }
  EXPECT_NE(asked().out.find("  ok       compiler        c++, g++ 12.2.0\n"), std::string::npos) << asked().out;
}

TEST_F(Doctor, says_what_to_install_for_what_is_missing) {
  std::filesystem::remove(file("bin/cmake"));
  Answer const a = asked();
  EXPECT_EQ(a.code, refused);
  EXPECT_EQ(a.err.substr(0, a.err.find('\n')), "error[tool-machine-lacks]: kernels cannot be built here: cmake missing");
  EXPECT_NE(a.err.find("help: install cmake"), std::string::npos) << a.err;
  EXPECT_NE(a.out.find("  missing  cmake           not found\n"), std::string::npos) << a.out;
  Answer const json = asked({"--json"});
  EXPECT_FALSE(Json::parse(json.out)["healthy"]) << "one JSON value, though it is refused";
  EXPECT_EQ(states(json)["cmake"], "missing");
}

TEST_F(Doctor, does_without_what_is_only_convenient) {
  for (const char* name : {"make", "clangd-19", "clang-format-19", "firefox"}) std::filesystem::remove(file("bin/") + name);
  Answer const a = asked({"--json"});
  EXPECT_EQ(a.code, done) << a.err;
  for (const char* name : {"make", "clangd", "clang-format", "browser"}) EXPECT_EQ(states(a)[name], "absent") << name;
  EXPECT_NE(asked().out.find("for errors and completion in the editor, install clangd-19"), std::string::npos);
}

TEST_F(Doctor, wants_programs_that_are_young_enough) {
  program("cmake", "echo 'cmake version 3.24.9'");
  program("clangd-19", "exit 1");
  program("clangd", "echo 'clangd version 14.0.6'");
  program("c++", "echo 'g++ 11.4.0'");
  Answer const a = asked({"--json"});
  EXPECT_EQ(a.code, refused);
  EXPECT_EQ(states(a)["cmake"], "missing");
  EXPECT_EQ(states(a)["compiler"], "missing");
  EXPECT_EQ(states(a)["clangd"], "absent");
  EXPECT_NE(a.out.find("clangd 14.0.6, and 19.0 is needed"), std::string::npos) << a.out;
  program("cmake", "echo 'cmake version 4.0'");
  EXPECT_EQ(states(asked({"--json"}))["cmake"], "ok");
}

TEST_F(Doctor, asks_the_compiler_that_was_chosen) {
  program("clang++-15", "echo 'Debian clang version 15.0.6'");
  program("clang++-19", "echo 'Debian clang version 19.1.7'");
  setenv("CXX", "clang++-15", 1);
  EXPECT_EQ(states(asked({"--json"}))["compiler"], "missing");
  setenv("CXX", "clang++-19", 1);
  EXPECT_EQ(states(asked({"--json"}))["compiler"], "ok");
  setenv("CXX", "no-such-compiler", 1);
  EXPECT_NE(asked().out.find("no-such-compiler does not run"), std::string::npos);
  unsetenv("CXX");
}

TEST_F(Doctor, looks_for_headers_with_that_compiler) {
  program("c++", "case \"$*\" in *-E*) exit 1;; esac; echo 'c++ 12.2.0'");
  Answer const a = asked({"--json"});
  EXPECT_EQ(states(a)["Highway"], "missing");
  EXPECT_EQ(states(a)["TBB"], "missing");
  EXPECT_NE(a.err.find("libhwy-dev; libtbb-dev"), std::string::npos) << a.err;
}

TEST_F(Doctor, looks_for_the_package_and_the_files_beside_the_program) {
  std::filesystem::remove(file("share/tcp/viewer/page.html"));
  for (const char* folder : {"lib", "lib64"}) std::filesystem::remove_all(file(folder));
  auto const found = states(asked({"--json"}));
  EXPECT_EQ(found.at("files of tcp"), "missing");
  EXPECT_EQ(found.at("headers of tcp"), "missing");
}

/// Every command says how long it took; this one can be made slow.
TEST_F(Doctor, says_how_long_it_took_to_those_who_wait_at_a_terminal) {
  int const terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(terminal >= 0 && isatty(terminal));
  EXPECT_EQ(asked({}, terminal).err, "") << "not worth a line";
  program("make", "/bin/sleep 2; echo 'GNU Make 4.3'");
  std::string const said = asked({}, terminal).err;
  double seconds = 0;
  ASSERT_EQ(std::sscanf(said.c_str(), "took %lf s\n", &seconds), 1) << said;
  EXPECT_TRUE(seconds >= 2 && seconds < 60) << said;
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  EXPECT_EQ(asked({}, pipe_ends[1]).err, "") << "a pipe is no terminal";
  for (int descriptor : {terminal, pipe_ends[0], pipe_ends[1]}) close(descriptor);
}

// `tcp new`: what it writes. That the project builds and runs is shown by tests/package, with the installed program.

using namespace tcp::tool;

class NewProject : public Scratch {
 protected:
  /// With the files of the tree, as in a build directory: nothing is installed beside them.
  static Answer made(const std::string& folder, const std::filesystem::path& share = TCP_SOURCE_DIR "/data") {
    std::ostringstream out, err;
    Terminal terminal{out, err, false, false, share};
    int const code = run({"new", folder}, terminal);
    return {code, out.str(), err.str()};
  }
};

TEST_F(NewProject, has_all_its_files_under_its_name) {
  Answer const a = made(file("deep/hello-1") + "/");
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_NE(a.out.find("make run TCP=PREFIX"), std::string::npos) << a.out;
  std::string const folder = file("deep/hello-1/");
  for (const char* name : {"CMakeLists.txt", "Makefile", "README.md", "main.cpp", ".gitignore", ".clangd", ".clang-format"}) {
    std::string const text = content(folder + name);
    EXPECT_FALSE(text.empty()) << name;
    for (const char* left : {"@NAME@", "@VERSION@", "@PREFIX@"}) EXPECT_EQ(text.find(left), std::string::npos) << name;
  }
  EXPECT_NE(content(folder + "CMakeLists.txt").find("project(hello-1 "), std::string::npos);
  EXPECT_EQ(content(folder + "README.md").substr(0, 10), "# hello-1\n");
  EXPECT_NE(content(folder + "Makefile").find("\nTCP ?=\n"), std::string::npos);
  EXPECT_NE(content(folder + ".clangd").find("Add: [-std=c++26]\n"), std::string::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 7);
}

TEST_F(NewProject, finds_the_installation_that_it_came_with) {
  std::filesystem::create_directories(file("prefix/share/tcp"));
  std::filesystem::copy(TCP_SOURCE_DIR "/data/project", file("prefix/share/tcp/project"));
  for (const char* library_folder : {"lib", "lib64", "lib/x86_64-linux-gnu"}) {
    std::filesystem::create_directories(file("prefix/") + library_folder + "/cmake/TcpVisa");
    write(std::string("prefix/") + library_folder + "/cmake/TcpVisa/TcpVisaConfig.cmake", "");
  }
  Answer const a = made(file("hello"), file("prefix/share/tcp"));
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_NE(content(file("hello/Makefile")).find("\nTCP ?= " + file("prefix") + "\n"), std::string::npos);
  EXPECT_NE(content(file("hello/.clangd")).find("Add: [-std=c++26, -I" + file("prefix") + "/include]\n"), std::string::npos);
  EXPECT_EQ(a.out.substr(a.out.size() - 12), "&& make run\n");
}

TEST_F(NewProject, overwrites_nothing) {
  write("hello", "mine");
  expect_refused(made(file("hello")), refused, "tool-project-exists");
  EXPECT_EQ(content(file("hello")), "mine");
  std::filesystem::create_symlink("nowhere", file("link"));
  expect_refused(made(file("link")), refused, "tool-project-exists");
  expect_refused(made("."), refused, "tool-project-name");
  EXPECT_EQ(files(), 2u);
}

TEST_F(NewProject, refuses_names_that_are_none) {
  for (const std::string name : {"9lives", "a b", "a;b", "-x", "a$(b)", "caf\xc3\xa9", "@NAME@"})
    expect_refused(made(file("") + name), refused, "tool-project-name");
  expect_refused(made(file(std::string(61, 'a'))), refused, "tool-project-name");
  EXPECT_EQ(files(), 0u);
}

TEST_F(NewProject, says_when_its_files_are_missing_or_the_folder_cannot_be_made) {
  expect_refused(made(file("hello"), "/no/such/share"), refused, "io-file-unreadable");
  write("file", "");
  expect_refused(made(file("file/hello")), refused, "tool-file-not-written");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
