// The module tcp_visa._tcp: errors as exceptions, the place of a call in Python, and names of types and operations.
// The other files of this folder bind a library each; nothing here computes.
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "bind.hpp"
// After pybind11, which includes Python.h.
#include <frameobject.h>

#include "tcp/dsl/session.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/render.hpp"
#include "tcp/support/version.hpp"

namespace tcp::python {

namespace {

std::string own_folder = "\n";                      // of no file, until it is set
tcp::detail::Session* recording_session = nullptr;  // guarded by the GIL, as is all below
PyObject* error_class = nullptr;                    // tcp_visa.Error
PyObject* bug_class = nullptr;                      // tcp_visa.Bug

}  // namespace

void set_own_folder(const std::string& folder) { own_folder = folder; }

const char* kept(std::string_view text) {
  static std::unordered_set<std::string> texts;
  return texts.emplace(text).first->c_str();
}

namespace {

/// What is known of a code object: its file and function, and whether it is this package's.
struct CodePlace {
  const char* file = "";
  const char* function = "";
  bool ours = false;
};
/// Looked up once: what is known of is held, so that no other takes its address.
const CodePlace& place_of(PyCodeObject* code) {
  static std::unordered_map<PyCodeObject*, CodePlace> known;
  auto const [found, fresh] = known.try_emplace(code);
  if (fresh) {
    Py_INCREF(code);
    const char* const file = PyUnicode_AsUTF8(code->co_filename);
    const char* const function = PyUnicode_AsUTF8(code->co_name);
    PyErr_Clear();
    std::string_view const name(file == nullptr ? "" : file);
    found->second = {kept(name), kept(function == nullptr ? "" : function), name.starts_with(own_folder)};
  }
  return found->second;
}

}  // namespace

Where here() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  Where at;
  while (frame != nullptr) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const CodePlace& place = place_of(code);
    Py_DECREF(code);
    if (!place.ours) at = Where(place.file, static_cast<unsigned>(std::max(PyFrame_GetLineNumber(frame), 0)));
    if (!place.ours) at.function = place.function;
    PyFrameObject* const outer = place.ours ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = outer;
  }
  return at;
}

RecordingScope::RecordingScope(tcp::detail::Session* session) : before_(recording_session) { recording_session = session; }
RecordingScope::~RecordingScope() { recording_session = before_; }

Mapping sound(const Mapping& m) {
  if (!m.ok()) throw Refused(refusal_of(m, here()));
  return m;
}

namespace {

/// Axes by name; one that is met with two sizes is of neither.
void add_axes(Axes& to, const Mapping& m, int fixed, std::vector<Name>& doubtful) {
  for (int a = 0; a < m.axes; ++a) {
    int const i = to.find(m.axis[a].name);
    if (i < 0 && to.n < Axes::max) {
      to.name[to.n] = m.axis[a].name;
      to.size[to.n++] = m.axis[a].extent;
    } else if (i >= fixed && to.size[i] != m.axis[a].extent) {
      doubtful.push_back(m.axis[a].name);
    }
  }
}

Axes axes_in_reach(const Levels& own) {
  Axes axes;
  std::vector<Name> doubtful;
  for (const Mapping& m : own.at) add_axes(axes, m, 0, doubtful);
  int const fixed = axes.n;
  doubtful.clear();
  if (recording_session != nullptr && recording_session->is_recording())
    for (const Mapping& m : recording_session->recording({}).module.maps) add_axes(axes, m, fixed, doubtful);
  for (Name const& name : doubtful) {
    int const i = axes.find(name);
    if (i < 0) continue;
    for (int k = i; k + 1 < axes.n; ++k) {
      axes.name[k] = axes.name[k + 1];
      axes.size[k] = axes.size[k + 1];
    }
    --axes.n;
  }
  return axes;
}

Mapping mapping_of(py::handle given, const Levels& own) {
  if (py::isinstance<Mapping>(given)) return given.cast<const Mapping&>();
  if (PyUnicode_Check(given.ptr())) return value_or_throw(parse(given.cast<std::string>(), axes_in_reach(own), here()));
  if (PyIndex_Check(given.ptr())) return sound(copies(py::reinterpret_steal<py::int_>(PyNumber_Index(given.ptr())).cast<std::int64_t>()));
  if (!PyTuple_Check(given.ptr()) && !PyList_Check(given.ptr()))
    throw py::type_error("a mapping is a Mapping, a text such as \"A / 8 # 256\", a whole number, or a tuple of these, not " +
                         py::repr(py::type::of(given)).cast<std::string>());
  Mapping all;
  for (py::handle factor : given) all = sound(pair(all, mapping_of(factor, own)));
  return all;
}

}  // namespace

Mapping MapArg::over(const Levels& own) const { return mapping_of(given, own); }
Mapping MapArg::alone() const { return mapping_of(given, Levels{}); }

ScalarType type_of(py::handle given) {
  std::string name;
  if (PyUnicode_Check(given.ptr())) {
    name = given.cast<std::string>();
  } else {
    bool const is_class = PyType_Check(given.ptr()) != 0;  // np.int32
    py::object const dtype = !is_class && (py::hasattr(given, "names") || py::hasattr(given, "newbyteorder"))
                                 ? py::reinterpret_borrow<py::object>(given)
                                 : py::module_::import("numpy").attr("dtype")(given);
    py::object const fields = dtype.attr("names");
    name = fields.is_none() ? dtype.attr("name").cast<std::string>() : fields[py::int_(0)].cast<std::string>();
  }
  struct Alias {
    const char* numpy;
    ScalarType type;
  };
  constexpr Alias aliases[] = {{"int8", ScalarType::i8},
                               {"int16", ScalarType::i16},
                               {"int32", ScalarType::i32},
                               {"float16", ScalarType::f16},
                               {"float32", ScalarType::f32},
                               {"bfloat16", ScalarType::bf16},
                               {"float8_e4m3fn", ScalarType::f8e4m3},
                               {"float8_e5m2", ScalarType::f8e5m2},
                               {"float4_e2m1fn", ScalarType::f4e2m1},
                               {"int4", ScalarType::i4}};
  for (const Alias& a : aliases)
    if (name == a.numpy) return a.type;
  if (auto const known = parse_scalar_type(name, quietly)) return *known;
  throw Refused(refuse("python-type", here())
                    .what("the chip has no type ", std::string_view(name).substr(0, 40))
                    .why("streams and tensors hold what the engines compute with")
                    .help("write one of i4, i8, i16, i32, f4e2m1, f8e4m3, f8e5m2, f16, bf16 and f32"));
}

void refuse_name(const std::string& given, const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  throw Refused(refuse("python-unknown-name", here())
                    .what("'", std::string_view(given).substr(0, 40), "' is none of the names that fit here")
                    .why("operations, modes and kinds have the names of the book, as texts")
                    .help("write one of ", std::string_view(all).substr(0, 200)));
}

dyn::Operand operand_of(py::handle given) {
  if (py::isinstance<dyn::Tensor>(given)) return {given.cast<const dyn::Tensor&>()};
  if (py::isinstance<StashOperand>(given)) return {Stash};
  if (py::isinstance<Skip>(given)) return {skip};
  if (py::isinstance<When>(given)) {
    const auto& when = given.cast<const When&>();
    return tcp::detail::Guarded<dyn::Operand>{operand_of(when.operand), when.guard};
  }
  if (PyFloat_Check(given.ptr())) return {given.cast<double>()};
  if (PyIndex_Check(given.ptr())) {
    py::object const number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
    if (!number) {  // an array has the slot, and is none
      PyErr_Clear();
      throw Refused(refuse("python-argument", here())
                        .what("an operand is a number or a tensor in VRF, and this is ",
                              py::repr(py::type::of(given)).cast<std::string>().substr(0, 60))
                        .why("the Vector Engine reads operands from its register file")
                        .help("give the array to the kernel as an argument, load it with to_dm, and bring it there by a pass of ctx.sub "
                              "that ends in to_vrf"));
    }
    int overflow = 0;
    long long const value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0 || value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
      throw Refused(refuse("python-operand-range", here())
                        .what(std::string_view(py::str(number).cast<std::string>()).substr(0, 40), " is not an i32")
                        .why("a whole number as an operand is an i32, from -2147483648 to 2147483647")
                        .help("write 2.0 for a number of f32, or the i32 with the same bits: ",
                              overflow == 0 ? static_cast<std::int64_t>(static_cast<std::int32_t>(value)) : -1));
    return {static_cast<int>(value)};
  }
  if (PyNumber_Check(given.ptr()) != 0 && py::hasattr(given, "__float__"))
    return {py::float_(py::reinterpret_borrow<py::object>(given)).cast<double>()};
  throw py::type_error("an operand is a number, a tensor in VRF, tv.Stash, tv.skip or tv.when(operand, guard), not " +
                       py::repr(py::type::of(given)).cast<std::string>());
}

// Names.

namespace {

template <class Op>
std::vector<std::string> names_of_table() {
  std::vector<std::string> names;
  for (const VectorOpInfo& row : Op::table) {
    std::string name = row.name;  // MulF(FpMulAlu::Mul0) is called MulF0, as its code is
    if (std::size_t const at = name.find("(FpMulAlu::Mul"); at != name.npos) name = name.substr(0, at) + name[at + 14];
    else if (std::size_t const fma = name.find("(FpMulAlu::Fma)"); fma != name.npos) name = name.substr(0, fma - 1) + "Fma";
    names.push_back(name);
  }
  return names;
}

}  // namespace

#define TCP_DETAIL_OPERATIONS(Op)                                       \
  template <>                                                           \
  const std::vector<std::string>& names_of<Op>() {                      \
    static std::vector<std::string> const names = names_of_table<Op>(); \
    return names;                                                       \
  }
#define TCP_DETAIL_NAMES(T, ...)                              \
  template <>                                                 \
  const std::vector<std::string>& names_of<T>() {             \
    static std::vector<std::string> const names{__VA_ARGS__}; \
    return names;                                             \
  }
TCP_DETAIL_OPERATIONS(LogicBinaryOpI32)
TCP_DETAIL_OPERATIONS(LogicBinaryOpF32)
TCP_DETAIL_OPERATIONS(FxpBinaryOp)
TCP_DETAIL_OPERATIONS(FpUnaryOp)
TCP_DETAIL_OPERATIONS(FpBinaryOp)
TCP_DETAIL_OPERATIONS(FpTernaryOp)
TCP_DETAIL_OPERATIONS(FpDivBinaryOp)
TCP_DETAIL_OPERATIONS(ClipBinaryOpI32)
TCP_DETAIL_OPERATIONS(ClipBinaryOpF32)
TCP_DETAIL_NAMES(UnaryArgMode, "Mode0", "Mode1")
TCP_DETAIL_NAMES(BinaryArgMode, "Mode00", "Mode01", "Mode10", "Mode11")
TCP_DETAIL_NAMES(TernaryArgMode, "Mode012", "Mode002", "Mode102", "Mode112", "Mode020", "Mode021", "Mode120")
TCP_DETAIL_NAMES(AccumulationKind, "Interleaved", "Sequential")
TCP_DETAIL_NAMES(TrfAddress, "Full", "FirstHalf", "SecondHalf")
TCP_DETAIL_NAMES(ReduceOp, "Add", "AddSat", "Max", "Min", "Mul")
TCP_DETAIL_NAMES(Groups, "both", "group0", "group1", "zip", "neither")
TCP_DETAIL_NAMES(GroupId, "Zero", "One")
TCP_DETAIL_NAMES(RowKeys, "positions", "byte_offsets")
TCP_DETAIL_NAMES(Extraction, "AsWritten", "Whole", "Partial")
TCP_DETAIL_NAMES(BranchMode::Kind, "Unconditional", "AxisToggle", "ValidCount", "Comparison", "Vrf")
#undef TCP_DETAIL_OPERATIONS
#undef TCP_DETAIL_NAMES

namespace {

InputCmp compared(InputCmp::Kind kind, py::handle boundary) {
  if (PyFloat_Check(boundary.ptr())) return {kind, ScalarType::f32, f32::from_double(boundary.cast<double>()).bits};
  if (PyIndex_Check(boundary.ptr())) return {kind, ScalarType::i32, i32::from_int(boundary.cast<std::int64_t>()).bits};
  return {kind, ScalarType::f32, f32::from_double(py::float_(py::reinterpret_borrow<py::object>(boundary)).cast<double>()).bits};
}

void raise(const Refusal& r) {
  Where const at = r.at.known() ? r.at : here();
  Refusal placed = r;
  placed.at = at;
  if (error_class == nullptr) {
    PyErr_SetString(PyExc_ValueError, render(placed).c_str());
    return;
  }
  py::object const raised = py::reinterpret_borrow<py::object>(error_class)(
      render(placed), py::str(r.code), py::str(r.headline.s), py::str(r.note.s), py::str(r.advice.s),
      at.known() ? py::object(py::str(at.file)) : py::object(py::none()),
      at.known() ? py::object(py::int_(at.line)) : py::object(py::none()));
  PyErr_SetObject(error_class, raised.ptr());
}

}  // namespace

void bind_errors(py::module_& m) {
  m.def(
      "_set_up",
      [](const std::string& folder, const py::object& error, const py::object& bug) {
        set_own_folder(folder);
        error_class = error.inc_ref().ptr();
        bug_class = bug.inc_ref().ptr();
      },
      py::arg("folder"), py::arg("error"), py::arg("bug"), "For the package itself: its folder, and the classes of its exceptions.");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Refused& r) {
      raise(r.refusal());
    } catch (const Bug& b) {
      PyErr_SetString(bug_class == nullptr ? PyExc_RuntimeError : bug_class, b.what());
    }
  });
}

void bind_names(py::module_& m) {
  py::dict names;
  auto const add = [&names](const char* family, const std::vector<std::string>& all) { names[family] = py::cast(all); };
  add("LogicBinaryOpI32", names_of<LogicBinaryOpI32>());
  add("LogicBinaryOpF32", names_of<LogicBinaryOpF32>());
  add("FxpBinaryOp", names_of<FxpBinaryOp>());
  add("FpUnaryOp", names_of<FpUnaryOp>());
  add("FpBinaryOp", names_of<FpBinaryOp>());
  add("FpTernaryOp", names_of<FpTernaryOp>());
  add("FpDivBinaryOp", names_of<FpDivBinaryOp>());
  add("ClipBinaryOpI32", names_of<ClipBinaryOpI32>());
  add("ClipBinaryOpF32", names_of<ClipBinaryOpF32>());
  add("UnaryArgMode", names_of<UnaryArgMode>());
  add("BinaryArgMode", names_of<BinaryArgMode>());
  add("TernaryArgMode", names_of<TernaryArgMode>());
  add("AccumulationKind", names_of<AccumulationKind>());
  add("TrfAddress", names_of<TrfAddress>());
  add("ReduceOp", names_of<ReduceOp>());
  add("Groups", names_of<Groups>());
  add("RowKeys", names_of<RowKeys>());
  m.attr("names") = names;

  py::list types;
  for (ScalarType t : scalar_types) {
    const ScalarInfo& info = scalar_info(t);
    types.append(py::make_tuple(info.name, info.bits, info.packet_bits, is_floating(t), info.in_memory));
  }
  m.attr("scalar_types") = types;

  py::class_<StashOperand>(m, "StashOperand", "What vector_stash kept, as an operand: tv.Stash.");
  py::class_<Skip>(m, "Skip", "No operand for this group: tv.skip.");
  m.attr("Stash") = StashOperand{};
  m.attr("skip") = Skip{};

  py::class_<OperandGuard>(m, "OperandGuard", "The execution ids, 0 to 15, for which an operand is meant.")
      .def_static("always", &OperandGuard::always)
      .def_static(
          "group", [](int group) { return OperandGuard::group(group == 0 ? GroupId::Zero : GroupId::One); }, py::arg("group"),
          "Group 0 or 1: bit 3 of the execution id.")
      .def_static("bit", &OperandGuard::bit, py::arg("i"), py::arg("set") = true, "The ids whose bit i is set, or is not.")
      .def_static("id", &OperandGuard::id, py::arg("i"), "Exactly one id; | joins several.")
      .def(
          "__or__", [](OperandGuard a, OperandGuard b) { return a | b; }, py::arg("other"))
      .def(
          "__and__", [](OperandGuard a, OperandGuard b) { return a & b; }, py::arg("other"))
      .def("holds", &OperandGuard::holds, py::arg("execution_id"))
      .def(
          "__eq__", [](OperandGuard a, const py::object& b) { return py::isinstance<OperandGuard>(b) && a == b.cast<OperandGuard>(); },
          py::arg("other"))
      .def("__repr__", [](OperandGuard g) {
        if (g == OperandGuard::always()) return std::string("OperandGuard.always()");
        std::string out;
        for (int id = 0; id < 16; ++id)
          if (g.holds(id)) out += (out.empty() ? "OperandGuard.id(" : " | OperandGuard.id(") + std::to_string(id) + ")";
        return out.empty() ? std::string("OperandGuard.id(0) & OperandGuard.id(1)") : out;
      });
  py::class_<When>(m, "When", "An operand for some execution ids: tv.when(operand, guard).")
      .def(py::init([](py::object operand, OperandGuard guard) { return When{std::move(operand), guard}; }), py::arg("operand"),
           py::arg("guard"));

  using Kind = InputCmp::Kind;
  py::class_<InputCmp> compare(m, "InputCmp", "One comparison of a branch, with a boundary of the stream's type.");
  for (auto const& [name, kind] : {std::pair{"Equal", Kind::Equal}, std::pair{"Less", Kind::Less}, std::pair{"Greater", Kind::Greater},
                                   std::pair{"LessUnsigned", Kind::LessUnsigned}, std::pair{"GreaterUnsigned", Kind::GreaterUnsigned}})
    compare.def_static(
        name, [kind = kind](const py::object& boundary) { return compared(kind, boundary); }, py::arg("boundary"),
        "A whole number compares i32, a float f32.");
  compare.attr("True_") = InputCmp(InputCmp::True);
  compare.attr("False_") = InputCmp(InputCmp::False);

  py::class_<BranchMode>(m, "BranchMode", "How the execution id of an element comes about.")
      .def(py::init([](const std::string& name) { return BranchMode(value_named<BranchMode::Kind>(name, "BranchMode")); }), py::arg("name"))
      .def_static(
          "toggle", [](const AxisArg& axis) { return BranchMode::toggle(Name(axis.name)); }, py::arg("axis"),
          "Bit 3 is the coordinate of the axis, modulo 2.")
      .def_static(
          "comparison",
          [](const py::args& given) {
            if (given.empty() || given.size() > BranchMode::comparisons) throw py::value_error("a branch has one to four comparisons");
            BranchMode mode(BranchMode::Kind::Comparison);
            for (std::size_t i = 0; i < given.size(); ++i) mode.compare[i] = given[i].cast<InputCmp>();
            return mode;
          },
          "Bit i is comparison i of the value, an InputCmp.");
  py::implicitly_convertible<py::str, BranchMode>();

  py::class_<SwitchConfig>(m, "SwitchConfig", "What the Switch Engine is told to do.")
      .def(py::init([](const std::string& name) {
             if (name != "Forwarding" && name != "CustomBroadcast") refuse_name(name, {"Forwarding", "CustomBroadcast"});
             return name == "Forwarding" ? SwitchConfig(SwitchConfig::Forwarding{}) : SwitchConfig(SwitchConfig::CustomBroadcast{});
           }),
           py::arg("name"))
      .def_static("Forwarding", [] { return SwitchConfig(SwitchConfig::Forwarding{}); })
      .def_static(
          "Broadcast01",
          [](std::int64_t slice1, std::int64_t slice0, std::int64_t time0) {
            return SwitchConfig(SwitchConfig::Broadcast01{slice1, slice0, time0});
          },
          py::arg("slice1"), py::arg("slice0"), py::arg("time0"))
      .def_static(
          "Broadcast1", [](std::int64_t slice1, std::int64_t slice0) { return SwitchConfig(SwitchConfig::Broadcast1{slice1, slice0}); },
          py::arg("slice1"), py::arg("slice0"))
      .def_static(
          "Transpose", [](std::int64_t slice1, std::int64_t slice0) { return SwitchConfig(SwitchConfig::Transpose{slice1, slice0}); },
          py::arg("slice1"), py::arg("slice0"))
      .def_static(
          "InterTranspose",
          [](std::int64_t slice1, std::int64_t slice0, std::int64_t time0) {
            return SwitchConfig(SwitchConfig::InterTranspose{slice1, slice0, time0});
          },
          py::arg("slice1"), py::arg("slice0"), py::arg("time0"))
      .def_static(
          "TransposedBroadcast1",
          [](std::int64_t slice1, std::int64_t slice0) { return SwitchConfig(SwitchConfig::TransposedBroadcast1{slice1, slice0}); },
          py::arg("slice1"), py::arg("slice0"))
      .def_static(
          "CustomBroadcast",
          [](std::int64_t ring_size, const Named<Extraction>& extraction) {
            return SwitchConfig(SwitchConfig::CustomBroadcast{ring_size, extraction.value});
          },
          py::arg("ring_size") = 0, py::arg("extraction") = "AsWritten", "A ring_size of 0 is the one that the mappings need.");
  py::implicitly_convertible<py::str, SwitchConfig>();

  py::class_<SliceMask>(m, "SliceMask", "A set of slices.")
      .def_static("none", &SliceMask::none)
      .def_static("all", &SliceMask::all)
      .def_static("only", &SliceMask::only, py::arg("slice"))
      .def_static("below", &SliceMask::below, py::arg("n"))
      .def("with_", &SliceMask::with, py::arg("slice"))
      .def("without", &SliceMask::without, py::arg("slice"))
      .def("flipped", &SliceMask::flipped)
      .def(
          "__and__", [](const SliceMask& a, const SliceMask& b) { return a & b; }, py::arg("other"))
      .def("__contains__", &SliceMask::contains, py::arg("slice"))
      .def("__len__", &SliceMask::count);

  py::class_<Random>(m, "Random", "Seeded random numbers, the same as those of the C++ lessons (splitmix64).")
      .def(py::init<std::uint64_t>(), py::arg("seed"))
      .def("next", &Random::next)
      .def("below", &Random::below, py::arg("bound"))
      .def("between", &Random::between, py::arg("low"), py::arg("high"), "Both included.")
      .def(
          "_bits",
          [](Random& random, const TypeArg& type, std::int64_t count) {
            py::array_t<std::uint32_t> bits(count);
            std::uint32_t* const to = bits.mutable_data();
            bool const raw = is_integer(type.type) || type.type == ScalarType::f4e2m1;
            for (std::int64_t i = 0; i < count; ++i) {
              if (raw) to[i] = static_cast<std::uint32_t>(random.next()) & scalar_mask(type.type);
              else
                to[i] = scalar_cast_bits(ScalarType::f32, type.type,
                                         f32::from_double(static_cast<double>(random.between(-(1 << 24), 1 << 24)) / (1 << 24)).bits,
                                         NumericModel::ieee);
            }
            return bits;
          },
          py::arg("type"), py::arg("count"), "Elements as HostTensor::rand draws them, as raw bits.");

  m.def(
      "_cast_bits",
      [](const py::array_t<std::uint32_t, py::array::c_style>& bits, const TypeArg& from, const TypeArg& to) {
        py::array_t<std::uint32_t> out(bits.size());
        const std::uint32_t* const in = bits.data();
        std::uint32_t* const made = out.mutable_data();
        for (py::ssize_t i = 0; i < bits.size(); ++i) made[i] = scalar_cast_bits(from.type, to.type, in[i], NumericModel::ieee);
        return out;
      },
      py::arg("bits"), py::arg("source"), py::arg("to"), "Raw bits of one type as another's, each value rounded to the nearest.");
  m.attr("__version__") =
      std::to_string(TCP_VERSION_MAJOR) + "." + std::to_string(TCP_VERSION_MINOR) + "." + std::to_string(TCP_VERSION_PATCH);
}

}  // namespace tcp::python

PYBIND11_MODULE(_tcp, m) {
  m.doc() = "The libraries of tcp-visa as they are; tcp_visa is the package to import.";
  using namespace tcp::python;
  bind_errors(m);
  bind_mapping(m);
  bind_names(m);
  bind_tensors(m);
  bind_stages(m);
  bind_runtime(m);
  bind_modules(m);
  bind_trace(m);
  bind_kernels(m);
}
