// What a C++ compiler or clangd says about kernels, in the words of ours that are inside.
#pragma once

#include <optional>
#include <string>

namespace tcp::tool {

/// The sentence of ours in a compiler's words, `error[code]: ...; help: ...`; empty if there is none.
std::string sentence_in(const std::string& words);

/// The mapping `A / 2, B # 8` as C++, `m<A / 2, B.pad(8)>`; nothing if a part of it has no such form.
std::optional<std::string> mapping_in_cpp(const std::string& text);

/// The mappings of a sentence, `m![A % 4 #z 8]`, as C++ has them.
std::string mappings_in_cpp(const std::string& text);

}  // namespace tcp::tool
