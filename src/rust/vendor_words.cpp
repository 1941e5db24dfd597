// Puts the names of an edition for ours. Names of methods come from the table of calls.
#include "rust/vendor_words.hpp"

#include <utility>

#include "rust/bindings.hpp"

namespace tcp::rust {
namespace {

bool in_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void replace_all(std::string& in, std::string_view what, std::string_view by) {
  for (std::size_t at = in.find(what); at != in.npos; at = in.find(what, at + by.size())) in.replace(at, what.size(), by);
}

/// These are words of plain English as well: names after a dot, before a bracket, and where stages are spoken of.
bool is_plain_word(std::string_view word) { return word == "align" || word == "contract" || word == "accumulate"; }

/// The name that an edition has for a method of April's, which are ours.
std::string_view name_in(int edition, std::string_view word) {
  if (word == "switch_to") return "switch";
  const Binding* const b = find_binding(Receiver::stream, word);
  return b != nullptr && edition > b->until && !b->other.empty() ? b->other : word;
}

/// fetch<f32, ...> is a fetch and a cast since 0.3.
void say_fetch_cast(std::string& s) {
  constexpr std::string_view begin = "fetch<", end = ", ...>";
  for (std::size_t at = s.find(begin); at != s.npos; at = s.find(begin, at + 1)) {
    std::size_t const stop = s.find(end, at);
    if (stop == s.npos) return;
    std::string const type = s.substr(at + begin.size(), stop - at - begin.size());
    s.replace(at, stop + end.size() - at, ".fetch_cast::<" + type + ">() after .fetch");
  }
}

}  // namespace

int edition_in_use(std::string_view source) {
  for (std::string_view name : {"BranchMode::", ".align::<", ".contract::<", ".accumulate::<", ".vector_split", ".vector_trim_way4"})
    if (source.find(name) != source.npos) return april;
  return latest;
}

std::string in_words_of(int edition, std::string_view code, std::string_view sentence) {
  if (code == "relabel-window" && sentence.starts_with("reshape the tensor"))  // which is the relabelling there
    return "give the tensor the window when it is loaded: x.to_dm() into m![$(H, Fh), ...]";
  std::string said;
  for (std::size_t at = 0; at < sentence.size();) {
    if (!in_word(sentence[at])) {
      said += sentence[at++];
      continue;
    }
    std::size_t end = at;
    while (end < sentence.size() && in_word(sentence[end])) ++end;
    std::string_view const word = sentence.substr(at, end - at);
    bool const is_name = !is_plain_word(word) || code.starts_with("stage-") || (at > 0 && sentence[at - 1] == '.') ||
                         (end < sentence.size() && sentence[end] == '(');
    said += is_name ? name_in(edition, word) : word;
    at = end;
  }
  // What collect and cast add is zero whatever a type says of it, so that kernels do not write it there.
  bool const says_nothing = code.starts_with("collect-") || code.starts_with("cast-");
  replace_all(said, "#z, .pad_zero(n)", "#z n");
  replace_all(said, "#z", says_nothing ? "#" : "#{0}");
  replace_all(said, "#!", "#{!}");
  if (edition != april) {
    replace_all(said, "BranchMode::Unconditional", "TagMode::Zero");
    replace_all(said, "AccumulationKind", "LaneMode");
    if (edition >= 3) say_fetch_cast(said);
  }
  return said;
}

}  // namespace tcp::rust
