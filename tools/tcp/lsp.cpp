// `tcp lsp`: a language server for programs in text form and kernels in Rust. Errors while typing, hovers with shape,
// bytes and cycles, definitions, fixes, and cycles above the lines. What it knows is analysis.hpp's; here are messages.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analysis.hpp"
#include "clangd_server.hpp"
#include "command.hpp"
#include "editor.hpp"
#include "fmt.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/version.hpp"

namespace tcp::tool {
namespace {

using Message = nlohmann::json;

constexpr int quiet_milliseconds = 120;  // without a keystroke: the sources are read again

struct LspOptions {
  std::string chip = "rngd", model = "book", clangd;
  std::vector<std::string> settings;
};

/// A request that cannot be answered, by the protocol's numbers.
struct RequestRefused {
  int code;
  std::string words;
};
constexpr int method_not_found = -32601, invalid_params = -32602, invalid_request = -32600, internal_error = -32603;

class Server {
 public:
  Server(MessageChannel& channel, AnalysisOptions options) : channel_(channel), options_(std::move(options)) {}

  /// Until the editor says `exit` or is gone. True: it had said `shutdown` before.
  Expected<bool> serve() {
    while (true) {
      if (!stale_.empty() && !channel_.waits(quiet_milliseconds)) publish();
      auto message = channel_.next();
      if (!message) return message.refusal();
      if (!*message) return shut_down_;
      Message const& m = **message;
      if (!m.contains("method") || !m["method"].is_string()) continue;  // an answer to something; we ask nothing
      std::string const method = m["method"];
      if (method == "exit") return shut_down_;
      Message const params = m.value("params", Message::object());
      if (m.contains("id")) answer(m["id"], method, params);
      else if (!shut_down_) notice(method, params);
    }
  }

 private:
  struct Document {
    std::string uri, text;
    Message version = nullptr;
  };

  void answer(const Message& id, const std::string& method, const Message& params) {
    Message reply{{"jsonrpc", "2.0"}, {"id", id}};
    try {
      if (shut_down_) throw RequestRefused{invalid_request, "the server was shut down"};
      reply["result"] = result_of(method, params);
    } catch (const RequestRefused& r) {
      reply["error"] = {{"code", r.code}, {"message", r.words}};
    } catch (const nlohmann::json::exception& e) {
      reply["error"] = {{"code", invalid_params}, {"message", e.what()}};
    } catch (const std::exception& e) {
      reply["error"] = {{"code", internal_error}, {"message", e.what()}};
    }
    channel_.send(reply);
  }

  Message result_of(const std::string& method, const Message& params) {
    if (method == "initialize") return capabilities();
    if (method == "shutdown") {
      shut_down_ = true;
      return nullptr;
    }
    if (method == "textDocument/hover") return hover(params);
    if (method == "textDocument/definition") return definition(params);
    if (method == "textDocument/codeAction") return code_actions(params);
    if (method == "textDocument/codeLens") return code_lenses(params);
    if (method == "textDocument/formatting") return formatting(params);
    throw RequestRefused{method_not_found, "tcp lsp does not know " + method};
  }

  static Message capabilities() {
    return {{"capabilities",
             {{"positionEncoding", "utf-16"},
              {"textDocumentSync", {{"openClose", true}, {"change", 1}, {"save", true}}},
              {"hoverProvider", true},
              {"definitionProvider", true},
              {"codeActionProvider", {{"codeActionKinds", Message::array({"quickfix"})}}},
              {"codeLensProvider", {{"resolveProvider", false}}},
              {"documentFormattingProvider", true}}},
            {"serverInfo", {{"name", "tcp"}, {"version", library_version()}}}};
  }

  void notice(const std::string& method, const Message& params) {
    try {
      if (!method.starts_with("textDocument/did")) return;
      const Message& document = params.at("textDocument");
      std::string const uri = document.at("uri"), path = path_of(uri);
      if (path.empty()) return;
      if (method == "textDocument/didOpen") open_[path] = {uri, document.at("text"), document.value("version", Message())};
      else if (method == "textDocument/didClose") close(path);
      else if (method == "textDocument/didChange") change(open_.at(path), params);
      else if (method != "textDocument/didSave") return;
      stale_.insert(path);
      for (auto& [other, analysis] : analyses_) stale_.insert(other);  // a file may be part of several
      analyses_.clear();
    } catch (const std::exception& e) {
      channel_.send({{"jsonrpc", "2.0"}, {"method", "window/logMessage"}, {"params", {{"type", 1}, {"message", e.what()}}}});
    }
  }

  static void change(Document& document, const Message& params) {
    document.text = params.at("contentChanges").back().at("text");
    document.version = params.at("textDocument").value("version", Message());
  }

  void close(const std::string& path) {
    open_.erase(path);
    stale_.erase(path);
  }

  rust::UnsavedTexts texts() const {
    rust::UnsavedTexts all;
    for (auto const& [path, document] : open_) all[path] = document.text;
    return all;
  }

  const Analysis& analysis_of(const std::string& path) {
    auto& known = analyses_[path];
    if (!known) known = std::make_unique<Analysis>(path, texts(), options_);
    return *known;
  }

  std::string text_of(const std::string& path) const {
    if (auto const open = open_.find(path); open != open_.end()) return open->second.text;
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::string uri_for(const std::string& path) const {
    auto const open = open_.find(path);
    return open == open_.end() ? uri_of(path) : open->second.uri;
  }

  /// Sends the mistakes of all files that were changed, and of files that had some before.
  void publish() {
    stale_.clear();
    std::map<std::string, Message> found;
    std::set<std::string> covered;
    for (auto const& [path, document] : open_) {
      if (covered.contains(path)) continue;
      found.try_emplace(path, Message::array());
      try {
        for (auto const& [file, problems] : analysis_of(path).problems()) {
          if (!covered.insert(file).second) continue;
          EditorPlaces const places(text_of(file));
          for (const Problem& p : problems) found.try_emplace(file, Message::array()).first->second.push_back(diagnostic(p, places));
        }
      } catch (const std::exception& e) {
        channel_.send({{"jsonrpc", "2.0"}, {"method", "window/logMessage"}, {"params", {{"type", 1}, {"message", e.what()}}}});
      }
    }
    for (const std::string& before : shown_) found.try_emplace(before, Message::array());
    shown_.clear();
    for (auto const& [file, diagnostics] : found) {
      if (!diagnostics.empty()) shown_.insert(file);
      Message params{{"uri", uri_for(file)}, {"diagnostics", diagnostics}};
      if (auto const open = open_.find(file); open != open_.end() && open->second.version.is_number())
        params["version"] = open->second.version;
      channel_.send({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", params}});
    }
  }

  Message range_of(const Problem& p, const EditorPlaces& places) const {
    const Where& at = p.error.refusal.at;
    if (!at.known()) return places.range(1, 1, 1, 1);
    unsigned const column = std::max(at.column, 1u);
    if (p.error.end_line != 0) return places.range(at.line, column, p.error.end_line, p.error.end_column);
    return places.range(at.line, column, at.line, std::max(places.end_of(at.line), column));
  }

  Message diagnostic(const Problem& p, const EditorPlaces& places) const {
    const Refusal& r = p.error.refusal;
    std::string words(r.headline.view());
    if (!r.note.empty()) words += "\nnote: " + std::string(r.note.view());
    if (!r.advice.empty()) words += "\nhelp: " + std::string(r.advice.view());
    Message out{{"range", range_of(p, places)}, {"severity", p.is_note ? 3 : 1}, {"source", "tcp"}, {"message", words}};
    if (!p.is_note) out["code"] = r.code;
    for (const Where& call : p.error.called_from) {
      EditorPlaces const there(text_of(call.file));
      out["relatedInformation"].push_back(
          {{"location", {{"uri", uri_for(call.file)}, {"range", there.range(call.line, call.column, call.line, call.column)}}},
           {"message", "called from here" + (p.error.kernel.empty() ? "" : ", in the kernel " + p.error.kernel)}});
    }
    return out;
  }

  /// The document that a request is about.
  std::string asked(const Message& params) const {
    std::string const path = path_of(params.at("textDocument").at("uri"));
    if (!open_.contains(path)) throw RequestRefused{invalid_params, "the document is not open"};
    return path;
  }

  Message hover(const Message& params) {
    std::string const path = asked(params);
    auto const [line, column] = EditorPlaces(text_of(path)).place(params.at("position"));
    auto const words = analysis_of(path).hover(path, line, column);
    if (!words) return nullptr;
    return {{"contents", {{"kind", "markdown"}, {"value", *words}}}};
  }

  Message definition(const Message& params) {
    std::string const path = asked(params);
    auto const [line, column] = EditorPlaces(text_of(path)).place(params.at("position"));
    auto const found = analysis_of(path).definition(path, line, column);
    if (!found) return nullptr;
    EditorPlaces const there(text_of(found->file));
    return {{"uri", uri_for(found->file)}, {"range", there.range(found->line, found->column, found->line, found->column)}};
  }

  Message code_actions(const Message& params) {
    std::string const path = asked(params);
    Message actions = Message::array();
    const auto& all = analysis_of(path).problems();
    auto const mine = all.find(path);
    if (mine == all.end()) return actions;
    EditorPlaces const places(text_of(path));
    const Message& asked_for = params.at("range");
    auto const [first, first_column] = places.place(asked_for.at("start"));
    auto const [last, last_column] = places.place(asked_for.at("end"));
    for (const Problem& p : mine->second) {
      unsigned const begin = p.error.refusal.at.line, end = std::max(p.error.end_line, begin);
      if (!p.fix || end < first || begin > last) continue;
      Message edits = Message::array();
      for (const TextChange& c : p.fix->changes)
        edits.push_back({{"range", places.range(c.line, c.column, c.end_line, c.end_column)}, {"newText", c.text}});
      actions.push_back({{"title", p.fix->title},
                         {"kind", "quickfix"},
                         {"isPreferred", true},
                         {"diagnostics", Message::array({diagnostic(p, places)})},
                         {"edit", {{"changes", {{uri_for(path), edits}}}}}});
    }
    return actions;
  }

  Message code_lenses(const Message& params) {
    std::string const path = asked(params);
    EditorPlaces const places(text_of(path));
    Message lenses = Message::array();
    for (const LineLens& lens : analysis_of(path).lenses(path))
      lenses.push_back({{"range", places.range(lens.line, 1, lens.line, 1)},
                        {"command", {{"title", lens.label}, {"command", ""}}},
                        {"data", {{"details", lens.details}}}});
    return lenses;
  }

  Message formatting(const Message& params) {
    std::string const path = asked(params), text = text_of(path);
    if (!path.ends_with(".tcp")) return nullptr;
    auto const module = ir::parse(text, path.c_str());
    if (!module) return nullptr;  // its mistake is shown already
    std::string const laid_out = formatted(*module, text, path.c_str());
    if (laid_out == text) return Message::array();
    EditorPlaces const places(text);
    return Message::array({{{"range", places.range(1, 1, places.lines(), places.end_of(places.lines()))}, {"newText", laid_out}}});
  }

  MessageChannel& channel_;
  AnalysisOptions options_;
  std::map<std::string, Document> open_;
  std::map<std::string, std::unique_ptr<Analysis>> analyses_;
  std::set<std::string> stale_, shown_;
  bool shut_down_ = false;
};

Verdict lsp(const LspOptions& o, Terminal& terminal) {
  for (const std::string& setting : o.settings)
    if (!sets_chip(setting))
      return misuse("'" + plain(setting) + "' is not what --set takes here: a number of the chip, such as hbm.clock=1500",
                    "tcp lsp --help");
  auto const device = chosen_device(o.chip, o.settings);
  if (!device) return device.refusal();
  MessageChannel channel(STDIN_FILENO, STDOUT_FILENO);
  if (!o.clangd.empty()) return serve_cpp(channel, o.clangd, terminal);
  auto const ended = Server(channel, {*device, o.model}).serve();
  if (!ended) return ended.refusal();
  if (*ended) return accept();
  return editor_gone();
}

}  // namespace

Action declare_lsp(CLI::App& command) {
  auto const options = std::make_shared<LspOptions>();
  command.add_option("--chip", options->chip, "the chip whose rules hold: rngd (the default), rngd_s, logical, or a chip file")
      ->type_name("CHIP");
  command.add_option("--model", options->model, "of the cycles: book (the default), planned, calibrated or detailed")
      ->type_name("book|planned|calibrated|detailed")
      ->check(one_of({std::begin(timing_models), std::end(timing_models)}));
  command.add_option("--set", options->settings, "a number of the chip, by its key in a chip file: hbm.clock=1500")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
  command
      .add_option("--clangd", options->clangd,
                  "serve C++ instead, through this clangd: hovers of two lines with shape, bytes and\ncycles, plain errors, and fixes; all "
                  "else is clangd's")
      ->type_name("PROGRAM")
      ->check(not_empty("the program"));
  command.footer(
      "A language server, which an editor starts: it speaks on standard input and output. It serves programs in text\n"
      "form (*.tcp) and kernels in Rust (*.rs): errors while you type, hovers with shape, bytes and cycles, definitions\n"
      "of axes and aliases, fixes, cycles above the lines. docs/editor.md says how editors are set up.\n"
      "Examples:\n"
      "  tcp lsp\n"
      "  tcp lsp --chip rngd_s --model calibrated\n"
      "  tcp lsp --clangd clangd-19\n"
      "Exit codes: 0 the editor shut it down, 1 the editor was gone or spoke another language; see tcp --help.");
  return [options](Terminal& terminal) { return lsp(*options, terminal); };
}

}  // namespace tcp::tool
