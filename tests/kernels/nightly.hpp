// `make test` tries some sizes, `make nightly` (which sets TCP_NIGHTLY) ten times as many, and large ones.
#pragma once

#include <cstdlib>

namespace tcp::nightly {

inline bool is_on() { return std::getenv("TCP_NIGHTLY") != nullptr; }
inline int cases(int usual) { return is_on() ? 10 * usual : usual; }

}  // namespace tcp::nightly
