// `tcp new`: what it writes. That the project builds and runs is shown by tests/package, with the installed program.
#include "answer.hpp"

namespace {

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
