// Streams: the methods are made from the front end's header and the stage table (make_stages.py); what is a template
// there is written out here.
#include "begun.hpp"
#include "bind.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::python {

namespace {

#include "stages.inc"

template <class Visit>
void with_type(ScalarType type, Visit&& visit) {
  switch (type) {
    case ScalarType::i4: return visit(i4{});
    case ScalarType::i8: return visit(i8{});
    case ScalarType::i16: return visit(i16{});
    case ScalarType::i32: return visit(i32{});
    case ScalarType::f4e2m1: return visit(f4e2m1{});
    case ScalarType::f8e4m3: return visit(f8e4m3{});
    case ScalarType::f8e5m2: return visit(f8e5m2{});
    case ScalarType::f16: return visit(f16{});
    case ScalarType::bf16: return visit(bf16{});
    case ScalarType::f32: return visit(f32{});
    default: break;
  }
  throw py::value_error("a table has entries of a type that memory holds, not i5 or i9");
}

/// A table of 16 or 256 entries as raw bits.
dyn::Stream fetched_with_table(const Begun& self, const TypeArg& from, const TypeArg& to, const std::vector<std::uint32_t>& bits,
                               const std::string& name, const TypeArg& type, const MapArg& time, const MapArg& packet) {
  std::optional<dyn::Stream> made;
  with_type(from.type, [&](auto in) {
    using In = decltype(in);
    if constexpr (scalar_info(In::type).bits > 8) throw py::value_error("a table is indexed by 4 or 8 bits");
    else
      with_type(to.type, [&](auto out) {
        using Out = decltype(out);
        LookupTable<In, Out> table(kept(name));
        if (bits.size() != static_cast<std::size_t>(table.entries))
          throw py::value_error("a table for " + std::string(scalar_info(In::type).name) + " has " + std::to_string(table.entries) +
                                " entries, and " + std::to_string(bits.size()) + " are given");
        for (int i = 0; i < table.entries; ++i) table[i] = Out::from_bits(bits[static_cast<std::size_t>(i)]);
        made.emplace(dyn::Begin(self.begin).fetch_with_table(table, type.type, time.over(self.levels), packet.over(self.levels), here()));
      });
  });
  return *made;
}

}  // namespace

void bind_stages(py::module_& m) {
  py::class_<Begun> begin(m, "Begin", "The begin of a pass: a fetch follows.");
  py::class_<dyn::Stream> stream(
      m, "Stream", "A stream on its way from the Fetch Engine to its sink. Each call gives what comes out of the next engine.");
  bind_begin_methods(begin);
  bind_stream_methods(stream);
  begin.def("_fetch_with_table", &fetched_with_table, py::arg("source"), py::arg("to"), py::arg("bits"), py::arg("name"), py::arg("type"),
            py::arg("time"), py::arg("packet"), "For fetch_with_table: the table as raw bits.");
  stream
      .def_property_readonly(
          "type", [](const dyn::Stream& s) { return std::string(scalar_info(s.type()).name); }, "The type of its elements.")
      .def_property_readonly("levels", [](const dyn::Stream& s) { return s.levels(); }, "Chip, Cluster, Slice, Row, Time and Packet.");

  py::class_<dyn::TuContext>(m, "TuContext", "A context of the Tensor Unit: passes begin here.")
      .def(
          "begin", [](const dyn::TuContext& c, const dyn::Tensor& tensor) { return Begun{c.begin(tensor, here()), tensor.levels()}; },
          py::arg("tensor"), "A pass over a tensor in DM.")
      .def(
          "begin_interleaved",
          [](const dyn::TuContext& c, const AxisArg& axis, const dyn::Tensor& first, const dyn::Tensor& second) {
            Levels levels = first.levels();
            levels.set(Level::time, axis_mapping(Name(axis.name), 2));
            return Begun{c.begin_interleaved(axis.name, first, second, here()), levels};
          },
          py::arg("axis"), py::arg("first"), py::arg("second"), "Two tensors that take turns, told apart by an axis of size 2 in Time.");
}

}  // namespace tcp::python
