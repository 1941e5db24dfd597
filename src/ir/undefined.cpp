// Words the error for a result that depends on an undefined value.
#include "tcp/ir/verify.hpp"

#include "ir/lives.hpp"

namespace tcp::ir {

Refusal undefined_result(const Module& module, TensorId result, const std::vector<CoordinateOf>& element, std::string_view origin,
                         Where at) {
  const Tensor& t = module.tensor(result);
  Refusal r = refuse("exec-undefined-result", at.known() ? at : t.at);
  r.what("element ");
  for (std::size_t i = 0; i < element.size(); ++i)
    r.what(i == 0 ? "(" : ", ", element[i].axis, " = ", element[i].at, i + 1 == element.size() ? ") " : "");
  if (t.name.empty()) r.what("of the result at ", t.memory, " ", t.address.value_or(0));
  else r.what("of result ", name_of_tensor(module, result));
  return r.what(" depends on an undefined value: ", origin)
      .why("padding, and memory that nothing has written, hold whatever was there before")
      .help("write it first, or keep it out of what is computed; with the check off it counts as zero");
}

}  // namespace tcp::ir
