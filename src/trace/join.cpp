// Finds the partners of commands: by the text of lines between traces of ours, by calls where one was imported.
#include "tcp/trace/join.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

const Source* source_of(const Trace& trace, const Command& c) {
  return c.source == none ? nullptr : &trace.sources[static_cast<std::size_t>(c.source)];
}
std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1); }

/// What a line is, wherever it is: its text, or its number where the text is not known. `named`: with the name of its
/// file.
std::string identity_of(const Trace& trace, const Command& c, bool named) {
  const Source* const s = source_of(trace, c);
  if (s == nullptr) return "";
  return (named ? std::string(last_part(s->file)) : "") + '\n' + (s->text.empty() ? std::to_string(s->line) : s->text);
}

/// Whether the two have a file of one name. A kernel that was copied to try a change has none in common with its copy.
bool share_files(const Trace& before, const Trace& after) {
  return std::any_of(before.sources.begin(), before.sources.end(), [&](const Source& b) {
    return std::any_of(after.sources.begin(), after.sources.end(), [&](const Source& a) { return last_part(a.file) == last_part(b.file); });
  });
}

/// Groups by a key, in the order of the keys.
class Groups {
 public:
  JoinedCommands& of(std::string line, const std::string& name) {
    JoinedCommands& g = groups_[{line, name}];
    g.line = std::move(line);
    if (g.name.empty()) g.name = name;
    return g;
  }
  static void add(JoinedCommands& g, const Trace& trace, std::size_t c, bool later) {
    const Command& command = trace.commands[c];
    const Source* const s = source_of(trace, command);
    if ((later && s != nullptr) || g.at.empty()) {  // who has no lines leaves those of the other
      g.at = place_of(trace.sources, command.source);
      g.text = s == nullptr ? "" : s->text;
    }
    (later ? g.after : g.before).push_back(static_cast<std::int32_t>(c));
  }
  std::vector<JoinedCommands> all() {
    std::vector<JoinedCommands> list;
    for (auto& [key, g] : groups_) list.push_back(std::move(g));
    return list;
  }

 private:
  std::map<std::pair<std::string, std::string>, JoinedCommands> groups_;
};

/// A line that was edited where it is has another text: what only one of the two has, both at the same line, is the
/// same.
std::vector<JoinedCommands> with_edited_lines(std::vector<JoinedCommands> all, const Trace& before, const Trace& after) {
  auto const key = [](const Trace& t, std::int32_t c) {
    const Command& command = t.commands[static_cast<std::size_t>(c)];
    const Source* const s = source_of(t, command);
    return s == nullptr ? std::tuple<std::string, std::int64_t, std::string>()
                        : std::tuple(std::string(last_part(s->file)), s->line, command.name);
  };
  std::map<std::tuple<std::string, std::int64_t, std::string>, JoinedCommands*> gone;
  for (JoinedCommands& g : all)
    if (g.after.empty() && source_of(before, before.commands[static_cast<std::size_t>(g.before.front())]) != nullptr)
      gone[key(before, g.before.front())] = &g;
  for (JoinedCommands& g : all) {
    if (!g.before.empty() || g.after.empty()) continue;  // neither: its partner took what it had
    auto const found = gone.find(key(after, g.after.front()));
    if (found == gone.end()) continue;
    g.before = std::exchange(found->second->before, {});
    gone.erase(found);
  }
  std::erase_if(all, [](const JoinedCommands& g) { return g.before.empty() && g.after.empty(); });
  return all;
}

std::vector<JoinedCommands> join_lines(const Trace& before, const Trace& after) {
  Groups groups;
  bool const named = share_files(before, after);
  for (bool const later : {false, true}) {
    const Trace& t = later ? after : before;
    for (std::size_t c = 0; c < t.commands.size(); ++c)
      Groups::add(groups.of(identity_of(t, t.commands[c], named), t.commands[c].name), t, c, later);
  }
  return with_edited_lines(groups.all(), before, after);
}

std::string own_name(const Command& c) { return c.index.empty() ? c.name : c.name + "#" + c.index; }

/// A name without an index says little: then the call tells commands apart.
std::vector<JoinedCommands> join_names(const Trace& before, const Trace& after) {
  Groups groups;
  bool const named = share_files(before, after);
  for (bool const later : {false, true}) {
    const Trace& t = later ? after : before;
    for (std::size_t c = 0; c < t.commands.size(); ++c) {
      const Command& command = t.commands[c];
      Groups::add(groups.of(command.index.empty() ? identity_of(t, command, named) : "", own_name(command)), t, c, later);
    }
  }
  return groups.all();
}

/// What a command is queued for; clusters that were watched beside each other have the same.
std::string queue_of(const Trace& trace, const Command& c) {
  const std::string& own = trace.resources[static_cast<std::size_t>(c.resources.front())];
  return own.substr(0, own.find(", cluster "));
}

/// How many parts two paths have in common at their ends.
std::size_t common_tail(std::string_view a, std::string_view b) {
  std::size_t parts = 0;
  while (!a.empty() && !b.empty() && last_part(a) == last_part(b)) {
    ++parts;
    std::size_t const in_a = last_part(a).size(), in_b = last_part(b).size();
    a.remove_suffix(std::min(a.size(), in_a + 1));
    b.remove_suffix(std::min(b.size(), in_b + 1));
  }
  return parts;
}

/// Calls of our own trace, to be found by where an imported one says that they end.
class Calls {
 public:
  explicit Calls(const Trace& own) {
    for (std::size_t c = 0; c < own.commands.size(); ++c) {
      const Command& command = own.commands[c];
      const Source* const s = source_of(own, command);
      if (s == nullptr) continue;
      Call call{s->line, command.column > 0 ? command.column : s->column, s->line, 0};
      call.last_line = command.last_line > 0 ? command.last_line : call.line;
      call.last_column = command.last_line > 0 ? command.last_column : call.column;
      by_file_[s->file][queue_of(own, command)][call].push_back(c);
    }
  }

  struct Call {
    std::int64_t line = 0, column = 0, last_line = 0, last_column = 0;
    auto operator<=>(const Call&) const = default;
  };
  struct Found {
    std::string key;
    const std::vector<std::size_t>* commands = nullptr;
  };

  std::optional<Found> find(const Source& theirs, const std::string& queue) {
    auto const file = by_file_.find(file_like(theirs.file));
    if (file == by_file_.end()) return {};
    auto const calls = file->second.find(queue);
    if (calls == file->second.end()) return {};
    const std::pair<const Call, std::vector<std::size_t>>* best = nullptr;
    for (const auto& each : calls->second)
      if (fits(each.first, theirs) && (best == nullptr || rank(each.first, theirs) < rank(best->first, theirs))) best = &each;
    if (best == nullptr) return {};
    const Call& c = best->first;
    return Found{file->first + ":" + std::to_string(c.line) + ":" + std::to_string(c.column) + ":" + std::to_string(c.last_line) + ":" +
                     std::to_string(c.last_column) + " " + queue,
                 &best->second};
  }

 private:
  static bool fits(const Call& c, const Source& theirs) { return c.line <= theirs.line && theirs.line <= std::max(c.line, c.last_line); }
  /// The end of a chain of calls is what they name, else its begin; of several in a line, the one that begins nearest
  /// before.
  static std::tuple<int, bool, std::int64_t> rank(const Call& c, const Source& theirs) {
    bool const at_end = theirs.line == c.last_line;
    std::int64_t const column = at_end ? c.last_column : theirs.line == c.line ? c.column : 0;
    return {at_end ? 0 : theirs.line == c.line ? 1 : 2, column > theirs.column, std::abs(theirs.column - column)};
  }
  /// Our file whose path ends like theirs for the most parts; the name itself must be the same.
  const std::string& file_like(const std::string& theirs) {
    auto const [at, fresh] = files_.try_emplace(theirs);
    std::size_t most = 0;
    if (fresh)
      for (const auto& [file, calls] : by_file_)
        if (std::size_t const common = common_tail(file, theirs); common > most) {
          most = common;
          at->second = file;
        }
    return at->second;
  }

  std::map<std::string, std::map<std::string, std::map<Call, std::vector<std::size_t>>>> by_file_;
  std::map<std::string, std::string> files_;
};

std::vector<JoinedCommands> join_calls(const Trace& before, const Trace& after) {
  bool const later_imported = !after.imported.empty();
  const Trace &own = later_imported ? before : after, &theirs = later_imported ? after : before;
  Calls calls(own);
  Groups groups;
  std::vector<bool> taken(own.commands.size(), false);
  for (std::size_t c = 0; c < theirs.commands.size(); ++c) {
    const Command& command = theirs.commands[c];
    const Source* const s = source_of(theirs, command);
    auto const found = s == nullptr ? std::nullopt : calls.find(*s, queue_of(theirs, command));
    JoinedCommands& g = groups.of(found ? found->key : "", found ? found->key : own_name(command));
    if (found) {
      g.name = command.name;
      for (std::size_t ours : *found->commands)
        if (!taken[ours]) Groups::add(g, own, ours, !later_imported);
      for (std::size_t ours : *found->commands) taken[ours] = true;
    }
    Groups::add(g, theirs, c, later_imported);
  }
  for (std::size_t c = 0; c < own.commands.size(); ++c)
    if (!taken[c]) Groups::add(groups.of(identity_of(own, own.commands[c], true), own.commands[c].name), own, c, !later_imported);
  return groups.all();
}

template <class Of>
std::int64_t most_of_a_cluster(const Trace& trace, const std::vector<std::int32_t>& commands, Of of) {
  std::map<std::int32_t, std::int64_t> by_cluster;
  for (std::int32_t c : commands) {
    const Command& command = trace.commands[static_cast<std::size_t>(c)];
    by_cluster[command.cluster] += of(command);
  }
  std::int64_t most = 0;
  for (const auto& [cluster, sum] : by_cluster) most = std::max(most, sum);
  return most;
}

}  // namespace

std::vector<JoinedCommands> join(const Trace& before, const Trace& after) {
  if (before.imported.empty() && after.imported.empty()) return join_lines(before, after);
  if (!before.imported.empty() && !after.imported.empty()) return join_names(before, after);
  return join_calls(before, after);
}

std::vector<std::int32_t> partners(const Trace& before, const Trace& after) {
  std::vector<std::int32_t> all(before.commands.size(), none);
  for (const JoinedCommands& g : join(before, after)) {
    std::map<std::int32_t, std::vector<std::int32_t>> by_cluster;
    for (std::int32_t c : g.after) by_cluster[after.commands[static_cast<std::size_t>(c)].cluster].push_back(c);
    std::map<std::int32_t, std::size_t> counts;
    for (std::int32_t c : g.before) {
      std::int32_t const cluster = before.commands[static_cast<std::size_t>(c)].cluster;
      std::size_t const k = counts[cluster]++;
      auto const same = by_cluster.find(cluster);
      auto const of = same != by_cluster.end() ? same : by_cluster.begin();
      if (of != by_cluster.end() && k < of->second.size()) all[static_cast<std::size_t>(c)] = of->second[k];
    }
  }
  return all;
}

Cycles busy_of(const Trace& trace, const std::vector<std::int32_t>& commands) {
  return Cycles{most_of_a_cluster(trace, commands, [](const Command& c) {
    Cycles own = c.length() - c.of_program;
    for (const Part& p : c.stalls)
      if (p.name == "lag") own -= p.cycles;  // cluster 1 is waited for
    return own.value;
  })};
}
std::int64_t count_of(const Trace& trace, const std::vector<std::int32_t>& commands) {
  return most_of_a_cluster(trace, commands, [](const Command&) { return 1; });
}

}  // namespace tcp::trace
