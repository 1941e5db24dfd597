// What the corpus has reached: operations, modes, types, and what the rules found, each by a name and how often.
#pragma once

#include <iosfwd>
#include <map>

#include "program.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp::agree {

class Coverage {
 public:
  /// Everything that an accepted program does.
  void note(const Program& program, const ir::Facts& facts);
  void refused(const std::string& family, const char* code);
  void ran(const std::string& family);
  void size(std::int64_t live);
  void outcome(const std::string& what) { ++count_["outcome " + what]; }

  void add(const Coverage& other);
  /// The names that a whole corpus must have reached, and has not.
  std::vector<std::string> missing() const;

  /// One line a name.
  void write(std::ostream& out) const;
  /// Takes in what `write` wrote.
  void read(std::istream& in);
  std::int64_t of(const std::string& name) const;

 private:
  void hit(const std::string& name) { ++count_[name]; }
  void note_names(const Levels& tensor, const Levels& relabelled);
  void note(const ir::Module& module, const ir::Pass& pass, const ir::PassFacts& facts);
  void note(const ir::Module& module, const ir::Stage& stage, const ir::StageFacts& facts);
  void note_copies(const Mapping& slice, const Mapping& time, const Switched& found);
  void note_chip(const ir::Module& module, const ir::Pass& pass, std::size_t stage, const ir::PassFacts& facts);
  void note_operation(const ir::VectorOperation& operation);

  std::map<std::string, std::int64_t> count_;
};

}  // namespace tcp::agree
