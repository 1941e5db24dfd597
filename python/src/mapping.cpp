// Mappings: the algebra, the text, what is at a position, and drawings.
#include "bind.hpp"
#include "tcp/device/device.hpp"
#include "tcp/mapping/draw.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::python {

namespace {

py::dict axes_of(const Mapping& m) {
  py::dict axes;
  for (int a = 0; a < m.axes; ++a) axes[py::str(std::string(text(m.axis[a].name).s))] = m.axis[a].extent;
  return axes;
}

Axes axes_given(const py::dict& sizes) {
  Axes axes;
  for (auto const& [name, size] : sizes) {
    Mapping const axis = sound(dyn::axis(name.cast<std::string>(), size.cast<std::int64_t>()));
    if (axes.n == Axes::max) throw py::value_error("more than 64 axes are declared");
    axes.name[axes.n] = Name(name.cast<std::string>());
    axes.size[axes.n++] = axis.size;
  }
  return axes;
}

py::object index_of(const Cell& c) {
  if (c.kind == CellKind::several) return py::str("several");
  if (!c.live()) return py::none();
  py::dict index;
  for (int a = 0; a < c.index.n; ++a) index[py::str(std::string(text(c.index.axis[a]).s))] = c.index.at[a];
  return index;
}

Index index_given(const py::dict& coordinates) {
  Index index;
  for (auto const& [name, at] : coordinates) index.add(Name(name.cast<std::string>()), at.cast<std::int64_t>());
  return index;
}

/// Coordinates of every position as arrays, -1 in padding: {axis: array}.
py::dict coordinates(const Mapping& m) {
  std::vector<py::array_t<std::int64_t>> arrays;
  std::vector<std::int64_t*> to;
  for (int a = 0; a < m.axes; ++a) {
    arrays.emplace_back(m.size);
    to.push_back(arrays.back().mutable_data());
  }
  for (std::int64_t i = 0; i < m.size; ++i) {
    Cell const c = cell(m, i);
    if (c.kind == CellKind::several) throw py::value_error("the positions of a window hold several elements each");
    for (int a = 0; a < m.axes; ++a) to[static_cast<std::size_t>(a)][i] = c.live() ? c.index.get(m.axis[a].name) : -1;
  }
  py::dict out;
  for (int a = 0; a < m.axes; ++a) out[py::str(std::string(text(m.axis[a].name).s))] = arrays[static_cast<std::size_t>(a)];
  return out;
}

std::string shown(const Mapping& m) {
  std::string out = "Mapping('" + text_of(m) + "'";
  for (int a = 0; a < m.axes; ++a) out += ", " + std::string(text(m.axis[a].name).s) + "=" + std::to_string(m.axis[a].extent);
  return out + ")";
}

Shown which(std::int64_t start, std::optional<std::int64_t> count, int lines) {
  Shown s;
  s.from = start;
  if (count) s.count = *count;
  s.lines = lines;
  return s;
}

template <class Of>
void add_drawings(Of& c, Levels (*levels)(const typename Of::type&)) {
  using T = typename Of::type;
  c.def(
       "factors", [levels](const T& t) { return draw_factors(levels(t)); }, "The normal form as a table, a line for each factor.")
      .def(
          "table",
          [levels](const T& t, std::int64_t start, std::optional<std::int64_t> count, int lines) {
            return value_or_throw(draw_cells(levels(t), which(start, count, lines))).text;
          },
          py::arg("start") = 0, py::arg("count") = py::none(), py::arg("lines") = 100, "What is where, a line for each run of positions.")
      .def(
          "summary", [levels](const T& t) { return draw_summary(levels(t)); },
          "How many positions hold an element, and how many are padding.")
      .def(
          "svg",
          [levels](const T& t, std::int64_t start, std::optional<std::int64_t> count) {
            return value_or_throw(draw_svg(levels(t), which(start, count, 100'000)));
          },
          py::arg("start") = 0, py::arg("count") = py::none(), "A picture: a grid of positions, coloured by axis.");
}

}  // namespace

void bind_mapping(py::module_& m) {
  py::class_<Mapping> mapping(m, "Mapping",
                              "Which element is at which position of a memory or a stream. A value: operators make new ones.");
  mapping
      .def(py::init([](const std::string& words, const py::kwargs& axes) {
             return value_or_throw(parse(words, axes_given(py::dict(**axes)), here()));
           }),
           py::arg("text"), "A mapping in the book's notation, with the sizes of its axes: Mapping('A / 8 # 256', A=2048).")
      .def(
          "__floordiv__", [](const Mapping& a, std::int64_t n) { return sound(divide_by(a, n)); }, py::arg("n"),
          "Every n-th position: the book's A / n.")
      .def(
          "__truediv__",
          [](const Mapping& a, const py::object& n) -> Mapping {
            throw py::type_error("a mapping is divided by //, as whole numbers are: write (" + text_of(a) + ") // " +
                                 py::str(n).cast<std::string>());
          },
          py::arg("n"), "Always an error: write A // n.")
      .def(
          "__mod__", [](const Mapping& a, std::int64_t n) { return sound(modulo(a, n)); }, py::arg("n"), "The first block of n positions.")
      .def(
          "pad", [](const Mapping& a, std::int64_t n) { return sound(a.pad(n)); }, py::arg("n"),
          "Padded to n positions, which may be read and are undefined.")
      .def(
          "pad_zero", [](const Mapping& a, std::int64_t n) { return sound(a.pad_zero(n)); }, py::arg("n"),
          "Padded to n positions, which read as zero.")
      .def(
          "pad_bottom", [](const Mapping& a, std::int64_t n) { return sound(a.pad_bottom(n)); }, py::arg("n"),
          "Padded to n positions that must not be touched.")
      .def(
          "pad_left", [](const Mapping& a, std::int64_t n) { return sound(a.pad_left(n)); }, py::arg("n"),
          "With n positions of padding before it.")
      .def(
          "resize", [](const Mapping& a, std::int64_t n) { return sound(a.resize(n)); }, py::arg("n"),
          "The first n positions, the rest gone: the book's A = n.")
      .def(
          "start_at", [](const Mapping& a, std::int64_t k) { return sound(a.from(k)); }, py::arg("k"),
          "Read from position k on: the book's A @ k.")
      .def("__len__", [](const Mapping& a) { return a.size; })
      .def_property_readonly(
          "size", [](const Mapping& a) { return a.size; }, "Positions, padding included.")
      .def_property_readonly("axes", &axes_of, "Its axes and their sizes, in the order in which the mapping names them.")
      .def(
          "__eq__", [](const Mapping& a, const py::object& b) { return py::isinstance<Mapping>(b) && a == b.cast<const Mapping&>(); },
          py::arg("other"), "The same elements at the same positions, however it is written.")
      .def("__hash__", [](const Mapping& a) { return py::hash(py::str(shown(a))); })
      .def("__str__", &text_of)
      .def("__repr__", &shown)
      .def(
          "__getitem__",
          [](const Mapping& a, std::int64_t i) {
            std::int64_t const position = i < 0 ? i + a.size : i;
            if (position < 0 || position >= a.size) throw py::index_error("there are " + std::to_string(a.size) + " positions");
            return index_of(cell(a, position));
          },
          py::arg("position"), "The element at a position, {axis: coordinate}; None in padding.")
      .def("coordinates", &coordinates, "Of every position the coordinates, {axis: array}; -1 in padding.")
      .def(
          "position",
          [](const Mapping& a, const py::kwargs& at) -> std::optional<std::int64_t> {
            std::vector<std::string> known;
            for (int k = 0; k < a.axes; ++k) known.emplace_back(text(a.axis[k].name).view());
            for (auto const& [name, coordinate] : at)
              if (auto const asked = name.cast<std::string>(); std::find(known.begin(), known.end(), asked) == known.end())
                refuse_name(asked, known);
            Place found;
            if (!find_place(spread(a), index_given(py::dict(**at)), found)) return {};
            return found.element;
          },
          "The first position of an element: m.position(A=1, B=7); None: it is nowhere.");
  add_drawings(mapping, +[](const Mapping& a) { return spread(a); });

  py::class_<Levels> levels(m, "Levels", "The mappings of a tensor or a stream, one per level of the machine.");
  levels
      .def(py::init([](const py::kwargs& given) {
             Levels out;
             for (auto const& [name, mapping_given] : given) {
               std::string const wanted = name.cast<std::string>();
               bool found = false;
               for (int l = 0; l < level_count; ++l) {
                 std::string known = name_of(static_cast<Level>(l));
                 known[0] = static_cast<char>(known[0] - 'A' + 'a');
                 if (known != wanted) continue;
                 out.at[l] = MapArg{py::reinterpret_borrow<py::object>(mapping_given)}.alone();
                 found = true;
               }
               if (!found) throw py::type_error("levels are chip, cluster, slice, row, element, time and packet, not " + wanted);
             }
             throw_if_refused(check_levels(out, here()));
             return out;
           }),
           "Levels(slice=A // 8, element=A % 8).")
      .def(
          "__eq__",
          [](const Levels& a, const py::object& other) {
            if (!py::isinstance<Levels>(other)) return false;
            const auto& b = other.cast<const Levels&>();
            for (int l = 0; l < level_count; ++l)
              if (!(a.at[l] == b.at[l])) return false;
            return true;
          },
          py::arg("other"))
      .def("__repr__", [](const Levels& l) {
        std::string out;
        for (int i = 0; i < level_count; ++i)
          if (!(l.at[i] == Mapping{}))
            out += (out.empty() ? "" : " ") + std::string(name_of(static_cast<Level>(i))) + "[" + text_of(l.at[i]) + "]";
        return out.empty() ? std::string("Element[1]") : out;
      });
  for (int l = 0; l < level_count; ++l) {
    std::string name = name_of(static_cast<Level>(l));
    name[0] = static_cast<char>(name[0] - 'A' + 'a');
    levels.def_property_readonly(kept(name), [l](const Levels& all) { return all.at[l]; }, kept("Which element is where in " + name + "."));
  }
  add_drawings(levels, +[](const Levels& l) { return l; });

  m.def(
      "axis", [](const std::string& name, std::int64_t size) { return sound(dyn::axis(name, size)); }, py::arg("name"), py::arg("size"),
      "An axis: a name that begins with an uppercase letter, and a size.");
  m.def(
      "map", [](const py::args& factors) { return MapArg{py::tuple(factors)}.alone(); },
      "Factors, the leftmost the slowest: map(A // 8, B). To operate on the result is to operate on the group.");
  m.def(
      "slide",
      [](const py::args& members) {
        Slide slides[8];
        int count = 0;
        for (py::handle member : members) {
          if (count == 8) throw py::value_error("a window slides at most eight members");
          bool const stepped = PyTuple_Check(member.ptr()) && py::len(member) == 2;
          MapArg const part{stepped ? py::object(member[py::int_(0)]) : py::reinterpret_borrow<py::object>(member)};
          slides[count++] = {part.alone(), stepped ? py::object(member[py::int_(1)]).cast<std::int64_t>() : 1};
        }
        return sound(slide_over(slides, count));
      },
      "A window, the book's $(W:2, Fw): slide((W, 2), Fw) has the positions 2 w + f.");
  m.def(
      "skew", [](const Mapping& turning, const Mapping& by) { return sound(skew(turning, by)); }, py::arg("turning"), py::arg("by"),
      "An axis that wraps around by the coordinate of another.");
  m.def(
      "tile",
      [](const MapArg& source, const MapArg& dimension, std::int64_t length, std::int64_t start) {
        Mapping const whole = source.alone();
        View const v = value_or_throw(tile(whole, dimension.over(spread(whole)), length, start, here()));
        return py::make_tuple(v.mapping, v.offset);
      },
      py::arg("source"), py::arg("dimension"), py::arg("length"), py::arg("start"),
      "Some steps of a factor, seen in place: the mapping of the tile, and how many positions in it begins.");
}

}  // namespace tcp::python
