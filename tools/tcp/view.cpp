// `tcp view`: a trace as a page for the browser, written to a file or served on this machine alone.
#include <httplib.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "option_checks.hpp"
#include "trace_file.hpp"
#include "trace_page.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr const char* view_help = "tcp view --help";

struct ViewOptions {
  TraceChoice trace;
  std::string after, out;
  int port = 0;
  bool ticks = false;
};

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

Expected<std::string> page_for(const ViewOptions& options, Terminal& terminal) {
  std::vector<trace::Trace> traces;
  TraceChoice second = options.trace;
  second.kernel.path = options.after;
  for (const TraceChoice& each : {options.trace, second}) {
    if (each.kernel.path.empty()) continue;
    auto trace = read_trace(each, terminal);
    if (!trace) return trace.refusal();
    if (options.ticks && trace->ticks_per_cycle == 0) return ticks_unknown(each.kernel.path);
    traces.push_back(*std::move(trace));
  }
  return page_of(terminal, traces, options.ticks);
}

Verdict view(const ViewOptions& options, Terminal& terminal) {
  if (options.trace.kernel.list) return list_kernels(options.trace.kernel, terminal);
  if (options.port != 0 && !options.out.empty()) return misuse("--port serves the page, and -o writes it to a file: take one", view_help);
  if (auto v = keep_apart("-o", options.out, {options.trace.kernel.path, options.after}, view_help); !v) return v;
  httplib::Server server;
  Expected<int> const port = options.out.empty() ? listen_on(server, options.port) : Expected<int>(0);
  if (!port) return port.refusal();
  auto const page = page_for(options, terminal);
  if (!page) return page.refusal();
  if (!options.out.empty()) return write_file(options.out, *page);
  terminal.out << "http://127.0.0.1:" << *port << "/ until Ctrl-C" << std::endl;
  serve(server, *page);
  return accept();
}

}  // namespace

Action declare_view(CLI::App& command) {
  auto const options = std::make_shared<ViewOptions>();
  command
      .add_option("TRACE", options->trace.kernel.path,
                  "a trace file (TCP_TRACE=FILE writes one); a kernel, which is planned: *.tcp, *.rs, a crate,\nan executable, what "
                  "tcp compile wrote; a schedule or spans, as tcp import takes them")
      ->type_name("")
      ->required()
      ->check(file_name());
  add_trace_options(command, options->trace);
  command.add_option("AFTER", options->after, "another of the same kernel: it is shown, and compared with the first")
      ->type_name("")
      ->check(file_name());
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
      "The page needs no network and no other file; docs/viewer.md says how to read it.\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return view(*options, terminal); };
}

}  // namespace tcp::tool
