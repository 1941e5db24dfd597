// The version of these headers, and the check that the libraries a program is linked with are of the same.
//
// CMakeLists.txt reads the numbers from here, so they have one home. Below 1.0 a minor version may change what headers
// and libraries agree on: layouts of structures, meanings of arguments. Nothing in the name of a function shows that,
// so a mixed program would link and then go wrong. Therefore every object that includes the prelude or the main header
// of a library asks for a symbol that has the version in its name; libraries of another minor version do not have it,
// and the linker says which is missing:
//
//   undefined reference to `tcp::detail::libraries_of_version<0, 2>()'
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "tcp needs C++20: compile with -std=c++20"
#endif

#define TCP_VERSION_MAJOR 0
#define TCP_VERSION_MINOR 1
#define TCP_VERSION_PATCH 0

/// For comparison before the compiler proper: #if TCP_VERSION >= TCP_VERSION_NUMBER(0, 2, 0)
#define TCP_VERSION_NUMBER(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))
#define TCP_VERSION TCP_VERSION_NUMBER(TCP_VERSION_MAJOR, TCP_VERSION_MINOR, TCP_VERSION_PATCH)

namespace tcp {

/// "0.1.0", of the libraries that this program is linked with.
const char* library_version();

namespace detail {

/// Defined by the libraries for their own version alone.
template <int Major, int Minor>
int libraries_of_version();
template <>
int libraries_of_version<TCP_VERSION_MAJOR, TCP_VERSION_MINOR>();

[[gnu::used]] static int (*const same_version_is_linked)() = &libraries_of_version<TCP_VERSION_MAJOR, TCP_VERSION_MINOR>;

}  // namespace detail
}  // namespace tcp
