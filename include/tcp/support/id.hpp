// Numbers of things as types of their own, and the lists that are counted by them.
//
// A module names its mappings, tensors and commands by number. A number of one kind is no number of another: passing a
// tensor where a mapping is wanted does not compile, and an Indexed list takes the numbers of its own kind only.
//
//   using TensorId = Id<Tensor>;
//   Indexed<Tensor, TensorId> tensors;
//   TensorId const made = tensors.add({...});
//   tensors[made].name = "x";
//   for (TensorId id : tensors.ids()) ...
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tcp {

/// The number of no thing: -1, of each kind and as a plain number.
struct None {
  constexpr operator std::int32_t() const { return -1; }
};

/// The number of a thing in its list. One that nothing has set is `unset`: none, unless the kind has another default.
template <class Of, std::int32_t unset = -1>
struct Id {
  std::int32_t number = unset;

  constexpr Id() = default;
  constexpr Id(None) : number(-1) {}
  template <std::integral Number>
  constexpr explicit Id(Number n) : number(static_cast<std::int32_t>(n)) {}

  /// Where the thing is in its list. Needs: it is in one.
  constexpr std::size_t index() const { return static_cast<std::size_t>(number); }

  constexpr auto operator<=>(const Id&) const = default;
};

/// A list whose things go by numbers of their own kind. Plain positions work too, as in any vector.
template <class T, class Number>
class Indexed : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator[];
  Indexed() = default;
  Indexed(std::vector<T> all) : std::vector<T>(std::move(all)) {}

  decltype(auto) operator[](Number id) { return std::vector<T>::operator[](id.index()); }
  decltype(auto) operator[](Number id) const { return std::vector<T>::operator[](id.index()); }

  bool has(Number id) const { return id.number >= 0 && id.index() < this->size(); }
  /// The number of the thing that is added next.
  Number next() const { return Number(this->size()); }
  /// Adds a thing and returns its number.
  Number add(T thing) {
    this->push_back(std::move(thing));
    return Number(this->size() - 1);
  }

  class Ids {
   public:
    struct Walk {
      std::size_t at;
      Number operator*() const { return Number(at); }
      Walk& operator++() { return ++at, *this; }
      bool operator==(const Walk&) const = default;
    };
    explicit Ids(std::size_t count) : count_(count) {}
    Walk begin() const { return {0}; }
    Walk end() const { return {count_}; }

   private:
    std::size_t count_;
  };
  /// All numbers, in their order.
  Ids ids() const { return Ids(this->size()); }
};

}  // namespace tcp
