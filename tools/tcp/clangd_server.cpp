// Two directions: the editor's messages go to clangd as they are, and are remembered where the answer will be changed;
// clangd's messages go to the editor, changed. A thread each; what they share is locked.
#include "clangd_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "cpp_hover.hpp"
#include "editor.hpp"
#include "fixes.hpp"
#include "line_costs.hpp"
#include "read_text.hpp"
#include "trace_file.hpp"

namespace tcp::tool {
namespace {

using Message = nlohmann::json;
namespace fs = std::filesystem;

/// A program with pipes at its standard input and output.
class ChildProgram {
 public:
  explicit ChildProgram(const std::string& program) {
    int in[2], out[2], failed[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) {
      error_ = errno;
      return;
    }
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      execlp(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
      int const why = errno;
      [[maybe_unused]] ssize_t const told = write(failed[1], &why, sizeof why);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    close(failed[1]);
    to_ = in[1];
    from_ = out[0];
    if (pid_ < 0) error_ = errno;
    else if (int why = 0; read(failed[0], &why, sizeof why) == sizeof why) error_ = why;
    close(failed[0]);
  }
  ~ChildProgram() {
    close_input();
    if (from_ >= 0) close(from_);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  int error() const { return error_; }  // why it could not be started; 0: it runs
  int to() const { return to_; }
  int from() const { return from_; }
  void close_input() {
    if (to_ >= 0) close(std::exchange(to_, -1));
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1, error_ = 0;
};

/// The cycles of lines, from the `build/trace.json` of the project around a source.
class TracedLines {
 public:
  explicit TracedLines(Terminal& terminal) : terminal_(terminal) {}

  /// ", in a pass of 517 cycles by build/trace.json"; empty if there is none, or not of this line.
  std::string words(const std::string& file, std::int64_t line) {
    fs::path folder = fs::path(file).parent_path();
    for (int up = 0; up < 4 && !folder.empty(); ++up, folder = folder.parent_path()) {
      fs::path const trace = folder / "build" / "trace.json";
      std::error_code failed;
      auto const written = fs::last_write_time(trace, failed);
      if (failed) continue;
      if (trace != read_ || written != written_) read(trace, written);
      return words_of_line(fs::path(file).filename().string(), line);
    }
    return "";
  }

 private:
  struct OfLine {
    std::int64_t commands = 0;
    Cycles cycles{};
  };

  void read(const fs::path& path, fs::file_time_type written) {
    lines_.clear();
    read_ = path;
    written_ = written;
    std::ostringstream unread;
    Terminal silent{unread, unread, false, false, terminal_.share};
    auto const trace = read_trace(path.string(), silent);
    if (!trace) return;
    for (const trace::Command& c : trace->commands) {
      std::set<std::int32_t> sources{c.source};
      if (c.configuration != trace::none)
        for (const trace::Setting& s : trace->configurations[static_cast<std::size_t>(c.configuration)].stages) sources.insert(s.source);
      std::set<std::pair<std::string, std::int64_t>> places;
      for (std::int32_t s : sources)
        if (s != trace::none) {
          const trace::Source& at = trace->sources[static_cast<std::size_t>(s)];
          places.insert({fs::path(at.file).filename().string(), at.line});
        }
      for (auto const& place : places) {
        ++lines_[place].commands;
        lines_[place].cycles += c.length();
      }
    }
  }
  std::string words_of_line(const std::string& file, std::int64_t line) const {
    auto const at = lines_.find({file, line});
    if (at == lines_.end()) return "";
    std::string const cycles = with_commas(at->second.cycles.value) + " cycles";
    return at->second.commands == 1 ? "; its command took " + cycles + " in build/trace.json"
                                    : "; " + with_commas(at->second.commands) + " commands took " + cycles + " in build/trace.json";
  }

  Terminal& terminal_;
  fs::path read_;
  fs::file_time_type written_;
  std::map<std::pair<std::string, std::int64_t>, OfLine> lines_;
};

bool ranges_meet(const Message& a, const Message& b) {
  auto const before = [](const Message& x, const Message& y) {
    return std::pair(x.at("line").get<int>(), x.at("character").get<int>()) <
           std::pair(y.at("line").get<int>(), y.at("character").get<int>());
  };
  return !before(a.at("end"), b.at("start")) && !before(b.at("end"), a.at("start"));
}

class CppServer {
 public:
  CppServer(MessageChannel& editor, MessageChannel& clangd, Terminal& terminal) : editor_(editor), clangd_(clangd), lines_(terminal) {}

  /// The editor's messages, until it says `exit` or is gone. True: it had said `shutdown` before.
  Expected<bool> from_editor() {
    bool shut_down = false;
    while (true) {
      auto message = editor_.next();
      if (!message) return message.refusal();
      if (!*message) return shut_down;
      std::string const method = (*message)->value("method", "");
      shut_down |= method == "shutdown";
      note(method, **message);
      if (!clangd_.send(**message) || method == "exit") return shut_down;
    }
  }
  /// clangd's messages, until it ends.
  void from_clangd() {
    while (true) {
      auto message = clangd_.next();
      if (!message || !*message) return;
      Message changed = **message;
      try {
        change(changed);
      } catch (const nlohmann::json::exception&) {  // a message of a form that is not known goes through as it is
        changed = **message;
      }
      if (!editor_.send(changed)) return;
    }
  }

 private:
  struct Asked {
    std::string method;
    Message params;
  };
  struct Fixable {
    Message diagnostic;
    Fix fix;
  };

  void note(const std::string& method, const Message& m) {
    try {
      std::lock_guard const lock(mutex_);
      if (m.contains("id") && (method == "initialize" || method == "textDocument/hover" || method == "textDocument/codeAction"))
        asked_[m["id"].dump()] = {method, m.value("params", Message::object())};
      if (method == "textDocument/didOpen") texts_[m.at("params").at("textDocument").at("uri")] = m["params"]["textDocument"].at("text");
      if (method == "textDocument/didChange")
        texts_[m.at("params").at("textDocument").at("uri")] = m["params"].at("contentChanges").back().at("text");
      if (method == "textDocument/didClose") {
        texts_.erase(m.at("params").at("textDocument").at("uri"));
        fixes_.erase(m["params"]["textDocument"]["uri"]);
      }
    } catch (const nlohmann::json::exception&) {  // clangd answers what is wrong with it
    }
  }

  void change(Message& m) {
    std::lock_guard const lock(mutex_);
    if (m.value("method", "") == "textDocument/publishDiagnostics") return change_diagnostics(m.at("params"));
    if (m.contains("method") || !m.contains("id") || !m.contains("result")) return;
    auto const found = asked_.find(m["id"].dump());
    if (found == asked_.end()) return;
    Asked const asked = found->second;
    asked_.erase(found);
    if (asked.method == "initialize") change_capabilities(m["result"]);
    else if (asked.method == "textDocument/hover") change_hover(m["result"], asked.params);
    else add_fixes(m["result"], asked.params);
  }

  /// Whole texts, so that fixes are made in the text that the editor has.
  static void change_capabilities(Message& result) {
    Message& sync = result["capabilities"]["textDocumentSync"];
    if (sync.is_object()) sync["change"] = 1;
    else sync = 1;
  }

  void change_hover(Message& result, const Message& params) {
    if (!result.is_object() || !result.contains("contents") || !result["contents"].is_object()) return;
    Message& contents = result["contents"];
    auto const made = short_hover(contents.at("value"));
    if (!made) return;
    bool const markdown = contents.value("kind", "") == "markdown";
    std::string const file = path_of(params.at("textDocument").at("uri"));
    std::string const cycles = lines_.words(file, params.at("position").at("line").get<std::int64_t>() + 1);
    std::string const second = made->shape.empty() && !cycles.empty() ? cycles.substr(2) : made->shape + cycles;
    contents["value"] = made->what + (second.empty() ? "" : (markdown ? "  \n" : "\n") + second);
  }

  /// Says what C++ itself has against a kernel in plain words. False: it is clangd's remark on where in our headers
  /// another error was found.
  static bool add_advice(Message& d) {
    std::string const message = d.at("message"), first = message.substr(0, message.find('\n'));
    std::string const rest =
        first.size() < message.size() ? message.substr(first.size()) : d.value("relatedInformation", Message::array()).dump();
    if (first.starts_with("In instantiation of") || first.starts_with("Error occurred here")) return false;
    std::string const words = short_types(first);
    auto const advice = advice_of(words, short_types(rest));
    if (!advice) return true;
    d["message"] = (advice->what.empty() ? words : advice->what) + "\nhelp: " + advice->help;
    return true;
  }

  void change_diagnostics(Message& params) {
    std::string const uri = params.at("uri");
    std::vector<Fixable>& fixes = fixes_[uri];
    fixes.clear();
    Message kept = Message::array();
    std::set<std::string> said;
    bool mapping_wrong = false;
    for (Message& d : params.at("diagnostics")) mapping_wrong |= sentence_in(d.at("message")).starts_with("error[mapping-");
    for (Message& d : params.at("diagnostics")) {
      std::string const sentence = sentence_in(d.at("message"));
      if (sentence.empty()) {
        if (add_advice(d)) kept.push_back(d);
        continue;
      }
      // A mapping that cannot be is taken for another one, and breaks rules that its author did not break.
      if (mapping_wrong && !sentence.starts_with("error[mapping-")) continue;
      if (!said.insert(sentence).second) continue;
      std::size_t const help = sentence.find("; help: ");
      d["message"] = mappings_in_cpp(sentence.substr(0, help)) +
                     (help == sentence.npos ? "" : "\nhelp: " + mappings_in_cpp(sentence.substr(help + 8)));
      d["code"] = sentence.substr(6, sentence.find(']') - 6);
      d["source"] = "tcp";
      d.erase("codeDescription");
      d.erase("relatedInformation");
      kept.push_back(d);
      auto const text = texts_.find(uri);
      if (text == texts_.end() || help == sentence.npos) continue;
      auto const [line, column] = EditorPlaces(text->second).place(d.at("range").at("start"));
      if (auto fix = cpp_fix_of(sentence.substr(help + 8), line, column, text->second)) fixes.push_back({d, *std::move(fix)});
    }
    params["diagnostics"] = std::move(kept);
  }

  void add_fixes(Message& result, const Message& params) {
    if (!result.is_array()) return;
    std::string const uri = params.at("textDocument").at("uri");
    auto const text = texts_.find(uri);
    auto const known = fixes_.find(uri);
    if (text == texts_.end() || known == fixes_.end()) return;
    Message const only = params.value("context", Message::object()).value("only", Message::array());
    bool const wanted = only.empty() || std::find(only.begin(), only.end(), "quickfix") != only.end();
    if (!wanted) return;
    EditorPlaces const places(text->second);
    for (const Fixable& f : known->second) {
      if (!ranges_meet(f.diagnostic.at("range"), params.at("range"))) continue;
      Message edits = Message::array();
      for (const TextChange& c : f.fix.changes)
        edits.push_back({{"range", places.range(c.line, c.column, c.end_line, c.end_column)}, {"newText", c.text}});
      result.push_back({{"title", f.fix.title},
                        {"kind", "quickfix"},
                        {"diagnostics", Message::array({f.diagnostic})},
                        {"isPreferred", true},
                        {"edit", {{"changes", {{uri, edits}}}}}});
    }
  }

  MessageChannel &editor_, &clangd_;
  TracedLines lines_;
  std::mutex mutex_;
  std::map<std::string, Asked> asked_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::vector<Fixable>> fixes_;
};

}  // namespace

Verdict serve_cpp(MessageChannel& editor, const std::string& program, Terminal& terminal) {
  signal(SIGPIPE, SIG_IGN);  // one side may end first
  ChildProgram child(program);
  if (child.error() != 0)
    return refuse("tool-clangd-missing")
        .what("'", plain(program.substr(0, 100)), "' cannot be started: ", std::strerror(child.error()))
        .why("--clangd serves C++ through clangd, which reads the source")
        .help("install clangd-19, or give the path of a clangd");
  MessageChannel clangd(child.from(), child.to());
  CppServer server(editor, clangd, terminal);
  std::thread back([&] { server.from_clangd(); });
  auto const ended = server.from_editor();
  child.close_input();
  back.join();
  if (!ended) return ended.refusal();
  return *ended ? accept() : Verdict(editor_gone());
}

}  // namespace tcp::tool
