// What the files of the Python module share: where in the Python source a call is made, and how arguments that Python
// spells its own way (mappings as text, types and operations by their names) become the front end's.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "tcp/dsl/dynamic.hpp"

namespace tcp::python {

namespace py = pybind11;

/// The line of the caller's Python source: the innermost frame outside of this package.
Where here();
/// Frames of files below this folder are ours.
void set_own_folder(const std::string& folder);
/// A text that outlives every Where: each is kept once.
const char* kept(std::string_view text);

/// The kernel that is being recorded: texts of mappings may name the axes of all its tensors.
class RecordingScope {
 public:
  explicit RecordingScope(tcp::detail::Session* session);
  ~RecordingScope();
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;

 private:
  tcp::detail::Session* before_;
};

/// A mapping as Python gives it: a Mapping, a text, a number of copies, or a tuple of these.
struct MapArg {
  py::object given;

  /// The axes that a text may name are those of `own`, and then those of the kernel that is being recorded. Throws
  /// Refused.
  Mapping over(const Levels& own) const;
  Mapping alone() const;
};
/// Throws the refusal of a mapping that cannot be.
Mapping sound(const Mapping& m);

/// An axis by its name, or as the mapping that counts all of it.
struct AxisArg {
  std::string name;
};
/// A type by its name, or by NumPy's.
struct TypeArg {
  ScalarType type = ScalarType::i32;
};
ScalarType type_of(py::handle given);

/// A value of an enumeration by its name.
template <class T>
struct Named {
  T value{};
};
/// The names, in the order of the enumeration's values. Defined for each in names.cpp.
template <class T>
const std::vector<std::string>& names_of();
[[noreturn]] void refuse_name(const std::string& given, const std::vector<std::string>& names);

template <class T>
T value_named(std::string name, const char* family) {
  std::size_t const last = name.rfind("::");  // FxpBinaryOp::AddFxp is AddFxp
  if (last != name.npos && name.find('(') == name.npos) name = name.substr(last + 2);
  (void)family;
  const auto& names = names_of<T>();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) {
      if constexpr (std::is_enum_v<T>) return static_cast<T>(i);
      else return T(static_cast<typename T::Code>(i));
    }
  refuse_name(name, names);
}
template <class T>
const char* family_of();

/// An operand of a vector operation for some execution ids.
struct When {
  py::object operand;
  OperandGuard guard;
};
struct OperandArg {
  dyn::Operand operand;
};
dyn::Operand operand_of(py::handle given);

inline Address address_of(const std::optional<std::int64_t>& given) { return given ? Address(*given) : Address(); }

void bind_errors(py::module_& m);
void bind_names(py::module_& m);
void bind_mapping(py::module_& m);
void bind_tensors(py::module_& m);
void bind_stages(py::module_& m);
void bind_runtime(py::module_& m);
void bind_modules(py::module_& m);
void bind_trace(py::module_& m);
void bind_kernels(py::module_& m);

}  // namespace tcp::python

namespace pybind11::detail {

template <>
struct type_caster<tcp::python::MapArg> {
  PYBIND11_TYPE_CASTER(tcp::python::MapArg, const_name("MapLike"));
  bool load(handle from, bool) {
    if (PyBool_Check(from.ptr())) return false;
    if (!isinstance<tcp::Mapping>(from) && !PyUnicode_Check(from.ptr()) && !PyIndex_Check(from.ptr()) && !PyTuple_Check(from.ptr()) &&
        !PyList_Check(from.ptr()))
      return false;
    value.given = reinterpret_borrow<object>(from);
    return true;
  }
};

template <>
struct type_caster<tcp::python::AxisArg> {
  PYBIND11_TYPE_CASTER(tcp::python::AxisArg, const_name("AxisLike"));
  bool load(handle from, bool) {
    if (PyUnicode_Check(from.ptr())) {
      value.name = from.cast<std::string>();
      return true;
    }
    if (!isinstance<tcp::Mapping>(from)) return false;
    const auto& m = from.cast<const tcp::Mapping&>();
    if (m.axes != 1 || !(m == tcp::axis_mapping(m.axis[0].name, m.axis[0].extent))) return false;
    value.name = tcp::text(m.axis[0].name).s;
    return true;
  }
};

template <>
struct type_caster<tcp::python::TypeArg> {
  PYBIND11_TYPE_CASTER(tcp::python::TypeArg, const_name("TypeLike"));
  bool load(handle from, bool) {
    if (from.is_none() || PyLong_Check(from.ptr()) || PyFloat_Check(from.ptr()) || isinstance<tcp::Mapping>(from)) return false;
    value.type = tcp::python::type_of(from);
    return true;
  }
};

template <class T>
struct type_caster<tcp::python::Named<T>> {
  PYBIND11_TYPE_CASTER(tcp::python::Named<T>, const_name("str"));
  bool load(handle from, bool) {
    if (!PyUnicode_Check(from.ptr())) return false;
    value.value = tcp::python::value_named<T>(from.cast<std::string>(), "");
    return true;
  }
};

template <>
struct type_caster<tcp::python::OperandArg> {
  PYBIND11_TYPE_CASTER(tcp::python::OperandArg, const_name("OperandLike"));
  bool load(handle from, bool) {
    if (from.is_none()) return true;
    if (PyBool_Check(from.ptr()) || PyUnicode_Check(from.ptr())) return false;
    value.operand = tcp::python::operand_of(from);
    return true;
  }
};

}  // namespace pybind11::detail
