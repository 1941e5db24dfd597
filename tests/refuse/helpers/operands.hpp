// The operands of the contractions that are refused here.
#pragma once

#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/contraction.hpp"

namespace tcp_refuse {

constexpr tcp::Levels stream(const tcp::Mapping& time, const tcp::Mapping& packet) {
  tcp::Levels l;
  return l.set(tcp::Level::time, time).set(tcp::Level::packet, packet);
}
constexpr tcp::Levels weights(const tcp::Mapping& row, const tcp::Mapping& element) {
  tcp::Levels l;
  return l.set(tcp::Level::row, row).set(tcp::Level::element, element);
}
/// What align and contract give.
constexpr tcp::Levels computation(const tcp::Mapping& row, const tcp::Mapping& time, const tcp::Mapping& packet) {
  tcp::Levels l = stream(time, packet);
  return l.set(tcp::Level::row, row);
}

}  // namespace tcp_refuse
