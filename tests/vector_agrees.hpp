// The vector interpreter on what a test has just run in the reference interpreter: every test of a module is a test of both.
#pragma once

#include <memory>
#include <optional>
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
  return memory == Memory::Hbm || memory == Memory::Dm || memory == Memory::Host;
}

inline std::string difference(const Expected<reference::Outcome>& wanted, const Images& wanted_images, const Expected<Images>& images) {
  if (!wanted || !images) {
    std::string const want = wanted ? "accepted" : render(wanted.refusal()), got = images ? "accepted" : render(images.refusal());
    return want == got ? "" : "the vector interpreter says:\n" + got + "\nthe reference interpreter:\n" + want;
  }
  for (std::size_t r = 0; r < images->size(); ++r) {
    const Image &image = *wanted_images[r], &found = *(*images)[r];
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

/// What goes into a module and what the reference interpreter makes of it, as bytes. None if a tensor among them lies where nobody brings bytes.
struct RunImages {
  Images arguments, results;

  static std::optional<RunImages> of(const ir::Module& module, const std::vector<reference::Value>& arguments,
                                     const Expected<reference::Outcome>& wanted) {
    for (const auto* list : {&module.arguments, &module.results})
      for (ir::TensorId id : *list)
        if (!detail::has_image(module, id)) return {};
    auto const image = [&](const reference::Value& v, ir::TensorId id) {
      return std::make_shared<const Image>(reference::to_image(v, module.levels(module.tensor(id))));
    };
    RunImages made;
    for (std::size_t i = 0; i < arguments.size(); ++i) made.arguments.push_back(image(arguments[i], module.arguments[i]));
    for (std::size_t i = 0; wanted && i < wanted->results.size(); ++i) made.results.push_back(image(wanted->results[i], module.results[i]));
    return made;
  }
};

/// Empty if the vector interpreter gives the same bits, or the same refusal, with one and with two threads, by the best instructions and by plain ones.
inline std::string difference_from_vector(const ir::Verified& verified, const RunImages& images, const Expected<reference::Outcome>& wanted,
                                          bool check) {
  for (int way = 0; way < 3; ++way) {
    vector::Options options;
    options.check = check;
    options.threads = way == 1 ? 2 : 1;
    options.portable = way == 2;
    std::string const says = detail::difference(wanted, images.results, vector::run(verified, images.arguments, options));
    if (!says.empty()) return says;
  }
  return {};
}

}  // namespace tcp::build
