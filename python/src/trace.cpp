// Traces: where the cycles of a run or a plan went. Records go to Python as JSON, which the package reads.
#include <sstream>

#include "bind.hpp"
#include "tcp/io/dumps.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"
#include "trace_page.hpp"

namespace tcp::python {

namespace {

template <class T>
std::string as_json(const T& t) {
  std::ostringstream out;
  trace::write_json(t, out);
  return std::move(out).str();
}

}  // namespace

void bind_trace(py::module_& m) {
  using trace::Trace;
  py::class_<Trace, std::shared_ptr<Trace>>(m, "Trace", "A run or a plan of a kernel: when each command ran, and why it waited.")
      .def_property_readonly(
          "program", [](const Trace& t) { return t.program; }, "The name of the kernel.")
      .def_property_readonly(
          "chip", [](const Trace& t) { return t.chip; }, "The chip that it was planned for, or ran on.")
      .def_property_readonly(
          "model", [](const Trace& t) { return t.model; }, "The timing model.")
      .def_property_readonly(
          "cycles", [](const Trace& t) { return t.makespan.value; }, "From the begin of the first command to the end of the last.")
      .def_property_readonly(
          "complete", [](const Trace& t) { return t.complete; }, "Whether the kernel came to its end.")
      .def_property_readonly(
          "hash", [](const Trace& t) { return t.hash; }, "Equal programs have equal ones.")
      .def_property_readonly(
          "imported", [](const Trace& t) { return t.imported; }, "What it was imported from; empty: it is our own.")
      .def("__len__", [](const Trace& t) { return t.commands.size(); })
      .def(
          "__eq__", [](const Trace& a, const py::object& b) { return py::isinstance<Trace>(b) && a == b.cast<const Trace&>(); },
          py::arg("other"))
      .def_property_readonly("json", &as_json<Trace>, "The file of a trace, as docs/trace.md describes it.")
      .def_property_readonly(
          "perfetto",
          [](const Trace& t) {
            std::ostringstream out;
            trace::write_perfetto(t, out);
            return py::bytes(std::move(out).str());
          },
          "The trace for ui.perfetto.dev.")
      .def(
          "report", [](const Trace& t, bool what_if) { return trace::make_report(t, what_if); }, py::arg("what_if") = false,
          "Where the cycles went; `what_if`: also what would help most.")
      .def_property_readonly(
          "_rows",
          [](const Trace& t) {
            py::list rows;
            for (const trace::Command& c : t.commands) {
              std::string const resource = c.resources.empty() ? "" : t.resources[static_cast<std::size_t>(c.resources[0])];
              const trace::Source* const at = c.source == trace::none ? nullptr : &t.sources[static_cast<std::size_t>(c.source)];
              rows.append(py::make_tuple(c.name, resource, c.start.value, c.end.value, c.critical, c.slack.value,
                                         at == nullptr ? "" : at->file, at == nullptr ? 0 : at->line, at == nullptr ? "" : at->text));
            }
            return rows;
          },
          "Of each command: name, resource, start, end, critical, slack, file, line, text of the line.");
  py::class_<trace::Report, std::shared_ptr<trace::Report>>(m, "Report", "Where the cycles of a trace went.")
      .def(
          "text",
          [](const trace::Report& r, std::size_t rows, bool ticks, bool assumptions) {
            return trace::show(r, {.rows = rows, .all_assumptions = assumptions, .ticks = ticks});
          },
          py::arg("rows") = 10, py::arg("ticks") = false, py::arg("assumptions") = false, "As `tcp report` prints it.")
      .def("__str__", [](const trace::Report& r) { return trace::show(r); })
      .def_property_readonly("json", &as_json<trace::Report>, "As tcp report --json prints it.")
      .def_property_readonly(
          "cycles", [](const trace::Report& r) { return r.makespan.value; }, "From the begin of the first command to the end of the last.");
  py::class_<trace::Diff, std::shared_ptr<trace::Diff>>(m, "Diff", "Two traces of one kernel, before and after a change.")
      .def(
          "text", [](const trace::Diff& d, std::size_t rows) { return trace::show(d, {.rows = rows}); }, py::arg("rows") = 20,
          "As `tcp diff` prints it.")
      .def("__str__", [](const trace::Diff& d) { return trace::show(d); })
      .def_property_readonly(
          "verdict", [](const trace::Diff& d) { return d.verdict; }, "Whether it became faster, and where most of that is.")
      .def_property_readonly(
          "before", [](const trace::Diff& d) { return d.before.value; }, "The cycles of the first trace.")
      .def_property_readonly(
          "after", [](const trace::Diff& d) { return d.after.value; }, "The cycles of the second trace.")
      .def_property_readonly("json", &as_json<trace::Diff>, "As tcp diff --json prints it.");
  m.def("diff", &trace::compare, py::arg("before"), py::arg("after"), "What changed from one trace to another.");
  m.def(
      "_read_trace", [](const std::string& words, const std::string& file) { return value_or_throw(trace::read_json(words, file)); },
      py::arg("text"), py::arg("file"));
  m.def(
      "_read_dump",
      [](const std::string& words, const std::string& file, const Trace* schedule, const std::string& chip, std::int64_t mhz,
         std::int64_t ticks) {
        return value_or_throw(io::read_dump(words, file, {.chip = chip, .core_mhz = mhz, .ticks_per_cycle = ticks, .schedule = schedule}));
      },
      py::arg("text"), py::arg("file"), py::arg("schedule") = py::none(), py::arg("chip") = "rngd", py::arg("core_mhz") = 1000,
      py::arg("ticks_per_cycle") = 2);
  m.def(
      "_viewer_page",
      [](const std::string& page, const std::vector<Trace>& traces, bool ticks) { return py::bytes(tool::page_of(page, traces, ticks)); },
      py::arg("page"), py::arg("traces"), py::arg("ticks") = false);
}

}  // namespace tcp::python
