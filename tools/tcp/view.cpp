// `tcp view`: a trace as a page for the browser, written to a file or served on this machine alone.
#include <fcntl.h>
#include <httplib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "options.hpp"
#include "tcp/trace/launches.hpp"
#include "trace_file.hpp"
#include "trace_page.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr const char* view_help = "tcp view --help";

struct ViewOptions {
  TraceChoice trace;
  std::vector<std::string> more;
  std::string out;
  int port = 0;
  bool ticks = false, launches = false, open = false;
};

namespace fs = std::filesystem;

/// "llama.10.json" after "llama.9.json": by the number that a launch adds to the name, which the first has not.
std::pair<std::string, long> launch_key(const fs::path& path) {
  fs::path const stem = path.stem();
  std::string const number = stem.extension().string();
  bool const counted =
      number.size() > 1 && number.size() < 10 && std::all_of(number.begin() + 1, number.end(), [](char c) { return c >= '0' && c <= '9'; });
  fs::path const name = path.parent_path() / (counted ? stem.stem() : stem);
  return {name.string() + path.extension().string(), counted ? std::stol(number.substr(1)) : 1};
}

std::vector<std::string> traces_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (const fs::directory_entry& e : fs::directory_iterator(folder, failed))
    if (e.path().extension() == ".json" && e.is_regular_file(failed)) found.push_back(e.path());
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) { return launch_key(a) < launch_key(b); });
  return {found.begin(), found.end()};
}

/// FILE.json, and FILE.2.json, FILE.3.json and so on, as far as they are there.
std::vector<std::string> launches_after(const std::string& first) {
  std::vector<std::string> all{first};
  fs::path const path(first);
  for (int i = 2;; ++i) {
    fs::path const next = path.parent_path() / (path.stem().string() + "." + std::to_string(i) + path.extension().string());
    std::error_code failed;
    if (!fs::is_regular_file(next, failed)) return all;
    all.push_back(next.string());
  }
}

/// The files that are read, and whether they are launches of one program: a folder of traces, three files or more, or
/// what --launches says. Two files are compared.
struct Inputs {
  std::vector<std::string> files;
  bool launches = false;
};
Inputs inputs_of(const ViewOptions& options) {
  const std::string& first = options.trace.kernel.path;
  std::error_code failed;
  bool const folder = fs::is_directory(first, failed) && !fs::exists(fs::path(first) / "Cargo.toml", failed);
  Inputs in{{first}, folder || options.launches || options.more.size() > 1};
  if (folder) in.files = traces_in(first);
  else if (options.launches && options.more.empty()) in.files = launches_after(first);
  in.files.insert(in.files.end(), options.more.begin(), options.more.end());
  return in;
}

/// The port that is listened on, of this machine alone; 0 asks for any that is free.
Expected<int> listen_on(httplib::Server& server, int port) {
  // A port that another program has is refused, though the system would let two programs of one user share it.
  server.set_socket_options([](socket_t socket) {
    int const yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  int const bound = port == 0 ? server.bind_to_any_port("127.0.0.1") : server.bind_to_port("127.0.0.1", port) ? port : -1;
  if (bound > 0) return bound;
  return refuse("tool-port-taken")
      .what("port ", port, " of this machine cannot be listened on")
      .why("another program has it, or the system keeps it for itself")
      .help("leave --port out to get a free one, or write the page to a file with -o");
}

/// Until it is interrupted.
void serve(httplib::Server& server, const std::string& page) {
  server.Get("/", [&](const httplib::Request&, httplib::Response& answer) {
    answer.set_content_provider(page.size(), "text/html; charset=utf-8", [&](std::size_t at, std::size_t length, httplib::DataSink& sink) {
      return sink.write(page.data() + at, length);
    });
  });
  server.listen_after_bind();
}

Expected<std::vector<trace::Trace>> read_all(const ViewOptions& options, const Inputs& in, Terminal& terminal) {
  std::vector<trace::Trace> traces;
  for (const std::string& path : in.files) {
    TraceChoice each = options.trace;
    each.kernel.path = path;
    auto trace = read_trace(each, terminal);
    if (!trace) return trace.refusal();
    if (options.ticks && trace->ticks_per_cycle == 0) return ticks_unknown(path);
    if (std::string const differs = in.launches && !traces.empty() ? trace::difference(traces.front(), *trace) : ""; !differs.empty())
      return misuse(
          "'" + in.files.front().substr(0, 60) + "' and '" + path.substr(0, 60) + "' are not launches of one program: they have " + differs,
          view_help);
    traces.push_back(*std::move(trace));
  }
  return traces;
}

Expected<std::string> page_for(const ViewOptions& options, Terminal& terminal) {
  Inputs const in = inputs_of(options);
  if (in.files.empty())
    return misuse("the folder '" + options.trace.kernel.path.substr(0, 100) + "' has no trace: no *.json is in it", view_help);
  auto const traces = read_all(options, in, terminal);
  if (!traces) return traces.refusal();
  if (in.launches && traces->size() > 1) return page_of(terminal, {trace::in_sequence(*traces)}, options.ticks);
  return page_of(terminal, *traces, options.ticks);
}

/// Has the desktop open an address; false: there is no program that does.
bool open_in_browser(const std::string& address) {
  pid_t const child = fork();
  if (child < 0) return false;
  if (child == 0) {
    int const nowhere = ::open("/dev/null", O_RDWR);
    for (int fd : {0, 1, 2}) dup2(nowhere, fd);
    for (const char* program : {"xdg-open", "open"}) execlp(program, program, address.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void say_or_open(const ViewOptions& options, const std::string& address, Terminal& terminal) {
  if (options.open && !open_in_browser(address))
    terminal.err << "warning: no browser was opened, neither xdg-open nor open is there; open " << address << " yourself\n";
}

Verdict view(const ViewOptions& options, Terminal& terminal) {
  if (options.trace.kernel.list) return list_kernels(options.trace.kernel, terminal);
  if (options.port != 0 && !options.out.empty()) return misuse("--port serves the page, and -o writes it to a file: take one", view_help);
  std::vector<std::string> read = options.more;
  read.push_back(options.trace.kernel.path);
  if (auto v = keep_apart("-o", options.out, read, view_help); !v) return v;
  httplib::Server server;
  Expected<int> const port = options.out.empty() ? listen_on(server, options.port) : Expected<int>(0);
  if (!port) return port.refusal();
  auto const page = page_for(options, terminal);
  if (!page) return page.refusal();
  if (!options.out.empty()) {
    if (auto v = write_file(options.out, *page); !v) return v;
    say_or_open(options, "file://" + fs::absolute(options.out).string(), terminal);
    return accept();
  }
  std::string const address = "http://127.0.0.1:" + std::to_string(*port) + "/";
  terminal.out << address << " until Ctrl-C; open it in a browser" << (options.open ? "" : ", or add --open") << std::endl;
  say_or_open(options, address, terminal);
  serve(server, *page);
  return accept();
}

}  // namespace

Action declare_view(CLI::App& command) {
  auto const options = std::make_shared<ViewOptions>();
  command
      .add_option("TRACE", options->trace.kernel.path,
                  "a trace file (TCP_TRACE=FILE writes one); a kernel, which is planned: *.tcp, *.rs, a crate,\nan executable, what "
                  "tcp compile wrote; a schedule or spans, as tcp import takes them;\na folder of traces: all launches of a program")
      ->type_name("")
      ->required()
      ->check(file_name());
  add_trace_options(command, options->trace);
  command
      .add_option("MORE", options->more,
                  "one more of the same kernel: it is shown, and compared with the first;\nseveral: all are launches of one program, and "
                  "shown one after the other")
      ->type_name("")
      ->check(file_name());
  command.add_flag("--launches", options->launches,
                   "show launches of one program one after the other, also two; of one FILE.json,\nFILE.2.json, FILE.3.json and so on "
                   "are taken too");
  command.add_flag("--open", options->open, "open the page in the browser of this desktop");
  command.add_option("-o,--output", options->out, "write the page to this file; otherwise it is served")
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--port", options->port, "serve it on this port; default: a free one")
      ->type_name("N")
      ->check(CLI::Range(1, 65535).description(""));
  command.add_flag("--ticks", options->ticks, "begin with ticks beside cycles: the counter of chips runs faster than the clock");
  command.footer(
      "Examples:\n"
      "  tcp view gemm.json -o gemm.html\n"
      "  tcp view gemm.json\n"
      "  tcp view kernels.rs --kernel relu_twice -o relu.html\n"
      "  tcp view before.json after.json -o both.html\n"
      "  tcp view gemm.json --launches -o all.html\n"
      "The page needs no network and no other file; docs/viewer.md says how to read it.\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return view(*options, terminal); };
}

}  // namespace tcp::tool
