#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>

#include "gate/search/candidate.h"
#include "gate/search/evaluate/built.h"
#include "gate/verdict/preparation.h"

namespace kgate::search {

// What can be done of candidates without a device: read by the policy's rules, what has no room left out on paper,
// compiled, looked through. In the background, each once.
class Builder {
 public:
  // `subject`: the kernel as it stands, whose code `ready` has compiled.
  Builder(const verdict::Preparation& ready, const verdict::Subject& subject) : ready_(ready), subject_(subject) {}
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // Why a version has no room on the device in some case, found on paper; empty: it has.
  std::string without_room(const cases::KernelSpec& spec) const;
  void begin(const Candidate& candidate);
  // Waits where it has begun. Throws Error for failures of the world.
  std::shared_ptr<const Built> built(const Candidate& candidate);

 private:
  std::shared_ptr<const Built> build(const Candidate& candidate) const;

  const verdict::Preparation& ready_;
  const verdict::Subject& subject_;
  std::map<std::string, std::shared_future<std::shared_ptr<const Built>>> building_;  // by digest
};

}  // namespace kgate::search
