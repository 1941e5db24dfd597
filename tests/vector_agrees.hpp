// The vector interpreter on what a test has just run in the reference interpreter: every test of a module is a test of both.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/support/render.hpp"

namespace tcp::build {

namespace detail {

inline bool has_image(const ir::Module& module, ir::TensorId id) {
  Memory const memory = module.tensor(id).memory;
  return memory == Memory::Hbm || memory == Memory::Host;
}

inline std::string difference(const ir::Module& module, const Expected<reference::Outcome>& wanted, const Expected<Images>& images) {
  if (!wanted || !images) {
    std::string const want = wanted ? "accepted" : render(wanted.refusal()), got = images ? "accepted" : render(images.refusal());
    return want == got ? "" : "the vector interpreter says:\n" + got + "\nthe reference interpreter:\n" + want;
  }
  for (std::size_t r = 0; r < images->size(); ++r) {
    Levels const levels = module.levels(module.tensor(module.results[r]));
    Image const image = reference::to_image(wanted->results[r], levels);
    const Image& found = *(*images)[r];
    if (image.size() != found.size()) return "an image of another size";
    for (std::size_t i = 0; i < image.size(); ++i)
      if (image[i] != found[i]) {
        std::ostringstream says;
        says << "byte " << i << " of result " << r << " is " << std::to_integer<int>(found[i]) << " in the vector interpreter, "
             << std::to_integer<int>(image[i]) << " in the reference interpreter";
        return says.str();
      }
  }
  return {};
}

}  // namespace detail

/// Empty if the vector interpreter gives the same bits, or the same refusal, with one and with two threads, by the best instructions and by plain ones.
inline std::string difference_from_vector(const ir::Verified& verified, const std::vector<reference::Value>& arguments,
                                          const Expected<reference::Outcome>& wanted, bool check) {
  const ir::Module& module = verified.module();
  Images images;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ir::TensorId const id = module.arguments[i];
    if (!detail::has_image(module, id)) return {};
    images.push_back(std::make_shared<const Image>(reference::to_image(arguments[i], module.levels(module.tensor(id)))));
  }
  for (ir::TensorId id : module.results)
    if (!detail::has_image(module, id)) return {};
  for (int way = 0; way < 3; ++way) {
    vector::Options options;
    options.check = check;
    options.threads = way == 1 ? 2 : 1;
    options.portable = way == 2;
    std::string const says = detail::difference(module, wanted, vector::run(verified, images, options));
    if (!says.empty()) return says;
  }
  return {};
}

}  // namespace tcp::build
