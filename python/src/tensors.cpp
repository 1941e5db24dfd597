// Tensors in the device's memories, the transfers between them, and the way to and from NumPy's arrays, whose memory is
// read and written in place.
#include "tensors.hpp"
#include "bind.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/exec/reference/value.hpp"
#include "tcp/mapping/draw.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::python {

namespace {

Tdma tdma_of(const dyn::Tensor& t) {
  if (!t) throw py::value_error("this tensor is empty");
  return Tdma{t.node()->session};
}
Levels levels_of(const dyn::Tensor& t) { return t ? t.levels() : Levels{}; }

tcp::detail::Layout layout_of(ScalarType type, const Levels& levels) {
  tcp::detail::Layout out{type};
  for (int l = 0; l < level_count; ++l) out.level[l] = &levels.at[l];
  return out;
}

/// The bytes of an array that is contiguous and has elements as wide as the host's.
void check_elements(const py::buffer_info& info, const Mapping& host, ScalarType type) {
  std::int64_t const width = host_width(type);
  if (info.itemsize != width || info.size != host.size)
    throw py::value_error("an array of " + std::to_string(info.size) + " elements of " + std::to_string(info.itemsize) +
                          " bytes are not a tensor of " + scalar_info(type).name + " in the layout " + text_of(host));
}

std::string shown(const dyn::Tensor& t) {
  if (!t) return "Tensor()";
  std::string out = std::string("Tensor(") + text(t.memory()).s + ", " + scalar_info(t.type()).name + ",";
  Levels const levels = t.levels();
  for (int l = 0; l < level_count; ++l)
    if (!(levels.at[l] == Mapping{})) out += " " + std::string(name_of(static_cast<Level>(l))) + "[" + text_of(levels.at[l]) + "]";
  return out + ")";
}

dyn::Picks picks_of(const dyn::Tensor& index, const Named<RowKeys>& keys, std::optional<std::int64_t> first) {
  dyn::Picks picks(index, keys.value);
  return first ? picks.first(*first) : picks;
}

}  // namespace

std::int64_t host_width(ScalarType type) { return (scalar_info(type).packet_bits + 7) / 8; }

dyn::Tensor uploaded(tcp::detail::Session* session, ScalarType type, const py::buffer& array, const Mapping& host, const Mapping& chip,
                     const Mapping& element, Address address) {
  py::buffer_info const info = array.request();
  check_elements(info, host, type);
  Levels from, to;
  from.set(Level::element, host);
  to.set(Level::chip, chip).set(Level::element, element);
  Where const at = here();
  py::gil_scoped_release const others_may_run;
  return dyn::Tensor(tcp::detail::upload(session, {info.ptr, static_cast<std::size_t>(info.itemsize)}, layout_of(type, from),
                                         layout_of(type, to), address, at));
}

void bind_tensors(py::module_& m) {
  py::class_<dyn::Tensor> tensor(m, "Tensor", "A tensor in one of the device's memories, or a view of one. Copying it copies nothing.");
  tensor.def("__bool__", [](const dyn::Tensor& t) { return static_cast<bool>(t); })
      .def_property_readonly(
          "memory", [](const dyn::Tensor& t) { return std::string(text(t.memory()).s); }, "HBM, DM, TRF, VRF or SPM.")
      .def_property_readonly(
          "type", [](const dyn::Tensor& t) { return std::string(scalar_info(t.type()).name); }, "The type of its elements.")
      .def_property_readonly("levels", &levels_of, "All of its mappings.")
      .def_property_readonly(
          "element", [](const dyn::Tensor& t) { return t.levels()[Level::element]; }, "How it is laid out in one memory.")
      .def_property_readonly(
          "chip", [](const dyn::Tensor& t) { return t.levels()[Level::chip]; }, "How it is spread over chips.")
      .def(
          "named", [](dyn::Tensor& t, const std::string& name) { return t.named(kept(name)); }, py::arg("name"),
          "The name that reports show.")
      .def("__repr__", &shown)
      .def(
          "view_mut", [](const dyn::Tensor& t) { return t.view_mut(here()); }, "A view for writing into.")
      .def(
          "tile",
          [](const dyn::Tensor& t, const MapArg& dimension, std::int64_t length, std::int64_t start) {
            return t.tile(dimension.over(levels_of(t)), length, start, here());
          },
          py::arg("dimension"), py::arg("length"), py::arg("start"), "`length` steps of a factor of Element, from `start` on.")
      .def(
          "tile_as",
          [](const dyn::Tensor& t, const MapArg& dimension, std::int64_t length, std::int64_t start, const MapArg& part) {
            return t.tile_as(dimension.over(levels_of(t)), length, start, part.over(levels_of(t)), here());
          },
          py::arg("dimension"), py::arg("length"), py::arg("start"), py::arg("part"), "A tile whose mapping is given.")
      .def(
          "reshape", [](const dyn::Tensor& t, const MapArg& element) { return t.reshape(element.over(levels_of(t)), here()); },
          py::arg("element"), "All positions under other indices.")
      .def(
          "relabel",
          [](const dyn::Tensor& t, const MapArg& element, const MapArg& chip, const std::optional<MapArg>& cluster,
             const std::optional<MapArg>& slice) {
            Levels const own = levels_of(t);
            if (!cluster && !slice) return t.relabel(chip.over(own), element.over(own), here());
            return t.relabel(chip.over(own), cluster ? cluster->over(own) : Mapping{}, slice ? slice->over(own) : Mapping{},
                             element.over(own), here());
          },
          py::arg("element"), py::arg("chip") = 1, py::arg("cluster") = py::none(), py::arg("slice") = py::none(),
          "All positions under other names, those of padding as well.")
      .def(
          "reinterpret", [](const dyn::Tensor& t, const TypeArg& type) { return t.reinterpret(type.type, here()); }, py::arg("type"),
          "The bits as another type of the same width.")
      .def(
          "to_dm",
          [](const dyn::Tensor& t, const MapArg& cluster, const MapArg& slice, const MapArg& element, std::optional<std::int64_t> address) {
            Levels const own = levels_of(t);
            return t.to_dm(tdma_of(t), cluster.over(own), slice.over(own), element.over(own), address_of(address), here());
          },
          py::arg("cluster"), py::arg("slice"), py::arg("element"), py::arg("address") = py::none(), "By DMA into the slices' memory.")
      .def(
          "to_spm",
          [](const dyn::Tensor& t, const MapArg& cluster, const MapArg& pe, const MapArg& element, std::optional<std::int64_t> address) {
            Levels const own = levels_of(t);
            return t.to_spm(tdma_of(t), cluster.over(own), pe.over(own), element.over(own), address_of(address), here());
          },
          py::arg("cluster"), py::arg("pe"), py::arg("element"), py::arg("address") = py::none(), "By DMA into SPM.")
      .def(
          "to_hbm",
          [](const dyn::Tensor& t, const MapArg& element, std::optional<std::int64_t> address, const std::optional<MapArg>& chip) {
            Levels const own = levels_of(t);
            if (chip) return t.to_hbm_chips(tdma_of(t), chip->over(own), element.over(own), address_of(address), here());
            return t.to_hbm(tdma_of(t), element.over(own), address_of(address), here());
          },
          py::arg("element"), py::arg("address") = py::none(), py::arg("chip") = py::none(),
          "By DMA into HBM; `chip`: under another order of chips.")
      .def(
          "copy_to",
          [](const dyn::Tensor& t, const dyn::Tensor& to, const std::optional<MapArg>& time, const std::optional<MapArg>& packet) {
            Levels const own = levels_of(t);
            if (time.has_value() != packet.has_value()) throw py::type_error("a stream's shape is both time and packet");
            if (time) dyn::dma(tdma_of(t), t, to, time->over(own), packet->over(own), here());
            else dyn::dma(tdma_of(t), t, to, here());
          },
          py::arg("to"), py::arg("time") = py::none(), py::arg("packet") = py::none(), "By DMA into a tensor that is there.")
      .def(
          "gather_to_hbm",
          [](const dyn::Tensor& t, const AxisArg& rows, const dyn::Tensor& index, const MapArg& element,
             std::optional<std::int64_t> address, const Named<RowKeys>& keys, std::optional<std::int64_t> first) {
            return t.gather_to_hbm(tdma_of(t), rows.name, picks_of(index, keys, first), element.over(levels_of(t)), address_of(address),
                                   here());
          },
          py::arg("rows"), py::arg("index"), py::arg("element"), py::arg("address") = py::none(), py::arg("keys") = "positions",
          py::arg("first") = py::none(), "out[x] = this[x, with `rows` = index[x]].")
      .def(
          "gather_to_dm",
          [](const dyn::Tensor& t, const AxisArg& rows, const dyn::Tensor& index, const MapArg& cluster, const MapArg& slice,
             const MapArg& element, std::optional<std::int64_t> address, const Named<RowKeys>& keys, std::optional<std::int64_t> first) {
            Levels const own = levels_of(t);
            return t.gather_to_dm(tdma_of(t), rows.name, picks_of(index, keys, first), cluster.over(own), slice.over(own),
                                  element.over(own), address_of(address), here());
          },
          py::arg("rows"), py::arg("index"), py::arg("cluster"), py::arg("slice"), py::arg("element"), py::arg("address") = py::none(),
          py::arg("keys") = "positions", py::arg("first") = py::none(), "The same, into the slices' memory.")
      .def(
          "scatter",
          [](const dyn::Tensor& t, const AxisArg& rows, const dyn::Tensor& index, const dyn::Tensor& table, const Named<RowKeys>& keys,
             std::optional<std::int64_t> first) { t.scatter(tdma_of(t), rows.name, picks_of(index, keys, first), table, here()); },
          py::arg("rows"), py::arg("index"), py::arg("table"), py::arg("keys") = "positions", py::arg("first") = py::none(),
          "table[x, with `rows` = index[x]] = this[x]; rows that are not named stay.")
      .def(
          "chip_shuffle",
          [](const dyn::Tensor& t, const std::vector<std::int64_t>& source, const MapArg& chip, std::optional<std::int64_t> address) {
            return t.chip_shuffle(tdma_of(t), source, chip.over(levels_of(t)), address_of(address), here());
          },
          py::arg("source"), py::arg("chip"), py::arg("address") = py::none(), "Chip c receives what chip source[c] held.")
      .def(
          "cluster_shuffle",
          [](const dyn::Tensor& t, const std::vector<std::int64_t>& source, const MapArg& cluster, std::optional<std::int64_t> address) {
            return t.cluster_shuffle(tdma_of(t), source, cluster.over(levels_of(t)), address_of(address), here());
          },
          py::arg("source"), py::arg("cluster"), py::arg("address") = py::none(), "Cluster c receives what cluster source[c] held.")
      .def(
          "chip_slice",
          [](const dyn::Tensor& t, const MapArg& dimension, std::int64_t length, const std::vector<std::int64_t>& start, const MapArg& chip,
             const MapArg& element, std::optional<std::int64_t> address) {
            Levels const own = levels_of(t);
            return t.chip_slice(tdma_of(t), dimension.over(own), length, start, chip.over(own), element.over(own), address_of(address),
                                here());
          },
          py::arg("dimension"), py::arg("length"), py::arg("start"), py::arg("chip"), py::arg("element"), py::arg("address") = py::none(),
          "Chip c keeps `length` steps of the dimension from start[c] on.")
      .def_property_readonly(
          "_axes",
          [](const dyn::Tensor& t) {
            py::list out;
            for (const auto& a : reference::axes_of(levels_of(t))) out.append(py::make_tuple(std::string(text(a.name).s), a.size));
            return out;
          },
          "The axes that its mappings count, each as far as its live coordinates go.")
      .def(
          "_download",
          [](const dyn::Tensor& t, const py::buffer& array, const MapArg& host) {
            if (!t) throw py::value_error("this tensor is empty");
            py::buffer_info const info = array.request(true);
            Mapping const mapping = host.over(levels_of(t));
            check_elements(info, mapping, t.type());
            Levels to;
            to.set(Level::element, mapping);
            Where const at = here();
            py::gil_scoped_release const others_may_run;
            tcp::detail::download(t.node()->session, t.node(), {info.ptr, static_cast<std::size_t>(info.itemsize)}, layout_of(t.type(), to),
                                  at);
          },
          py::arg("array"), py::arg("host"), "Into an array's memory, in the layout `host`.");
}

}  // namespace tcp::python
