// Kernels that `--emit cpp` wrote, compiled: where each comes from, and the commands that it records.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <tcp/runtime/record.hpp>
#include <tcp/tcp.hpp>
#include <utility>
#include <vector>

namespace tcp::emitted {

/// A C++ kernel that was printed from a kernel of a file.
struct EmittedKernel {
  std::string file, kernel;
  std::function<ir::Module()> record;
};

std::vector<EmittedKernel>& all();

struct Registered {
  Registered(const char* file, const char* kernel, std::function<ir::Module()> record) {
    all().push_back({file, kernel, std::move(record)});
  }
};

/// Arguments of any type: tensors are named by their number, numbers count as 1, as they do when Rust is read.
class ArgumentMaker {
 public:
  explicit ArgumentMaker(Context& ctx) : ctx_(ctx) {}

  template <class T>
  T make() {
    if constexpr (std::is_same_v<T, bool>) return false;  // as one of the launch counts, if nobody says it
    else if constexpr (std::is_arithmetic_v<T>) return T{1};
    else if constexpr (requires { typename T::tensor_type; }) {
      T t = tensor<T>();
      t.named(("argument " + std::to_string(next_++)).c_str());
      return t;
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      return [this]<std::size_t... I>(std::index_sequence<I...>) {
        return T{make<std::tuple_element_t<I, T>>()...};
      }(std::make_index_sequence<std::tuple_size_v<T>>());
    } else {
      return of_fields<T, 12>();
    }
  }

 private:
  template <class T>
  T tensor() {
    if constexpr (T::tensor_type::memory == Memory::Hbm) return ctx_.declared<T>();
    else return launch([](Context& ctx) { return ctx.sub.template memset<T>(0); }, ctx_).get();  // one that a kernel left in DM
  }
  struct Any {
    ArgumentMaker* maker;
    template <class T>
    operator T() const {
      return maker->make<T>();
    }
  };
  template <class T, std::size_t N>
  T of_fields() {
    return [this]<std::size_t... I>(std::index_sequence<I...>) -> T {
      if constexpr (requires { T{(static_cast<void>(I), Any{this})...}; }) return T{(static_cast<void>(I), Any{this})...};
      else return of_fields<T, N - 1>();
    }(std::make_index_sequence<N>());
  }

  Context& ctx_;
  int next_ = 0;
};

template <std::int64_t Chips, class R, class... Argument>
ir::Module module_of(R (*kernel)(Context&, Argument...)) {
  auto ctx = Context::acquire();
  ArgumentMaker make(ctx);
  std::tuple<std::remove_cvref_t<Argument>...> arguments{make.template make<std::remove_cvref_t<Argument>>()...};
  return std::apply([&](auto&... a) { return tcp::record<Chips>(kernel, ctx, a...).module(); }, arguments);
}

}  // namespace tcp::emitted
