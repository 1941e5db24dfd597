// Methods that can be called and that no editor offers: what is not legal at a place is refused there in our words, and is not in the way of what is.
//
// clangd offers every member that it finds, each declaration once, and drops those whose first way to it is private. The compiler takes static members that it
// finds on two ways for the same ones, and goes the more open way. So a set of static methods is inherited twice, on a private way first:
//
//   template <class Pass> struct RefusedCasts { static constexpr auto cast(…) { … } };
//   TCP_DETAIL_UNOFFERED(UnofferedCasts, RefusedCasts, using RefusedCasts<Pass>::cast;)
//
// A class that derives from UnofferedCasts<Pass> answers to `cast`, and does not offer it; one that derives from it and has a `cast` of its own offers that.
// g++ finds a name on two ways ambiguous, and is no editor: it gets the one way.
#pragma once

#if defined(__clang__)
#define TCP_DETAIL_UNOFFERED(NAME, REFUSED, ...) \
  template <class Pass>                          \
  struct NAME##FoundFirst : REFUSED<Pass> {      \
    __VA_ARGS__                                  \
  };                                             \
  template <class Pass>                          \
  struct NAME##FoundThen : REFUSED<Pass> {       \
    __VA_ARGS__                                  \
  };                                             \
  template <class Pass>                          \
  struct NAME : private NAME##FoundFirst<Pass>, public NAME##FoundThen<Pass> {}
#else
#define TCP_DETAIL_UNOFFERED(NAME, REFUSED, ...) \
  template <class Pass>                          \
  using NAME = REFUSED<Pass>
#endif
