// Copies of values that hold values: written where those are complete.
#include "rust/value.hpp"

namespace tcp::rust {

Aggregate::Aggregate() = default;
Aggregate::Aggregate(const Aggregate& o) = default;
Aggregate::Aggregate(Aggregate&& o) noexcept = default;
Aggregate& Aggregate::operator=(const Aggregate& o) = default;
Aggregate& Aggregate::operator=(Aggregate&& o) noexcept = default;
Aggregate::~Aggregate() = default;

Named::Named() = default;
Named::Named(std::vector<std::string> names, std::vector<RustValue> values) : path(std::move(names)), arguments(std::move(values)) {}
Named::Named(const Named& o) = default;
Named::Named(Named&& o) noexcept = default;
Named& Named::operator=(const Named& o) = default;
Named& Named::operator=(Named&& o) noexcept = default;
Named::~Named() = default;

}  // namespace tcp::rust
