// Contexts and launches. A kernel is a Python function that is called once, while its calls are recorded; it then runs
// without the GIL.
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "bind.hpp"
#include "context.hpp"
#include "tcp/device/load.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/record.hpp"
#include "tcp/runtime/simulate.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"
#include "tensors.hpp"

namespace tcp::python {

BackendKind backend_named(const std::string& name) {
  for (BackendKind kind : {BackendKind::reference, BackendKind::vector, BackendKind::device, BackendKind::plan})
    if (name == name_of(kind)) return kind;
  refuse_name(name, {"reference", "vector", "device", "plan"});
}

HeldContext::HeldContext(const std::string& backend, const Device& chip, const std::string& model, bool reorder, bool check, int threads,
                         std::int64_t chips, const std::string& numeric, bool wait, const py::object& progress, const std::string& dump)
    : device(chip), model_(model), dump_(dump), progress_(progress) {
  options.backend = backend_named(backend);
  options.device = &device;
  options.model = model_.c_str();
  options.reorder = reorder;
  options.check = check;
  options.threads = threads;
  options.chips = chips;
  options.wait = wait;
  if (!dump_.empty()) options.dump = dump_.c_str();
  options.numeric = value_or_throw(parse_numeric_model(numeric, here()));
  bool known = false;
  for (std::string_view name : timing_models) known |= name == model_;
  if (!known) refuse_name(model_, {std::begin(timing_models), std::end(timing_models)});
  if (options.backend == BackendKind::device || options.backend == BackendKind::plan) {
    options.on_trace = [](void* self, const trace::Trace& t) { static_cast<HeldContext*>(self)->keep(t); };
    options.trace_user = this;
  }
  options.stop = [](void* self) { return static_cast<HeldContext*>(self)->stop_.load(); };
  options.stop_user = this;
  if (!progress_.is_none()) {
    options.on_progress = [](void* self, const Progress& p) {
      py::gil_scoped_acquire const gil;
      try {
        static_cast<HeldContext*>(self)->progress_(p.kernel, p.done, p.of);
      } catch (py::error_already_set& e) {
        e.discard_as_unraisable("the progress of a kernel");
      }
    };
    options.progress_user = this;
  }
  Where const at = here();
  py::gil_scoped_release const others_may_run;
  context_.reset(new Context(Context::acquire(options, at)));
}
HeldContext::~HeldContext() { close(); }

Context& HeldContext::get() {
  if (!context_) throw py::value_error("this context is closed: acquire another with tv.Context(...)");
  return *context_;
}
void HeldContext::close() {
  if (!context_) return;
  py::gil_scoped_release const others_may_run;
  context_.reset();
}
void HeldContext::keep(const trace::Trace& t) {
  std::lock_guard const lock(mutex_);
  traces_.push_back(t);
}
std::vector<trace::Trace> HeldContext::traces() {
  std::lock_guard const lock(mutex_);
  return traces_;
}

namespace {

/// The variable that a line of Python sets; looked for once. Names of files are kept, so that their addresses tell them
/// apart.
const std::string& variable_at(const Where& at) {
  static std::map<std::pair<const char*, unsigned>, std::string> known;
  auto const [found, fresh] = known.try_emplace({at.file, at.line});
  if (fresh) found->second = py::module_::import("tcp_visa._names").attr("variable_at")(at.file, at.line).cast<std::string>();
  return found->second;
}

/// A kernel that is being recorded, from the call of the Python function to its end.
class Call {
 public:
  Call(HeldContext& ctx, std::int64_t chips, const std::string& name)
      : job_(tcp::detail::open_job(ctx.get().session(), chips, "")), session_(ctx.get().session()) {
    if (!tcp::detail::is_open(job_.get())) tcp::detail::finish_job(job_.get());
    session_->recording({}).module.name = name;
  }
  py::object run(const py::object& function, const py::args& args, const py::kwargs& kwargs) {
    for (const py::handle each : args) check_context(each);
    for (auto const& [name, each] : kwargs) check_context(each);
    RecordingScope const scope(session_);
    try {
      return function(*args, **kwargs);
    } catch (py::error_already_set& e) {
      fail(e.what());
      throw;
    } catch (const Refused&) {
      tcp::detail::fail_job(job_.get());
      throw;
    }
  }
  /// Tensors are called as the source calls them: arguments by the parameter, others by the variable that their line
  /// sets.
  void name_tensors(const std::vector<std::string>& parameters, const py::args& args) {
    tcp::detail::Recording& r = session_->recording({});
    for (const tcp::detail::Exchange& a : r.arguments)
      for (std::size_t i = 1; i < args.size() && i <= parameters.size(); ++i)
        if (py::isinstance<dyn::Tensor>(args[i]) && args[i].cast<const dyn::Tensor&>().node() == a.node.get())
          r.module.tensors[a.id].name = parameters[i - 1];
    for (std::size_t i = 0; i < r.module.tensors.size(); ++i) {
      ir::Tensor& t = r.module.tensors[i];
      if (t.name.empty() && t.at.known()) t.name = variable_at(t.at);
      if (t.name.empty()) t.name = "t" + std::to_string(i);
    }
  }
  const tcp::detail::JobHandle& job() const { return job_; }
  tcp::detail::Session* session() const { return session_; }

 private:
  /// A tensor is in the memory of its context's device.
  void check_context(py::handle given) const {
    if (!py::isinstance<dyn::Tensor>(given)) return;
    const auto* const node = given.cast<const dyn::Tensor&>().node();
    if (node == nullptr || node->session == session_) return;
    fail_quietly();
    throw Refused(refuse("python-argument", here())
                      .what("a tensor of another context is given, or of one that is closed")
                      .why("a tensor is in the memory of the device that its context has")
                      .help("bring it over: ctx.tensor(x.numpy(), \"A\"), or give the array itself"));
  }
  void fail_quietly() const {
    try {
      throw std::runtime_error("the kernel was not recorded");
    } catch (...) {
      tcp::detail::fail_job(job_.get());
    }
  }
  /// A Python exception is not kept: tensors that are left of the kernel say what was thrown in words.
  void fail(const std::string& words) {
    try {
      throw std::runtime_error("a Python exception: " + words.substr(0, 100));
    } catch (...) {
      tcp::detail::fail_job(job_.get());
    }
  }

  tcp::detail::JobHandle job_;
  tcp::detail::Session* session_;
};

/// A kernel that was launched.
struct Launched {
  tcp::detail::JobHandle job;
  py::object result;
  std::shared_ptr<HeldContext> context;

  /// Until it has run; Ctrl-C is asked about now and then, more seldom the longer it takes.
  void wait() {
    using clock = std::chrono::steady_clock;
    auto const begin = clock::now();
    auto const spent = [&] { return clock::now() - begin; };
    {
      py::gil_scoped_release const others_may_run;
      while (!tcp::detail::is_done(job.get()) && spent() < std::chrono::milliseconds(2)) std::this_thread::yield();
    }
    while (!tcp::detail::is_done(job.get())) {
      if (PyErr_CheckSignals() != 0) {
        context->ask_to_stop();
        throw py::error_already_set();
      }
      py::gil_scoped_release const others_may_run;
      auto const pause = std::min<clock::duration>(spent() / 20, std::chrono::milliseconds(10));
      auto const until = clock::now() + pause;
      while (!tcp::detail::is_done(job.get()) && clock::now() < until)
        std::this_thread::sleep_for(std::min<clock::duration>(pause, std::chrono::microseconds(100)));
    }
  }
  py::object get() {
    wait();
    tcp::detail::finish_job(job.get());
    return result;
  }
};

Launched launch(const std::shared_ptr<HeldContext>& ctx, const py::object& function, std::int64_t chips, const std::string& name,
                const std::vector<std::string>& parameters, const py::args& args, const py::kwargs& kwargs) {
  Call call(*ctx, chips, name);
  py::object result = call.run(function, args, kwargs);
  call.name_tensors(parameters, args);
  tcp::detail::submit_job(call.job().get());
  return {call.job(), std::move(result), ctx};
}

/// A kernel that was recorded, and where its arguments and results are in it.
struct HeldRecording {
  std::shared_ptr<HeldContext> context;
  ir::Verified module;
  std::vector<tcp::detail::Handle> arguments;  // that the kernel was recorded with, in the module's order
  std::vector<std::size_t> results;            // of the tensors that the function returned, in the order in which it did
  std::optional<program::Program> program{};   // lowered once, when it is asked for

  const program::Program& lowered() {
    if (!program) program = value_or_throw(lower::lower(module));
    return *program;
  }
};

void add_tensors(py::handle given, std::vector<tcp::detail::Node*>& to) {
  if (py::isinstance<dyn::Tensor>(given)) to.push_back(given.cast<const dyn::Tensor&>().node());
  else if (PyTuple_Check(given.ptr()) || PyList_Check(given.ptr()))
    for (py::handle each : given) add_tensors(each, to);
  else if (PyDict_Check(given.ptr()))
    for (auto const& [key, value] : given.cast<py::dict>()) add_tensors(value, to);
}

HeldRecording recorded(const std::shared_ptr<HeldContext>& ctx, const py::object& function, std::int64_t chips, const std::string& name,
                       const std::vector<std::string>& parameters, const py::args& args, const py::kwargs& kwargs) {
  Call call(*ctx, chips, name);
  py::object const result = call.run(function, args, kwargs);
  call.name_tensors(parameters, args);
  std::vector<tcp::detail::Node*> nodes;
  add_tensors(result, nodes);
  std::vector<ir::TensorId> ids;
  for (const tcp::detail::Node* node : nodes) ids.push_back(node == nullptr ? ir::none : node->id);
  std::vector<tcp::detail::Handle> arguments;
  for (const tcp::detail::Exchange& a : call.session()->recording({}).arguments) arguments.push_back(a.node);
  std::optional<ir::Verified> module;
  try {
    module = tcp::detail::keep_recording(call.job().get());
  } catch (...) {
    tcp::detail::fail_job(call.job().get());
    throw;
  }
  HeldRecording out{ctx, *module, std::move(arguments), {}};
  const auto& results = out.module.module().results;
  for (ir::TensorId id : ids) {
    auto const at = std::find(results.begin(), results.end(), id);
    out.results.push_back(at == results.end() ? results.size() : static_cast<std::size_t>(at - results.begin()));
  }
  return out;
}

/// A tensor in HBM between kernels with these contents.
dyn::Tensor settled(tcp::detail::Session* session, ScalarType type, const Levels& levels, std::shared_ptr<const Image> image) {
  auto node = std::make_unique<tcp::detail::Node>();
  node->session = session;
  session->retain();
  node->memory = Memory::Hbm;
  node->type = type;
  node->levels = std::make_shared<const Levels>(levels);
  tcp::detail::Handle handle(node.release());
  std::int64_t const bytes = tcp::detail::bytes_per_memory(type, levels[Level::element]);
  std::int64_t at = 0;
  for (const ir::Taken& t : session->taken()) {
    if (t.memory != Memory::Hbm) continue;
    if (at + bytes <= t.bytes.begin.value) break;
    at = std::max(at, round_up(t.bytes.end.value, std::int64_t{256}));
  }
  auto contents = std::make_shared<tcp::detail::Contents>();
  contents->image = std::move(image);
  session->settle(*handle.get(), tcp::detail::extent_of(*handle.get(), at), std::move(contents));
  return dyn::Tensor(std::move(handle));
}

Expected<Images> run_recording(HeldRecording& r, const Images& arguments) {
  const ContextOptions& how = r.context->options;
  switch (how.backend) {
    case BackendKind::vector: {
      vector::Options options;
      options.check = how.check;
      options.threads = how.threads > 0 ? how.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
      return vector::run(r.module, arguments, options);
    }
    case BackendKind::reference: {
      const ir::Module& module = r.module.module();
      std::vector<reference::Value> values;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ir::Tensor& t = module.tensor(module.arguments[i]);
        values.push_back(reference::from_image(*arguments[i], t.type, module.levels(t)));
      }
      auto outcome = reference::run(r.module, std::move(values), {how.check, {}});
      if (!outcome) return outcome.refusal();
      Images images;
      for (std::size_t i = 0; i < outcome->results.size(); ++i)
        images.push_back(
            std::make_shared<const Image>(reference::to_image(outcome->results[i], module.levels(module.tensor(module.results[i])))));
      return images;
    }
    default: {
      SimulateOptions options;
      options.check = how.check;
      options.model = how.model;
      options.reorder = how.reorder;
      options.on_trace = [&](trace::Trace t) {
        r.context->keep(t);
        return accept();
      };
      return simulate(r.module.module(), r.module.device(), r.lowered(), arguments, options);
    }
  }
}

/// Runs what was recorded on other tensors of the same types: what was planned stays.
std::vector<dyn::Tensor> run_again(HeldRecording& r, const std::vector<dyn::Tensor>& given) {
  const ir::Module& module = r.module.module();
  if (r.context->options.backend == BackendKind::plan) throw py::value_error("the backend plan computes no values");
  if (given.size() != module.arguments.size())
    throw py::value_error("the kernel reads " + std::to_string(module.arguments.size()) + " tensors, and " + std::to_string(given.size()) +
                          " are given");
  Where const at = here();
  tcp::detail::Session* const session = r.context->get().session();
  std::vector<std::shared_ptr<const tcp::detail::Contents>> contents;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const ir::Tensor& wanted = module.tensor(module.arguments[i]);
    Levels const levels = module.levels(wanted), own = given[i].levels();
    bool same = given[i].type() == wanted.type;
    for (int l = 0; l < level_count; ++l) same = same && levels.at[l] == own.at[l];
    if (!same) throw py::value_error("argument " + std::to_string(i) + " has another type or layout than the kernel was prepared for");
    contents.push_back(session->contents_of(*given[i].node(), at));
  }
  Images results;
  {
    py::gil_scoped_release const others_may_run;
    Images arguments;
    for (const auto& c : contents) arguments.push_back(tcp::detail::image_of(*c));
    results = value_or_throw(run_recording(r, arguments));
  }
  std::vector<dyn::Tensor> out;
  for (std::size_t i : r.results) {
    if (i >= results.size()) throw py::value_error("a prepared kernel returns whole tensors in HBM");
    const ir::Tensor& t = module.tensor(module.results[i]);
    if (t.memory != Memory::Hbm) throw py::value_error("a prepared kernel returns whole tensors in HBM");
    out.push_back(settled(session, t.type, module.levels(t), results[i]));
  }
  return out;
}

class Region {
 public:
  Region(std::shared_ptr<HeldContext> ctx, std::string name, std::int64_t index, bool kept_round)
      : ctx_(std::move(ctx)), name_(std::move(name)), index_(index), round_(kept_round) {}
  void enter() { mark_ = std::make_unique<RegionMark>(ctx_->get().session(), kept(name_), index_, here(), round_); }
  void leave() { mark_.reset(); }

 private:
  std::shared_ptr<HeldContext> ctx_;
  std::string name_;
  std::int64_t index_;
  bool round_;
  std::unique_ptr<RegionMark> mark_;
};

Mapping or_one(const MapArg& m) { return m.alone(); }

}  // namespace

void bind_runtime(py::module_& m) {
  py::class_<Device, std::shared_ptr<Device>>(m, "Chip", "A chip: one that we ship (rngd, rngd_s, logical), or a chip file.")
      .def(py::init([](const std::string& name_or_path) { return value_or_throw(find_device(name_or_path)); }), py::arg("name_or_path"))
      .def_static(
          "from_text", [](const std::string& words, const std::string& name) { return value_or_throw(parse_device(words, name)); },
          py::arg("text"), py::arg("name") = "<text>", "From the text of a chip file.")
      .def_property_readonly(
          "name", [](const Device& d) { return std::string(d.name.view()); }, "As reports call it.")
      .def_property_readonly("text", &to_chip_file, "All of its numbers, as a chip file.");

  py::class_<Region>(m, "Region", "Marks what is recorded inside of `with` as one iteration of a named region, for reports.")
      .def("__enter__",
           [](py::object self) {
             self.cast<Region&>().enter();
             return self;
           })
      .def("__exit__", [](Region& r, const py::args&) { r.leave(); });

  py::class_<HeldContext, std::shared_ptr<HeldContext>> context(m, "_Context", "The device, for one user at a time.");
  context
      .def(py::init<const std::string&, const Device&, const std::string&, bool, bool, int, std::int64_t, const std::string&, bool,
                    const py::object&, const std::string&>(),
           py::arg("backend"), py::arg("chip"), py::arg("model"), py::arg("reorder"), py::arg("check"), py::arg("threads"),
           py::arg("chips"), py::arg("numeric"), py::arg("wait"), py::arg("progress"), py::arg("dump"))
      .def("close", &HeldContext::close, "What was launched is finished, and the device is free for the next context.")
      .def_property_readonly(
          "closed", [](const HeldContext& c) { return c.closed(); }, "Whether the device was given back.")
      .def_property_readonly(
          "chip", [](const HeldContext& c) { return std::make_shared<Device>(c.device); }, "The chip that kernels are checked for.")
      .def_property_readonly(
          "backend", [](const HeldContext& c) { return std::string(name_of(c.options.backend)); }, "vector, reference, device or plan.")
      .def_property_readonly(
          "recording", [](HeldContext& c) { return c.get().session()->is_recording(); }, "Whether a kernel is being recorded.")
      .def_property_readonly(
          "main", [](HeldContext& c) { return dyn::main(c.get()); }, "The main context of the Tensor Unit.")
      .def_property_readonly(
          "main_dual", [](HeldContext& c) { return dyn::main_dual(c.get()); },
          "Main with both channels of the switch; the sub context is then occupied.")
      .def_property_readonly(
          "sub", [](HeldContext& c) { return dyn::sub(c.get()); }, "The sub context of the Tensor Unit.")
      .def("traces", &HeldContext::traces, "Of every launch so far, with the backends device and plan.")
      .def(
          "region",
          [](std::shared_ptr<HeldContext> c, const std::string& name, std::int64_t index) {
            return Region(std::move(c), name, index, false);
          },
          py::arg("name"), py::arg("index") = 0, "with ctx.region('tile', 3): what is recorded is one iteration of a region.")
      .def(
          "round",
          [](std::shared_ptr<HeldContext> c, const std::string& name, std::int64_t index) {
            return Region(std::move(c), name, index, true);
          },
          py::arg("name"), py::arg("index"), "A region for a round of a loop that is not unrolled.")
      .def(
          "hbm",
          [](HeldContext& c, const TypeArg& type, const MapArg& element, const MapArg& chip) {
            return dyn::Tensor::hbm(c.get(), type.type, or_one(chip), element.alone(), here());
          },
          py::arg("type"), py::arg("element"), py::arg("chip") = 1, "In a kernel: a new tensor in HBM, undefined until it is written.")
      .def(
          "dm",
          [](HeldContext& c, const TypeArg& type, const MapArg& cluster, const MapArg& slice, const MapArg& element, const MapArg& chip) {
            return dyn::Tensor::dm(c.get(), type.type, or_one(chip), cluster.alone(), slice.alone(), element.alone(), here());
          },
          py::arg("type"), py::arg("cluster"), py::arg("slice"), py::arg("element"), py::arg("chip") = 1,
          "In a kernel: a new tensor in DM.")
      .def(
          "hbm_at",
          [](HeldContext& c, std::int64_t address, const TypeArg& type, const MapArg& element, const MapArg& chip) {
            (void)c.get();
            return dyn::Tensor::hbm_at(address, type.type, or_one(chip), element.alone(), here());
          },
          py::arg("address"), py::arg("type"), py::arg("element"), py::arg("chip") = 1, "In a kernel: whatever is at an address of HBM.")
      .def(
          "dm_at",
          [](HeldContext& c, std::int64_t address, const TypeArg& type, const MapArg& cluster, const MapArg& slice, const MapArg& element,
             const MapArg& chip) {
            (void)c.get();
            return dyn::Tensor::dm_at(address, type.type, or_one(chip), cluster.alone(), slice.alone(), element.alone(), here());
          },
          py::arg("address"), py::arg("type"), py::arg("cluster"), py::arg("slice"), py::arg("element"), py::arg("chip") = 1,
          "In a kernel: whatever is at an address of DM.")
      .def(
          "declared",
          [](HeldContext& c, const TypeArg& type, const MapArg& element, const MapArg& chip, std::optional<std::int64_t> address) {
            return dyn::Tensor::declared(c.get(), type.type, or_one(chip), element.alone(), address_of(address), here());
          },
          py::arg("type"), py::arg("element"), py::arg("chip") = 1, py::arg("address") = py::none(),
          "Between kernels: a tensor in HBM without values, an argument of a kernel that is recorded and not run.")
      .def(
          "memset", [](HeldContext& c, const dyn::Tensor& to, double value) { dyn::memset(c.get(), to, value, here()); }, py::arg("to"),
          py::arg("value"), "One value into all elements of a tensor in DM, by the sub context.")
      .def(
          "_upload",
          [](HeldContext& c, const TypeArg& type, const py::buffer& array, const MapArg& host, const MapArg& chip, const MapArg& element,
             std::optional<std::int64_t> address) {
            return uploaded(c.get().session(), type.type, array, host.alone(), chip.alone(), element.alone(), address_of(address));
          },
          py::arg("type"), py::arg("array"), py::arg("host"), py::arg("chip"), py::arg("element"), py::arg("address") = py::none())
      .def("_launch", &launch, py::arg("function"), py::arg("chips"), py::arg("name"), py::arg("parameters"),
           "Records a kernel, and leaves it to the device.")
      .def("_record", &recorded, py::arg("function"), py::arg("chips"), py::arg("name"), py::arg("parameters"),
           "Records a kernel, and does not run it.");

  py::class_<Launched>(m, "Launch", "A kernel that was launched.")
      .def("wait", &Launched::wait, "Waits until the kernel has run, or was rejected. Other threads of Python run meanwhile.")
      .def_property_readonly(
          "done", [](const Launched& l) { return tcp::detail::is_done(l.job.get()); }, "Whether it has run, or was rejected.")
      .def("get", &Launched::get, "What the kernel returned, once it has run. Raises the error, if there is one.");

  py::class_<HeldRecording, std::shared_ptr<HeldRecording>>(m, "_Recording",
                                                            "A kernel that was recorded: verified, and all its tensors placed.")
      .def_property_readonly(
          "text", [](const HeldRecording& r) { return ir::print(r.module.module()); }, "The text form.")
      .def_property_readonly(
          "_arguments",
          [](const HeldRecording& r) {
            std::vector<dyn::Tensor> out;
            for (const auto& handle : r.arguments) out.emplace_back(handle);
            return out;
          },
          "The tensors that it was recorded with, in the order in which it reads them.")
      .def(
          "_argument_order",
          [](const HeldRecording& r, const std::vector<dyn::Tensor>& given) {
            std::vector<std::size_t> out;
            for (const auto& handle : r.arguments)
              for (std::size_t i = 0; i < given.size(); ++i)
                if (given[i].node() == handle.get()) {
                  out.push_back(i);
                  break;
                }
            return out;
          },
          py::arg("given"))
      .def("_run", &run_again, py::arg("arguments"), "With other tensors of the same types, in the module's order.")
      .def(
          "cycles",
          [](HeldRecording& r, const std::string& model) {
            py::gil_scoped_release const others_may_run;
            return value_or_throw(plan(r.lowered(), r.module.device(), {.model = model})).schedule.makespan.value;
          },
          py::arg("model") = "book", "From the begin of the first command to the end of the last.")
      .def(
          "trace",
          [](HeldRecording& r, const std::string& model, bool reorder) {
            py::gil_scoped_release const others_may_run;
            return trace_of(r.lowered(), value_or_throw(plan(r.lowered(), r.module.device(), {.model = model, .reorder = reorder})),
                            r.module.device());
          },
          py::arg("model") = "book", py::arg("reorder") = false,
          "When each command runs, and why, by a timing model; nothing is computed.");
}

}  // namespace tcp::python
