// Kernels that Python did not record: the text form, and kernels in Rust. A module is verified when it is made, and runs
// on arrays of raw bits, which the package turns into arrays of its types.
#include <algorithm>
#include <map>
#include <thread>

#include "bind.hpp"
#include "context.hpp"
#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/runtime/simulate.hpp"
#include "tcp/rust/crate.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::python {

namespace {

using Bits = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

struct HeldModule {
  ir::Verified module;
  std::shared_ptr<const rust::Crate> crate{};  // whose files its places name
  std::vector<std::string> notes{};
  std::vector<std::string> scalars{};  // the parameters that are numbers

  const ir::Module& get() const { return module.module(); }
};

HeldModule held(ir::Module module, const Device& chip) {
  return {value_or_throw(ir::placed(value_or_throw(ir::verify(std::move(module), chip))))};
}

/// (name, type, [(axis, size)]) of arguments or results.
py::list signature(const ir::Module& module, const std::vector<ir::TensorId>& ids) {
  py::list out;
  std::map<std::string, int> times;  // two may have the same name
  for (ir::TensorId id : ids) {
    const ir::Tensor& t = module.tensor(id);
    std::string name = t.name.empty() ? "t" + std::to_string(id.number) : t.name;
    if (int const before = times[name]++; before > 0) name += "_" + std::to_string(before + 1);
    py::list axes;
    for (const auto& a : reference::axes_of(module.levels(t))) axes.append(py::make_tuple(std::string(text(a.name).s), a.size));
    out.append(py::make_tuple(name, std::string(scalar_info(t.type).name), axes));
  }
  return out;
}

reference::Value value_of(const ir::Module& module, ir::TensorId id, const Bits& bits) {
  const ir::Tensor& t = module.tensor(id);
  reference::Value value(t.type, reference::axes_of(module.levels(t)));
  if (value.size() != bits.size()) throw py::value_error("an argument has another number of elements than its mapping");
  const std::uint32_t* const from = bits.data();
  for (std::int64_t i = 0; i < value.size(); ++i) value[i].bits = from[i];
  return value;
}

Expected<std::vector<reference::Value>> run_values(const HeldModule& m, std::vector<reference::Value> arguments, BackendKind backend,
                                                   bool check, const std::string& model, std::optional<trace::Trace>& trace) {
  const ir::Module& module = m.get();
  auto const in_memory = [&](ir::TensorId id) {
    Memory const memory = module.tensor(id).memory;
    return memory == Memory::Hbm || memory == Memory::Dm || memory == Memory::Host;
  };
  bool images_for_all = true;
  for (const auto* list : {&module.arguments, &module.results})
    for (ir::TensorId id : *list) images_for_all = images_for_all && in_memory(id);
  if (backend == BackendKind::reference || (backend == BackendKind::vector && !images_for_all)) {
    auto outcome = reference::run(m.module, std::move(arguments), {check, {}});
    if (!outcome) return outcome.refusal();
    return std::move(outcome->results);
  }
  Images images;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    images.push_back(std::make_shared<const Image>(reference::to_image(arguments[i], module.levels(module.tensor(module.arguments[i])))));
  Expected<Images> out = [&]() -> Expected<Images> {
    if (backend == BackendKind::vector) {
      vector::Options options;
      options.check = check;
      options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
      return vector::run(m.module, images, options);
    }
    SimulateOptions options;
    options.check = check;
    options.model = model;
    options.on_trace = [&](trace::Trace t) {
      trace = std::move(t);
      return accept();
    };
    return simulate(m.module, images, options);
  }();
  if (!out) return out.refusal();
  std::vector<reference::Value> results;
  for (std::size_t i = 0; i < out->size(); ++i) {
    const ir::Tensor& t = module.tensor(module.results[i]);
    results.push_back(reference::from_image(*(*out)[i], t.type, module.levels(t)));
  }
  return results;
}

py::tuple run(const HeldModule& m, const std::vector<Bits>& given, const std::string& backend, bool check, const std::string& model) {
  const ir::Module& module = m.get();
  if (given.size() != module.arguments.size()) throw py::value_error("another number of arguments than the module has");
  std::vector<reference::Value> arguments;
  for (std::size_t i = 0; i < given.size(); ++i) arguments.push_back(value_of(module, module.arguments[i], given[i]));
  BackendKind const kind = backend_named(backend);
  if (kind == BackendKind::plan) throw py::value_error("the backend plan computes no values: ask for .trace()");
  std::optional<trace::Trace> trace;
  std::optional<Expected<std::vector<reference::Value>>> results;
  {
    py::gil_scoped_release const others_may_run;
    results.emplace(run_values(m, std::move(arguments), kind, check, model, trace));
  }
  if (!*results) throw Refused(results->refusal());
  py::list out;
  for (const reference::Value& v : **results) {
    py::array_t<std::uint32_t> bits(v.size());
    std::uint32_t* const to = bits.mutable_data();
    for (std::int64_t i = 0; i < v.size(); ++i) to[i] = v[i].bits;
    out.append(bits);
  }
  return py::make_tuple(out, trace ? py::cast(std::make_shared<trace::Trace>(std::move(*trace))) : py::object(py::none()));
}

[[noreturn]] void throw_source_error(const rust::SourceError& e) {
  Refusal r = e.refusal;
  r.at.file = kept(r.at.file);  // the crate may go before the error does
  throw Refused(r);
}

struct HeldCrate {
  std::shared_ptr<rust::Crate> crate;

  /// scale, layers::scale, scale::<64, m![A / 8]>.
  rust::Kernel kernel(const std::string& asked) const {
    std::size_t const generics = asked.find("::<");
    std::string const name = asked.substr(0, generics);
    for (rust::Kernel k : crate->kernels()) {
      if (k.name != name && k.path != name) continue;
      if (generics != asked.npos && asked.back() == '>') k.arguments = asked.substr(generics + 3, asked.size() - generics - 4);
      return k;
    }
    throw py::key_error(asked);
  }
};

}  // namespace

void bind_modules(py::module_& m) {
  py::class_<HeldModule, std::shared_ptr<HeldModule>>(m, "_Module", "A kernel as commands: verified, and all its tensors placed.")
      .def_property_readonly("name", [](const HeldModule& h) { return h.get().name; })
      .def_property_readonly(
          "text", [](const HeldModule& h) { return ir::print(h.get()); }, "The canonical text form.")
      .def_property_readonly(
          "cpp", [](const HeldModule& h) { return value_or_throw(ir::print_cpp(h.get())); }, "The kernel as typed C++.")
      .def_property_readonly("_arguments", [](const HeldModule& h) { return signature(h.get(), h.get().arguments); })
      .def_property_readonly("_results", [](const HeldModule& h) { return signature(h.get(), h.get().results); })
      .def_property_readonly(
          "notes", [](const HeldModule& h) { return h.notes; }, "What was assumed when it was read.")
      .def_property_readonly("_scalars", [](const HeldModule& h) { return h.scalars; })
      .def("__len__", [](const HeldModule& h) { return h.get().commands.size(); })
      .def(
          "same_program",
          [](const HeldModule& a, const HeldModule& b, bool names) {
            if (names) return ir::same_program(a.get(), b.get());
            auto const nameless = [](ir::Module module) {
              module.name.clear();
              for (ir::Tensor& t : module.tensors) t.name.clear();
              return module;
            };
            return ir::same_program(nameless(a.get()), nameless(b.get()));
          },
          py::arg("other"), py::arg("names") = true, "Equal but for source lines; `names=False`: and for names of tensors.")
      .def("_run", &run, py::arg("arguments"), py::arg("backend"), py::arg("check"), py::arg("model"))
      .def(
          "trace",
          [](const HeldModule& h, const std::string& model, bool reorder) {
            py::gil_scoped_release const others_may_run;
            program::Program const program = value_or_throw(lower::lower(h.module));
            return trace_of(program, value_or_throw(plan(program, h.module.device(), {.model = model, .reorder = reorder})),
                            h.module.device());
          },
          py::arg("model") = "book", py::arg("reorder") = false, "When each command runs, and why; nothing is computed.")
      .def(
          "cycles",
          [](const HeldModule& h, const std::string& model) {
            py::gil_scoped_release const others_may_run;
            program::Program const program = value_or_throw(lower::lower(h.module));
            return value_or_throw(plan(program, h.module.device(), {.model = model})).schedule.makespan.value;
          },
          py::arg("model") = "book");
  m.def(
      "_parse_all",
      [](const std::string& words, const std::string& name, const Device& chip) {
        std::vector<HeldModule> out;
        for (ir::Module& module : value_or_throw(ir::parse_all(words, kept(name)))) out.push_back(held(std::move(module), chip));
        return out;
      },
      py::arg("text"), py::arg("name"), py::arg("chip"));

  py::class_<HeldCrate>(m, "_Crate", "Kernels written in Rust for the vendor's crate.")
      .def_static(
          "open",
          [](const std::string& path) {
            HeldCrate c{std::make_shared<rust::Crate>(value_or_throw(rust::Crate::open(path)))};
            if (!c.crate->errors().empty()) throw_source_error(c.crate->errors().front());
            return c;
          },
          py::arg("path"))
      .def_static(
          "of_text",
          [](const std::string& words, const std::string& name) {
            HeldCrate c{std::make_shared<rust::Crate>(rust::Crate::of_text(name, words))};
            if (!c.crate->errors().empty()) throw_source_error(c.crate->errors().front());
            return c;
          },
          py::arg("text"), py::arg("name") = "<text>")
      .def_property_readonly("names",
                             [](const HeldCrate& c) {
                               std::vector<std::string> names;
                               for (const rust::Kernel& k : c.crate->kernels())
                                 if (!k.generic) names.push_back(k.name);
                               return names;
                             })
      .def(
          "read",
          [](const HeldCrate& c, const std::string& name, const Device& chip, const rust::LaunchScalars& scalars) {
            rust::KernelReading reading = c.crate->read(c.kernel(name), chip, scalars);
            if (!reading.module) throw_source_error(reading.errors.front());
            HeldModule out = held(std::move(*reading.module), chip);
            out.crate = c.crate;
            out.notes = std::move(reading.notes);
            out.scalars.assign(reading.scalars.begin(), reading.scalars.end());
            return out;
          },
          py::arg("name"), py::arg("chip"), py::arg("scalars"))
      .def(
          "cpp",
          [](const HeldCrate& c, const std::string& name, const Device& chip, const rust::LaunchScalars& scalars) {
            return value_or_throw(c.crate->print_cpp(c.kernel(name), chip, scalars));
          },
          py::arg("name"), py::arg("chip"), py::arg("scalars"), "The kernel in typed C++, with its names and loops.");
}

}  // namespace tcp::python
