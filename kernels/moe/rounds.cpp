// Tokens, one per slice, in rounds of as many as the chip has slices; and how streams of eight lanes begin and end.
#include "kernels/moe/rounds.hpp"

#include <algorithm>

namespace tcp::kernels::moe {

std::vector<Round> rounds_of(const Device& device, const Mapping& tokens) {
  std::int64_t const slices = device.levels.slices_per_cluster, most = device.levels.clusters_per_chip * slices;
  std::vector<Round> made;
  for (std::int64_t start = 0; start < tokens.size; start += most) {
    Round r{tokens, start, std::min(most, tokens.size - start), {}, {}, {}};
    r.token = dyn::axis("Tok", r.length);
    r.cluster = r.token.pad(most) / slices;
    r.slice = r.token.pad(most) % slices;
    made.push_back(r);
  }
  return made;
}

dyn::Stream entering(Context& ctx, const dyn::Tensor& x, const Mapping& steps, const Mapping& eight) {
  ScalarType const wide = is_integer(x.type()) ? ScalarType::i32 : ScalarType::f32;
  return dyn::main(ctx).begin(x).fetch(wide, steps, eight).collect(steps, eight).vector_init();
}
dyn::Stream plain(Context& ctx, const dyn::Tensor& x, const Mapping& steps, const Mapping& eight) {
  return entering(ctx, x, steps, eight).vector_intra_slice_branch(BranchMode::Unconditional);
}
dyn::Tensor first_of(const dyn::Tensor& numbers, const Mapping& axis) {
  Mapping const n = dyn::axis("N", numbers.levels()[Level::element].size);
  dyn::Tensor const all = numbers.reshape(n);
  return (axis.size == n.size ? all : all.tile(n, axis.size, 0)).reshape(axis.pad(n.size));
}
dyn::Tensor in_vrf(Context& ctx, const dyn::Tensor& x, const Mapping& element) {
  Mapping const steps = element / lanes, eight = element % lanes;
  return dyn::sub(ctx).begin(x).fetch(x.type(), steps, eight).collect(steps, eight).to_vrf(element);
}

}  // namespace tcp::kernels::moe
