// Uploads of arrays, for the files that have a session.
#pragma once

#include "bind.hpp"

namespace tcp::python {

/// The bytes of an element in an array: 4-bit elements have a byte each.
std::int64_t host_width(ScalarType type);

dyn::Tensor uploaded(tcp::detail::Session* session, ScalarType type, const py::buffer& array, const Mapping& host, const Mapping& chip,
                     const Mapping& element, Address address);

}  // namespace tcp::python
