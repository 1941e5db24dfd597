// A kernel that `tcp compile --emit cpp` printed (PRINTED, and its name KERNEL), launched: printed SHAPE... writes what it is given to argument0.npy, argument1.npy,
// ..., and what it makes to result.npy. A shape is 512x64, one for each tensor; the last is the result's.
#include PRINTED

#include <cstdio>
#include <cstdlib>
#include <string>
#include <tcp/io/npy.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace {

template <class T>
struct Parts;
template <class D, class C, class E>
struct Parts<tcp::HbmTensor<D, C, E>> {
  using Scalar = D;
  using Chip = C;
  using Element = E;
  using Host = tcp::HostTensor<D, E>;
};

tcp::io::Extents shape_of(const char* words) {
  tcp::io::Extents shape;
  for (char* end = nullptr; *words != '\0'; words = *end == 'x' ? end + 1 : end) shape.push_back(std::strtoll(words, &end, 10));
  return shape;
}

template <class Host>
void write(const std::string& file, const Host& host, std::size_t count, const char* shape) {
  using D = std::remove_cvref_t<decltype(host[0])>;
  std::vector<D> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(host[i]);
  tcp::throw_if_refused(tcp::io::write_npy(file, D::type, shape_of(shape), std::as_bytes(std::span(values))));
}

template <class R, class... Argument>
void run(R (*kernel)(tcp::Context&, Argument...), char** shapes) {
  auto ctx = tcp::Context::acquire();
  int number = 0;
  auto const upload = [&]<class T>(T*) {
    using P = Parts<T>;
    typename P::Host host;
    for (std::size_t i = 0; i < P::Element::size; ++i) host[i] = typename P::Scalar(static_cast<int>((i * 37 + 11) % 17) - 8);
    write("argument" + std::to_string(number) + ".npy", host, P::Element::size, shapes[number]);
    ++number;
    return host.template to_hbm<typename P::Chip, typename P::Element>(ctx.pdma);
  };
  std::tuple<std::remove_cvref_t<Argument>...> tensors{upload(static_cast<std::remove_cvref_t<Argument>*>(nullptr))...};
  auto const y = std::apply([&](auto&... each) { return tcp::launch(kernel, ctx, each...).get(); }, tensors);
  using P = Parts<std::remove_cvref_t<decltype(y)>>;
  write("result.npy", y.template to_host<typename P::Element>(ctx.pdma), P::Element::size, shapes[number]);
}

}  // namespace

int main(int, char** words) try {
  run(&KERNEL, words + 1);
  return 0;
} catch (const tcp::Refused& refused) {
  std::puts(refused.what());
  return 1;
}
