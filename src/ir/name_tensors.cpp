// Which line may name which tensor; what a line says is read in support/source_names.cpp.
#include "tcp/ir/module.hpp"

#include <string_view>
#include <vector>

#include "ir/lives.hpp"

namespace tcp::ir {

namespace {

class Namer {
 public:
  Namer(Module& module, const LineReader& lines) : module_(module), lines_(lines) {}

  void run() {
    for (std::size_t i = 0; i < module_.arguments.size(); ++i)
      name_exchanged(module_.arguments[i], "argument", i, module_.arguments.size());
    for (std::size_t i = 0; i < module_.results.size(); ++i) name_exchanged(module_.results[i], "result", i, module_.results.size());
    for (const Command& c : module_.commands) std::visit([&](const auto& what) { name_ends(what, c.at); }, c.what);
  }

 private:
  Tensor& root(TensorId id) { return module_.tensors[module_.root_of(id)]; }

  /// A kernel in text form may well write the number of a tensor in the place of its name.
  bool written_as_number(TensorId id, Where at) const {
    return lines_(at.file, at.line).find("%" + std::to_string(id.number)) != std::string::npos;
  }
  void name_exchanged(TensorId id, const std::string& role, std::size_t position, std::size_t of) {
    Tensor& t = root(id);
    if (!t.name.empty() || written_as_number(id, t.at)) return;
    if (role == "argument") t.name = receiver_at(lines_, t.at.file, t.at.line);
    if (t.name.empty()) t.name = of == 1 ? role : role + " " + std::to_string(position);
  }

  void name_source(TensorId id, Where at) {
    if (Tensor& t = root(id); t.name.empty()) t.name = receiver_at(lines_, at.file, at.line);
  }
  /// The variable that the line sets, or the function that returns the tensor.
  void name_destination(TensorId id, Where at) {
    Tensor& t = root(id);
    if (!t.name.empty()) return;
    t.name = variable_at(lines_, at.file, at.line);
    if (!t.name.empty() || lines_(at.file, at.line).empty()) return;
    std::string function = short_function(at.function);
    if (constexpr std::string_view call = "::operator()"; function.ends_with(call)) function.resize(function.size() - call.size());
    t.name = function.substr(function.rfind(':') + 1);
  }

  void name_ends(const Pass& p, Where at) {
    for (TensorId id : p.source) name_source(id, at);
    if (p.stages.empty()) return;
    for (TensorId id : uses_of(p.stages.back().what).writes) name_destination(id, at);
  }
  void name_ends(const Transfer& t, Where at) {
    name_source(t.source, at);
    name_destination(t.destination, at);
  }
  void name_ends(const HostTransfer& t, Where at) {
    name_source(t.source, at);
    name_destination(t.destination, at);
  }
  void name_ends(const Memset& m, Where at) { name_destination(m.destination, at); }

  Module& module_;
  const LineReader& lines_;
};

}  // namespace

void name_tensors(Module& module, const LineReader& lines) { Namer(module, lines).run(); }

}  // namespace tcp::ir
