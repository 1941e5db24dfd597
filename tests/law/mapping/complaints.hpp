// A law is tried on many thousand mappings; the first few that break it are shown, the others counted.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "oracle.hpp"
#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/fault.hpp"

inline std::string printed(const tcp::Mapping& m) {
  if (!m.ok()) return std::string(tcp::refusal_of(m).sentence().view());
  std::ostringstream out;
  print(out, m);
  return out.str();
}
inline std::string printed(const tcp::Index& x) {
  std::ostringstream out;
  print(out, x);
  return out.str();
}
inline std::string printed(const tcp::Cell& c) {
  static const char* const pads[] = {"none", "zero", "top", "bottom"};
  switch (c.kind) {
    case tcp::CellKind::live: return printed(c.index);
    case tcp::CellKind::padding: return std::string("padding ") + pads[static_cast<int>(c.pad)];
    case tcp::CellKind::outside: return "outside";
    default: return "several";
  }
}
inline std::string printed(const oracle::Cell& c, const oracle::Axes& axes) {
  std::ostringstream out;
  if (c.padding()) out << "padding of kind " << c.least << " to " << c.greatest;
  for (std::size_t a = 0; a < axes.size() && !c.padding(); ++a) out << axes[a].name << ": " << c.at[a] << " ";
  return out.str();
}

class Complaints {
 public:
  explicit Complaints(std::string law) : law_(std::move(law)) {}
  Complaints(const Complaints&) = delete;
  ~Complaints() { EXPECT_EQ(count_, 0) << law_ << '\n' << shown_.str(); }

  template <class... Parts>
  void add(const Parts&... parts) {
    if (++count_ > 12) return;
    shown_ << "  ";
    ((shown_ << parts), ...);
    shown_ << '\n';
  }

 private:
  std::string law_;
  std::ostringstream shown_;
  int count_ = 0;
};
