// The version that the libraries were built with, and the symbol that a program of another version does not find.
#include "tcp/support/version.hpp"

#define TCP_TEXT_OF_EXPANDED(number) #number
#define TCP_TEXT_OF(number) TCP_TEXT_OF_EXPANDED(number)

namespace tcp {

const char* library_version() {
  return TCP_TEXT_OF(TCP_VERSION_MAJOR) "." TCP_TEXT_OF(TCP_VERSION_MINOR) "." TCP_TEXT_OF(TCP_VERSION_PATCH);
}

namespace detail {
template <>
int libraries_of_version<TCP_VERSION_MAJOR, TCP_VERSION_MINOR>() {
  return TCP_VERSION;
}
}  // namespace detail

}  // namespace tcp
