// Reads, verifies, places and lowers, and keeps what was refused on the way.
#include "checked.hpp"

#include <set>

#include "tcp/ir/place.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::tool {

Expected<CompiledKernel> compile_module(const ir::Module& module, const Device& device) {
  auto verified = ir::verify(module, device);
  if (verified) verified = ir::placed(*std::move(verified));
  if (!verified) return verified.refusal();
  auto lowered = lower::lower(*verified);
  if (!lowered) return lowered.refusal();
  return CompiledKernel{*std::move(verified), *std::move(lowered)};
}

CrateCheck check_crate(const rust::Crate& crate, const Device& device, const rust::LaunchScalars& scalars, const rust::Kernel* only,
                       const std::function<void(const rust::Kernel&, const CompiledKernel&)>& visit) {
  CrateCheck found;
  found.errors = crate.errors();
  std::set<std::size_t> called;
  std::vector<const rust::Kernel*> generic;
  for (const rust::Kernel& each : crate.kernels()) {
    if (only != nullptr && each.number != only->number) continue;
    const rust::Kernel& kernel = only != nullptr ? *only : each;
    if (kernel.generic && only == nullptr) {
      generic.push_back(&each);
      continue;
    }
    ++found.kernels;
    rust::KernelReading reading = crate.read(kernel, device, scalars);
    called.merge(reading.kernels);
    found.scalars.insert(reading.scalars.begin(), reading.scalars.end());
    for (const std::string& note : reading.notes) found.notes.push_back(kernel.name + ": " + note);
    if (reading.module) {
      auto const compiled = compile_module(*reading.module, device);
      if (!compiled) reading.errors.push_back(crate.error_at(compiled.refusal(), kernel));
      else if (visit) visit(kernel, *compiled);
    }
    if (!reading.errors.empty()) ++found.wrong;
    found.errors.insert(found.errors.end(), reading.errors.begin(), reading.errors.end());
  }
  for (const rust::Kernel* k : generic)
    found.generic.push_back(called.contains(k->number) ? k->name + " is generic, and was checked where other kernels call it"
                                                       : k->name + " is generic over " + crate.generics_of(*k) +
                                                             ", and no kernel calls it: it was not checked; --kernel '" + k->name +
                                                             "::<...>' says what its generics are");
  std::set<std::string> seen;
  std::erase_if(found.errors, [&](const rust::SourceError& e) {
    return !seen.insert(std::string(e.refusal.code) + e.refusal.at.file + ":" + std::to_string(e.refusal.at.line) + ":" +
                        std::to_string(e.refusal.at.column))
                .second;
  });
  return found;
}

}  // namespace tcp::tool
