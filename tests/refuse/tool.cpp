// The `tcp` command: arguments, files and programs that it cannot use.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <filesystem>
#include <sstream>

#include "helpers/asked.hpp"
#include "module_run.hpp"
#include "refuse_test.hpp"
#include "tool.hpp"

using namespace tcp;

// # tool-argument-missing
// `tcp run` needs values for every tensor that the program declares as `argument`. Their type and shape are in the message: an array has the axes of the tensor's
// mapping, in the order in which the mapping names them.
//
// In Python: `np.save("x.npy", x)`. To see whether a program runs at all, `--random 1` fills what is missing with small numbers.
// run time only: the command line is read when the program runs
namespace tool_argument_missing {
// error[tool-argument-missing]: nothing is given for the argument in: i32 (2048,), A = 2048; help: --in in=FILE.npy, or --random 1 for random test data
REFUSED_AT_RUN_TIME { return refused_command({"run", add_one}); }
}  // namespace tool_argument_missing

// # tool-argument-shape
// An array given for an argument has other axes than the argument. It must have the axes of the argument's mapping, each in its size, in the order in which the mapping
// names them, the outermost level first: `Slice[I] Element[J, K]` is `(I, J, K)`. How elements are spread over memory does not matter: `Element[A / 8, A % 8]` has one axis.
//
// In Python: `x.reshape(...)` if the elements are in the right order, `np.ascontiguousarray(x.T)` if they are not.
// run time only: files are read when the program runs
// no kernel: the arguments of a run are wrong, not its kernel
namespace tool_argument_shape {
// error[tool-argument-shape]: x.npy has the shape (64, 8), and the argument is x: bf16 (8, 64), I = 8, K = 64; help: in Python: reshape or transpose it to (8, 64)
REFUSED_AT_RUN_TIME {
  tool::Wanted const wanted{"x", ScalarType::bf16, {{Name("I"), 8}, {Name("K"), 64}}};
  io::Array const array{ScalarType::bf16, {64, 8}, 512, {}, false, {}};
  return tool::to_value(wanted, array, "x.npy").refusal();
}
}  // namespace tool_argument_shape

// # tool-argument-unknown
// `--in NAME=FILE` fills a tensor that the program declares as `argument`, under its own name.
// run time only: the command line is read when the program runs
namespace tool_argument_unknown {
// error[tool-argument-unknown]: the program has no argument 'inn'; help: its arguments are: in
REFUSED_AT_RUN_TIME { return refused_command({"run", add_one, "--in", "inn=x.npy"}); }
}  // namespace tool_argument_unknown

// # tool-check-failed
// `tcp check` found errors, and has printed them all: each with its place, the piece of source that is wrong, and what to write instead. The exit code is 1.
// run time only: the command line is read when the program runs
namespace tool_check_failed {
// error[tool-check-failed]: 3 errors in wrong.rs; 2 of 2 kernels are wrong
REFUSED_AT_RUN_TIME { return refused_command({"check", TCP_SOURCE_DIR "/tests/refuse/files/wrong.rs"}); }
}  // namespace tool_check_failed

// # tool-device-argument
// An interpreter takes arguments in any memory. On a chip only tensors in HBM or DM outlive a kernel, and so it is on the simulated one.
// run time only: programs in text form are read when the tool runs
namespace tool_device_argument {
// error[tool-device-argument]: x, an argument or result of in_spm, is in SPM; help: move it from or to HBM or DM with a command, or run it with --backend reference
REFUSED_AT_RUN_TIME {
  return refused_command({"run", TCP_SOURCE_DIR "/tests/refuse/files/in_spm.tcp", "--random", "1", "--backend", "device"});
}
}  // namespace tool_device_argument

// # tool-file-not-written
// A picture could not be written; what the system said follows the name. The file is written beside its place under another name and
// then put there as a whole, so the folder must be one that you may write to, and a file that was there before is either replaced or
// left as it was. Devices and pipes are written to directly.
//
// Choose a folder that exists, or make it first: `mkdir -p`.
// run time only: files are written when the program runs
namespace tool_file_not_written {
// error[tool-file-not-written]: /no/such/folder/picture.svg cannot be written: No such file or directory; help: write to a folder that exists and is yours, with room on its disk
REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "A=8", "A / 2", "--svg", "/no/such/folder/picture.svg"}); }
}  // namespace tool_file_not_written

// # tool-fit-no-partner
// `tcp fit` compares the calls of a kernel with what was measured of them, and found none that both sides have. Spans name commands by type and index only: the dump of the
// schedule of the same program says which lines these are.
//
// Give that dump with `--schedule`; several files of spans take one each, in the same order. If there are lines, the kernel is another one than was measured.
// run time only: files are read when the program runs
// no kernel: `tcp fit` reads measurements
namespace tool_fit_no_partner {
// error[tool-fit-no-partner]: no measured command has a source line, so that none can be joined with a call of the kernel; help: give the dump of the same program: --schedule FILE
REFUSED_AT_RUN_TIME {
  return refused_command({"fit", TCP_SOURCE_DIR "/tests/golden/files/relu.rs", TCP_SOURCE_DIR "/tests/golden/files/relu.spans.txt"});
}
// error[tool-fit-no-partner]: no call of the kernel is among what was planned or measured; help: give the kernel that was measured, as it was then, or look at tcp diff, which lists what has no partner
REFUSED_AT_RUN_TIME {
  return refused_command({"fit", TCP_SOURCE_DIR "/tests/golden/files/loads.tcp", TCP_SOURCE_DIR "/tests/golden/files/relu.schedule.json"});
}
}  // namespace tool_fit_no_partner

// # tool-fit-untold
// `tcp fit` changes a number of a timing model only where measured calls tell it: at least two of them depend on it, noticeably, and no other number, nor several
// together, would change their times in the same way. Here no number is left. What was printed before says why, number by number.
//
// Measure kernels of several sizes, and give them all: a start-up and a rate are told apart by a small and a large transfer. Spans need source lines: `--schedule`.
// run time only: files are read when the program runs
namespace tool_fit_untold {
// error[tool-fit-untold]: the 3 calls tell none of the numbers of the model; help: give more kernels with their measurements: other sizes, other kinds of commands
REFUSED_AT_RUN_TIME {
  return refused_command({"fit", TCP_SOURCE_DIR "/tests/golden/files/relu.rs", TCP_SOURCE_DIR "/tests/golden/files/relu.schedule.json"});
}
}  // namespace tool_fit_untold

// # tool-kernel-missing
// `tcp compile PROGRAM` compiles what the executable launches. This one launches nothing.
// run time only: the command line is read when the program runs
namespace tool_kernel_missing {
// error[tool-kernel-missing]: 'true' launched no kernel; help: call launch(kernel, ctx, ...) with a Context from Context::acquire()
REFUSED_AT_RUN_TIME { return refused_command({"compile", "/bin/true"}); }
}  // namespace tool_kernel_missing

// # tool-kernel-unknown
// An executable may launch several kernels; `tcp compile` takes one, by its name.
// run time only: the command line is read when the program runs
namespace tool_kernel_unknown {
// error[tool-kernel-unknown]: 'two_kernels.sh' launched 2 different kernels; help: choose with --kernel one of first, second
REFUSED_AT_RUN_TIME { return refused_command({"compile", TCP_SOURCE_DIR "/tests/refuse/files/two_kernels.sh"}); }
}  // namespace tool_kernel_unknown

// # tool-lens-no-line
// `tcp lens --file` shows the lines of one source, and a trace knows only sources whose lines gave the chip something to do.
//
// A file is found by its whole path, or by the last parts of it. A kernel that was compiled elsewhere has the paths of that place.
// run time only: the command line is read when the program runs
// no kernel: `tcp lens` reads traces
namespace tool_lens_no_line {
inline tcp::Refusal lens_of_another_file() {
  std::string const trace = std::filesystem::temp_directory_path() / "tcp_lens_no_line.json";
  std::ostringstream out, err;
  tcp::tool::Terminal terminal{out, err, false, false, ""};
  tcp::tool::run({"run", add_one, "--random", "1", "--backend", "device", "--trace", trace}, terminal);
  return refused_command({"lens", trace, "--file", "main.cpp"});
}
// error[tool-lens-no-line]: no command of the trace comes from main.cpp; help: it has lines of add_one.tcp
REFUSED_AT_RUN_TIME { return lens_of_another_file(); }
}  // namespace tool_lens_no_line

// # tool-clangd-missing
// `tcp lsp --clangd PROGRAM` starts clangd and works between it and the editor. The program was not found, or may not be run.
// run time only: programs are started while the server runs
namespace tool_clangd_missing {
// error[tool-clangd-missing]: 'no-such-clangd' cannot be started: No such file or directory; help: install clangd-19, or give the path of a clangd
REFUSED_AT_RUN_TIME { return refused_command({"lsp", "--clangd", "no-such-clangd"}); }
}  // namespace tool_clangd_missing

// # tool-lsp-ended
// An editor that ends in order asks its servers to shut down. This one was gone before; nothing is lost, since the server keeps nothing.
// run time only: editors speak while the server runs
// no kernel: an editor and `tcp lsp` talk to each other
namespace tool_lsp_ended {
/// `tcp lsp`, with these words on its standard input.
inline tcp::Refusal refused_lsp(std::string_view words) {
  int ends[2];
  if (pipe(ends) != 0 || write(ends[1], words.data(), words.size()) < 0) return {};
  close(ends[1]);
  int const before = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  tcp::Refusal const r = refused_command({"lsp"});
  dup2(before, STDIN_FILENO);
  close(before);
  close(ends[0]);
  return r;
}
// error[tool-lsp-ended]: the editor was gone before it said `shutdown`; help: nothing is lost; look at the editor's own messages if it crashed
REFUSED_AT_RUN_TIME { return refused_lsp(""); }
}  // namespace tool_lsp_ended

// # tool-lsp-message
// `tcp lsp` is started by an editor, which speaks the language server protocol: each message is JSON after a header with its length. What came is something else.
//
// To see errors on the command line, use `tcp check`.
// run time only: editors speak while the server runs
// no kernel: an editor and `tcp lsp` talk to each other
namespace tool_lsp_message {
// error[tool-lsp-message]: a message has no header `Content-Length: n`, or one that is too large; help: let the editor start it; docs/editor.md says how
REFUSED_AT_RUN_TIME { return tool_lsp_ended::refused_lsp("check kernels.rs\r\n\r\n"); }
}  // namespace tool_lsp_message

// # tool-level-missing
// A tensor that is spread over levels is written as one mapping per level: the level's name, a colon, the mapping; and a semicolon between
// levels. A part of the text does not begin with a name.
//
// If it is a plain mapping, leave out `--levels`; if it belongs to the level before it, write a comma instead of the semicolon.
// run time only: the command line is read when the program runs
namespace tool_level_missing {
// error[tool-level-missing]: at column 14: ' I % 2, K' does not begin with the name of a level and a colon; help: write it as in Slice: I / 32; Element: I % 32, K
REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "I=512,K=64", "--levels", "Slice: I / 2; I % 2, K"}); }
}  // namespace tool_level_missing

// # tool-level-twice
// All units of a level share one mapping, so a level is written once. Several factors on one level are one mapping, separated by commas.
// run time only: the command line is read when the program runs
namespace tool_level_twice {
// error[tool-level-twice]: level Slice is given twice; help: join the two into one mapping, separated by a comma
REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "I=16,J=16", "--levels", "Slice: I; Slice: J; Element: 1"}); }
}  // namespace tool_level_twice

// # tool-level-unknown
// The levels of the machine have the names that the vendor's book gives them: Chip, Cluster, Slice and Element for a tensor in memory,
// Row between Slice and Element for one in the register file (TRF), Time and Packet for a stream. They are written exactly so, with a
// capital letter.
// run time only: the command line is read when the program runs
namespace tool_level_unknown {
// error[tool-level-unknown]: there is no level 'slice'; help: levels are Chip, Cluster, Slice, Row, Element, Time, Packet
REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "I=512,K=64", "--levels", "slice: I / 2; Element: I % 2, K"}); }
}  // namespace tool_level_unknown

// # tool-machine-lacks
// `tcp doctor` looks for what kernels are built with, and refuses if something is missing, so that a script can ask it before it builds.
//
// Above the message it lists all that it looked for: what is there with its version, and for what is not there the package to install. What is only convenient,
// such as clangd, is listed as absent and refuses nothing.
// run time only: the command line is read when the program runs
namespace tool_machine_lacks {
// error[tool-machine-lacks]: kernels cannot be built here: headers of tcp, files of tcp missing; help: install libtcp-visa-dev, or cmake --install; tcp as a whole: the program finds them by their place relative to it
REFUSED_AT_RUN_TIME { return refused_command({"doctor"}); }
}  // namespace tool_machine_lacks

// # tool-not-formatted
// `tcp fmt --check` accepts a file only if it is written as `tcp fmt` prints it, so that two people write the same program the same way.
//
// `tcp fmt FILE --write` writes it so; comments are kept.
// run time only: the command line is read when the program runs
namespace tool_not_formatted {
// error[tool-not-formatted]: from this line on the text is not as tcp fmt writes it; help: run tcp fmt with --write
REFUSED_AT_RUN_TIME { return refused_command({"fmt", add_one, "--check"}); }
}  // namespace tool_not_formatted

// # tool-out-of-memory
// The system has no room for what the command was to hold. `tcp run` keeps every array as a whole, with a note for each element on whether it is defined, so that a
// program for 48 GB of HBM may take several times as much here.
//
// Try it with smaller tensors first: sizes are numbers in the text of the program. `tcp compile` takes the large one as it is.
// run time only: memory is asked for when the program runs
namespace tool_out_of_memory {
// error[tool-out-of-memory]: this takes more memory than the system gives; help: take smaller tensors, end other programs, or use a larger machine
REFUSED_AT_RUN_TIME {
  return refused_command({"run", TCP_SOURCE_DIR "/tests/refuse/files/large.tcp", "--chip", "logical", "--random", "1"});
}
}  // namespace tool_out_of_memory

// # tool-pages-missing
// The pages of `tcp explain` are files. They are in `share/tcp/diagnostics` beside the `bin` of an installed program, and at the same
// place relative to the program in a build directory, and there are none. Most likely the program alone was copied.
//
// Install the package as a whole (`cmake --install`), or read the pages in `docs/diagnostics` of the sources.
// run time only: files are looked for when the program runs
// no kernel: a part of the installation is missing
namespace tool_pages_missing {
// error[tool-pages-missing]: there are no diagnostics pages in /copied/program/share/diagnostics; help: install tcp as a whole, or run the program from its build directory
REFUSED_AT_RUN_TIME {
  std::ostringstream out, err;
  tool::Terminal terminal{out, err, false, false, "/copied/program/share"};
  return tool::perform({"explain"}, terminal).refusal();
}
}  // namespace tool_pages_missing

// # tool-port-taken
// `tcp view` was asked to serve its page on a port that it cannot have: another program listens there, or the system keeps it for itself.
//
// Without `--port` the system chooses a free one, which the command prints. A page that is written to a file with `-o` needs no port at all.
// run time only: ports are taken when the program runs
namespace tool_port_taken {
// error[tool-port-taken]: port 49151 of this machine cannot be listened on; help: leave --port out to get a free one, or write the page to a file with -o
REFUSED_AT_RUN_TIME {
  // If another process has the port already, so much the better.
  int const taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(49151);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  [[maybe_unused]] bool const ours = ::bind(taken, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && ::listen(taken, 1) == 0;
  tcp::Refusal const r = refused_command({"view", "trace.json", "--port", "49151"});
  ::close(taken);
  return r;
}
}  // namespace tool_port_taken

// # tool-nothing-to-plan
// `tcp plan` puts the commands of a kernel in time: of a program in text form, of Rust, of an executable that launches it, or of what `tcp compile` wrote. This file is
// none of these; a trace, for one, has its times already.
//
// Read traces with `tcp report` and `tcp view`.
// run time only: files are read when the program runs
namespace tool_nothing_to_plan {
// error[tool-nothing-to-plan]: 'gemm.json' is neither a kernel nor a compiled program; help: give one of these; tcp report and tcp view read traces
REFUSED_AT_RUN_TIME { return refused_command({"plan", TCP_SOURCE_DIR "/tests/golden/files/gemm.json"}); }
}  // namespace tool_nothing_to_plan

// # tool-program-empty
// The text holds no command: no move, and no pass. `tcp run` and `tcp compile` would have nothing to do and nothing to say, which looks like success; mostly the wrong
// file was named, or the file was cut. `tcp fmt` takes it: it may be the beginning of a program.
//
// Add the commands, or give the file that has them.
// run time only: files are read when the program runs
namespace tool_program_empty {
// error[tool-program-empty]: the program has no commands; help: add commands such as move x -> y, or give the file that has them
REFUSED_AT_RUN_TIME { return refused_command({"run", TCP_SOURCE_DIR "/tests/refuse/files/empty.tcp"}); }
}  // namespace tool_program_empty

// # tool-program-failed
// `tcp compile PROGRAM` runs the executable to record the kernels that it launches. One that ends with another exit code than 0 may have stopped half way.
// run time only: the command line is read when the program runs
namespace tool_program_failed {
// error[tool-program-failed]: 'false' ended with exit code 1; help: run it by itself and correct what it reports
REFUSED_AT_RUN_TIME { return refused_command({"compile", "/bin/false"}); }
}  // namespace tool_program_failed

// # tool-project-exists
// `tcp new` makes a new folder, and never writes into one that is there.
// run time only: the command line is read when the program runs
namespace tool_project_exists {
// error[tool-project-exists]: /usr is there already; help: choose another name, or remove it first
REFUSED_AT_RUN_TIME { return refused_command({"new", "/usr"}); }
}  // namespace tool_project_exists

// # tool-project-name
// `tcp new` makes a folder, and the last part of its path becomes the name of a project of CMake and is in its files.
// run time only: the command line is read when the program runs
namespace tool_project_name {
// error[tool-project-name]: 'my kernel' cannot be the name of a project; help: use at most 60 letters, digits, - and _, and begin with a letter
REFUSED_AT_RUN_TIME { return refused_command({"new", "my kernel"}); }
}  // namespace tool_project_name

// # tool-result-unknown
// `--out NAME=FILE` stores a tensor that the program declares as `result`, under its own name. Other tensors are not there any more when the program has run.
// run time only: the command line is read when the program runs
namespace tool_result_unknown {
// error[tool-result-unknown]: the program has no result 'y'; help: its results are: out
REFUSED_AT_RUN_TIME { return refused_command({"run", add_one, "--random", "1", "--out", "y=y.npy"}); }
}  // namespace tool_result_unknown

// # tool-several-modules
// A file may hold several modules, one after the other, as the dump of a program with several launches does (`TCP_DUMP`). A command takes one of them: its number follows
// the name of the file after a `#`, as in `tcp run kernels.tcp#2`, or its name is given with `--kernel`. `--list` prints the names, and `tcp check` looks at all.
// run time only: files are read when the program runs
// no kernel: an executable has several kernels, and one is wanted
namespace tool_several_modules {
// error[tool-several-modules]: the file has 2 modules: 1 add_one, 2 add_two; help: name one by its number after the file's name, as in kernels.tcp#2
REFUSED_AT_RUN_TIME { return refused_command({"run", TCP_SOURCE_DIR "/tests/refuse/files/two_modules.tcp", "--random", "1"}); }
// error[tool-several-modules]: the file has no module 3; it has 2: 1 add_one, 2 add_two; help: name one by its number after the file's name, as in kernels.tcp#2
REFUSED_AT_RUN_TIME { return refused_command({"run", TCP_SOURCE_DIR "/tests/refuse/files/two_modules.tcp#3", "--random", "1"}); }
}  // namespace tool_several_modules

// # tool-stream-level
// `tcp layout --move` shows what one sequencer is told. Each slice has its own, which steps through the slice's part of the tensor and
// makes a stream of it: so many time steps, and in each of them a packet. Chip, Cluster and Slice of the stream are those of the tensor,
// and no sequencer counts them.
//
// Give the mapping of Element as the buffer, and Time and Packet as the stream.
// run time only: the command line is read when the program runs
namespace tool_stream_level {
// error[tool-stream-level]: a stream has Time and Packet, not Slice; help: write --move with the mapping of one slice, and 'Time: ...; Packet: ...'
REFUSED_AT_RUN_TIME {
  return refused_command({"layout", "--axes", "I=512,K=64", "--move", "I % 2, K", "Slice: I / 2; Time: I % 2; Packet: K"});
}
}  // namespace tool_stream_level

// # tool-ticks-unknown
// `--ticks` prints what a chip's counter would count beside cycles. How many ticks a cycle has is a number of the chip (`clocks.ticks_per_cycle`), which
// traces carry from version 4 on. This one is older; or two traces that are compared are of chips that count differently.
//
// Write the trace again.
// run time only: traces are read when a tool runs
namespace tool_ticks_unknown {
// error[tool-ticks-unknown]: 'gemm.json' does not say how many ticks a cycle has; help: write the trace again with this version, or leave --ticks out
REFUSED_AT_RUN_TIME { return refused_command({"report", TCP_SOURCE_DIR "/tests/golden/files/gemm.json", "--ticks"}); }
}  // namespace tool_ticks_unknown

// # tool-unknown-code
// `tcp explain` prints the page of a diagnostic, and there is none with this code. Codes are the words in brackets of a message,
// `error[mapping-axis-twice]`; the brackets may be given too.
//
// Without a code `tcp explain` lists all of them, by area.
// run time only: the command line is read when the program runs
namespace tool_unknown_code {
// error[tool-unknown-code]: there is no diagnostic with the code 'device-impossibel'; help: perhaps device-impossible
REFUSED_AT_RUN_TIME { return refused_command({"explain", "device-impossibel"}); }
}  // namespace tool_unknown_code

// # tool-usage
// The command line was not understood: an option that there is none of, a value that is missing or no number, two options that
// contradict each other. The exit code is then 2, where a mapping or a tensor that is refused gives 1, so that scripts can tell the two
// apart.
//
// `tcp --help` lists the commands, `tcp COMMAND --help` the options of one, with examples. A mapping is one argument: put it into quotes.
// run time only: the command line is read when the program runs
namespace tool_usage {
// error[tool-usage]: --limit: 'many' is not a whole number from 1 on; help: read tcp layout --help
REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "A=8", "A / 2", "--limit", "many"}); }
}  // namespace tool_usage
