// Says in one sentence that a compiler is too old, before it stumbles over what it lacks. Included first of all.
#pragma once

#if defined(__clang__) && __clang_major__ < 16 && !defined(__apple_build_version__)
// A fatal error is the last one that clang prints.
#pragma clang diagnostic fatal "-W#warnings"
#warning "tcp needs clang 16 or newer, or g++ 12 or newer; this clang is older. On Debian 12: clang++-19, or g++"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "tcp needs g++ 12 or newer, or clang 16 or newer; this g++ is older"
#elif __cplusplus < 202002L
#error "tcp needs C++20: compile with -std=c++20"
#endif
