// Two kernels given the same values: what an element of an argument is depends on its coordinates, and not on the layout
// of the tensor; results are compared coordinate by coordinate.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/scalar/float_formats.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::findings_test {

inline std::string text_of(const Name& name) {
  std::string all;
  for (int i = 0; i < 16 && name[i] != 0; ++i) all += name[i];
  return all;
}

/// Calls `visit(i, n)` for each element: its number, and the sum of its coordinates, each times the weight of its axis.
template <class Weight, class Visit>
void each_element(const reference::Value& v, const Weight& weight, const Visit& visit) {
  std::vector<std::int64_t> at(v.axes().size(), 0), weights;
  for (const reference::Value::Axis& a : v.axes()) weights.push_back(weight(text_of(a.name)));
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < v.size(); ++i) {
    visit(i, sum);
    for (std::size_t k = at.size(); k-- > 0;) {
      sum += weights[k];
      if (++at[k] < v.axes()[k].size) break;
      sum -= at[k] * weights[k];
      at[k] = 0;
    }
  }
}

/// Small numbers, so that sums are exact in every order.
inline std::uint32_t bits_of(ScalarType type, std::int64_t n) {
  auto const real = static_cast<float>(n);
  switch (type) {
    case ScalarType::f32: return f32::from_float(real).bits;
    case ScalarType::bf16: return bf16::from_float(real).bits;
    case ScalarType::f16: return f16::from_float(real).bits;
    default: return static_cast<std::uint32_t>(n) & scalar_mask(type);
  }
}

inline std::vector<reference::Value> results_of(const std::string& kernel, const char* name) {
  auto const verified = value_or_throw(ir::verify(value_or_throw(ir::parse(kernel, name)), rngd));
  const ir::Module& module = verified.module();
  auto const levels = [&](ir::TensorId id) { return module.levels(module.tensor(id)); };
  bool const indexed = kernel.find("gather ") != std::string::npos || kernel.find("scatter ") != std::string::npos;
  bool const filtered = kernel.find(".vector_filter") != std::string::npos;  // places that it does not fill are undefined
  Images arguments;
  for (std::size_t a = 0; a < module.arguments.size(); ++a) {
    ir::TensorId const id = module.arguments[a];
    reference::Value v(module.tensor(id).type, reference::axes_of(levels(id)));
    auto const weight = [&](const std::string& axis) {
      std::int64_t sum = 3 + static_cast<std::int64_t>(a);
      for (char c : axis) sum = sum * 31 + c;
      return 1 + sum % 97;
    };
    bool const names_rows = v.type == ScalarType::i32 && indexed;  // then a number may be one of a table's rows
    each_element(v, weight, [&](std::int64_t i, std::int64_t n) { v[i].bits = bits_of(v.type, n % 7 - (names_rows ? 0 : (n / 7) % 3)); });
    arguments.push_back(std::make_shared<const Image>(reference::to_image(v, levels(id))));
  }
  vector::Options options;
  options.check = !filtered;
  Images const images = value_or_throw(vector::run(verified, arguments, options));
  std::vector<reference::Value> all;
  for (std::size_t r = 0; r < images.size(); ++r)
    all.push_back(reference::from_image(*images[r], module.tensor(module.results[r]).type, levels(module.results[r])));
  return all;
}

inline void expect_same_results(const std::string& before, const std::string& after) {
  std::vector<reference::Value> const was = results_of(before, "before.tcp"), is = results_of(after, "after.tcp");
  ASSERT_EQ(was.size(), is.size());
  for (std::size_t r = 0; r < was.size(); ++r) {
    ASSERT_EQ(was[r].type, is[r].type);
    ASSERT_EQ(was[r].size(), is[r].size());
    std::map<std::string, std::int64_t> stride;  // of the later one
    std::int64_t inside = 1;
    for (std::size_t k = is[r].axes().size(); k-- > 0;) {
      stride[text_of(is[r].axes()[k].name)] = inside;
      inside *= is[r].axes()[k].size;
    }
    std::int64_t wrong = 0, live = 0;
    auto const place = [&](const std::string& axis) {
      EXPECT_TRUE(stride.contains(axis)) << axis;
      return stride[axis];
    };
    each_element(was[r], place, [&](std::int64_t i, std::int64_t there) {
      wrong += was[r][i].bits != is[r][there].bits;
      live += was[r][i].bits != 0;
    });
    EXPECT_EQ(wrong, 0) << "of " << was[r].size();
    EXPECT_GT(live, 0) << "all are zero";
  }
}

}  // namespace tcp::findings_test
