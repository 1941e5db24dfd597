// Programs from seeds: every field of every record gets a random value of its type, so that no field can be forgotten by an encoding. They mean nothing.
#pragma once

#include <limits>

#include "tcp/program/fields.hpp"
#include "tcp/support/random.hpp"

namespace tcp::program {

class Sample {
 public:
  explicit Sample(std::uint64_t seed) : random_(seed) {}

  Program program() {
    Program p;
    fill(p);
    return p;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.next() % n; }

  void fill(bool& v) { v = below(2) == 1; }
  template <class T>
  requires std::is_integral_v<T> void fill(T& v) {
    // Small numbers, any bits, and the ends.
    switch (below(8)) {
      case 0: v = static_cast<T>(random_.next()); break;
      case 1: v = std::numeric_limits<T>::max(); break;
      case 2: v = std::numeric_limits<T>::min(); break;
      case 3: v = static_cast<T>(127 + below(3)); break;
      default: v = static_cast<T>(below(5)); break;
    }
  }
  template <Enumeration T>
  void fill(T& v) {
    v = static_cast<T>(below(word_count<T>));
  }
  void fill(std::string& v) {
    v.clear();
    for (std::uint64_t n = below(4) == 0 ? 200 : below(9); n > 0; --n) v += static_cast<char>(' ' + below(95));
  }
  void fill(SliceSet& v) {
    std::uint64_t const kind = below(4);
    for (std::uint64_t& w : v.word)
      w = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : kind == 2 ? random_.next() & random_.next() : random_.next();
  }
  void fill(std::vector<bool>& v) {
    v.assign(below(20), false);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = below(2) == 1;
  }
  template <class T>
  void fill(std::vector<T>& v) {
    v.resize(below(3));
    for (T& each : v) fill(each);
  }
  template <class T>
  void fill(std::optional<T>& v) {
    v.reset();
    if (below(2) == 1) fill(v.emplace());
  }
  template <class T, std::size_t N>
  void fill(std::array<T, N>& v) {
    for (T& each : v) fill(each);
  }
  template <class... T>
  void fill(std::variant<T...>& v) {
    std::size_t const which = below(sizeof...(T));
    std::size_t i = 0;
    ((i++ == which ? fill(v.template emplace<T>()) : void()), ...);
  }
  template <Record T>
  void fill(T& v) {
    each_field(v, [this](const char*, auto& field) { this->fill(field); });
  }

  Random random_;
};

}  // namespace tcp::program
