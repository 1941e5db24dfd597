// What a compiler or clangd says about kernels, in the words of ours that are inside, and what an error tells its
// author to write, as a change of the text that an editor can make.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/rust/crate.hpp"

namespace tcp::tool {

/// Lines and columns count from 1, and a column counts characters; the end is after the last one.
struct TextChange {
  unsigned line = 0, column = 0, end_line = 0, end_column = 0;
  std::string text;
};

struct Fix {
  std::string title;
  std::vector<TextChange> changes;
};

/// Nothing where the help is advice, or where it does not say which piece of the text is meant. `source` is the text
/// of the file that the error points into.
std::optional<Fix> fix_of(const rust::SourceError& error, std::string_view source);

/// A change of C++, where the help says what to write: the call at that place gets other template arguments, another
/// name, or a call before it.
std::optional<Fix> cpp_fix_of(const std::string& help, unsigned line, unsigned column, std::string_view source);

/// The sentence of ours in a compiler's words, `error[code]: ...; help: ...`; empty if there is none.
std::string sentence_in(const std::string& words);

/// What to say of an error that C++ itself has with a kernel: a name that does not exist, a call without its mappings,
/// a stream that is used twice.
struct Advice {
  std::string what;  // empty: the compiler's own words
  std::string why;   // empty: nothing more is to be said
  std::string help;
};

/// `words` and `notes` are the compiler's, with types as short_types makes them. Nothing where they are of no kind that
/// is known here.
std::optional<Advice> advice_of(const std::string& words, const std::string& notes);

/// Types as people write them: `m![A % 8]` for a Map, "a stream" for a StreamTensor with all its state.
std::string short_types(std::string text);

/// The mapping `A / 2, B # 8` as C++, `m<A / 2, B.pad(8)>`; nothing if a part of it has no such form.
std::optional<std::string> mapping_in_cpp(const std::string& text);

/// The mappings of a sentence, `m![A % 4 #z 8]`, as C++ has them.
std::string mappings_in_cpp(const std::string& text);

}  // namespace tcp::tool
