// What Cargo.toml says of a crate, as far as its sources need it.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tcp/rust/crate.hpp"

namespace tcp::rust {

struct Manifest {
  std::filesystem::path folder;
  std::string crate_name;                                          // of the library, with _ for -
  std::filesystem::path library;                                   // its root; empty: none
  std::vector<std::filesystem::path> roots;                        // of programs, examples and tests
  std::vector<std::filesystem::path> members, excluded;            // of a workspace
  std::map<std::string, std::filesystem::path> path_dependencies;  // by crate name
  std::set<std::string> default_features;
  std::set<std::string> inherited;  // dependencies that the workspace says more of
  bool is_workspace = false;
  Edition edition;
  bool is_least_edition = false;  // and later ones are welcome
  std::string unknown_edition;    // that is said, and that is none of April to 0.9
};

/// Reads the tables of a Cargo.toml, and looks where Cargo looks for what it does not name.
Manifest read_manifest(const std::filesystem::path& file);
/// The manifest of the crate that a file belongs to; empty: none.
std::filesystem::path manifest_above(const std::filesystem::path& file);

}  // namespace tcp::rust
