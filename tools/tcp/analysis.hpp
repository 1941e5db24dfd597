// A source as an editor asks about it: its mistakes with their fixes, what each line costs, what stands at a place,
// where a name is defined. For programs in text form and for kernels in Rust; nothing here knows the editor.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fixes.hpp"
#include "program_file.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::tool {

struct Problem {
  rust::SourceError error;
  std::optional<Fix> fix;
  bool is_note = false;  // a slip of the pen perhaps, and no error
};

/// What stands above a line.
struct LineLens {
  unsigned line = 0;
  std::string label, details;
};

struct AnalysisOptions {
  Device device;
  std::string model = "book";
};

class Analysis {
 public:
  /// `file` is absolute, and its text is among the unsaved ones if it is open. Kernels in Rust are read with the crate
  /// around them.
  Analysis(std::string file, const rust::UnsavedTexts& unsaved, const AnalysisOptions& options);

  /// By file. A file without a mistake is not there.
  const std::map<std::string, std::vector<Problem>>& problems() const { return problems_; }
  /// In the order of lines.
  std::vector<LineLens> lenses(const std::string& file) const;
  /// Shape, bytes and cycles of the stage, command or tensor at this place, in Markdown.
  std::optional<std::string> hover(const std::string& file, unsigned line, unsigned column) const;
  std::optional<Where> definition(const std::string& file, unsigned line, unsigned column) const;

 private:
  struct Spot {
    unsigned column = 0;
    std::string words;
    int rounds = 1;  // commands of a loop share their place
  };
  struct CostOfLine {
    std::string kernel;
    LineLens lens;
    Cycles cycles{};
  };

  void read_rust(const rust::UnsavedTexts& unsaved);
  void read_text();
  void add_error(rust::SourceError error);
  void add_kernel(const std::string& name, const Where& at, const CompiledKernel& kernel);
  void add_spots(const ir::Verified& verified, const trace::Trace& trace);
  void add_spot(const Where& at, std::string words);
  void add_costs(const std::string& kernel, const Where& at, const trace::Trace& trace);
  std::string text_of(const std::string& file) const;
  std::optional<Where> text_definition(unsigned line, unsigned column) const;
  std::string word_at(const std::string& file, unsigned line, unsigned column) const;

  std::string file_;
  rust::UnsavedTexts unsaved_;
  AnalysisOptions options_;
  std::optional<rust::Crate> crate_;
  std::map<std::string, std::vector<Problem>> problems_;
  std::map<std::string, std::map<unsigned, std::vector<Spot>>> spots_;  // by file and line
  std::map<std::string, std::map<unsigned, CostOfLine>> costs_;
  std::map<std::string, std::string> tensors_;  // of a text, by name: what hovers show
};

}  // namespace tcp::tool
