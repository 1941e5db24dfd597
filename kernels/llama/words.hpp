// How messages of this folder show what came from outside.
#pragma once

#include <string>
#include <string_view>

namespace tcp::kernels {

/// At most `room` characters, none of them unprintable.
std::string shown(std::string_view text, std::size_t room);
/// How a message begins: `config.json: `. The end of a path says most.
std::string shown_file(std::string_view path);

}  // namespace tcp::kernels
