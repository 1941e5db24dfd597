// A kernel that is recorded once: which tensor of a later launch takes the place of which of the first, and new tensors
// for its results.
#include "tcp/runtime/prepare.hpp"

#include <algorithm>

#include "runtime/device/session.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::detail {

Node* FoundHandles::instead_of(Node* node) noexcept {
  retain(node);
  handles_.emplace_back(node);
  return node;
}

Node* ReplacedHandles::instead_of(Node* node) noexcept { return next_ < by_.size() ? by_[next_++].get() : node; }

namespace {

constexpr int not_given = -1;

/// The first place of a tensor in a list.
int position_of(const Node* node, const std::vector<Handle>& in) {
  auto const found = std::find_if(in.begin(), in.end(), [node](const Handle& h) { return h.get() == node; });
  return found == in.end() ? not_given : static_cast<int>(found - in.begin());
}

/// What a tensor is, without its contents.
struct Kind {
  explicit Kind(const Node& node) : memory(node.memory), type(node.type), levels(node.levels) {}

  bool is(const Node& node) const {
    if (node.memory != memory || node.type != type || node.levels == nullptr) return false;
    return node.levels == levels || std::equal(levels->at, levels->at + level_count, node.levels->at);
  }

  Memory memory;
  ScalarType type;
  std::shared_ptr<const Levels> levels;
};

/// Where a tensor of a launch comes from.
struct TensorSource {
  enum class Kind : std::uint8_t { given, made, captured } kind;
  int number = 0;     // of the tensors given, or of those made
  Handle captured{};  // one that the kernel had from elsewhere
};

}  // namespace

class PreparedKernel {
 public:
  PreparedKernel(DeviceSession* session, std::shared_ptr<KeptModule> kept) : session_(session), kept_(std::move(kept)) {
    session_->retain();
  }
  ~PreparedKernel() { session_->release(); }
  PreparedKernel(const PreparedKernel&) = delete;
  PreparedKernel& operator=(const PreparedKernel&) = delete;

  void note(const std::vector<Exchange>& arguments, const std::vector<Exchange>& results, const std::vector<Handle>& given,
            const std::vector<Handle>& returned) {
    for (const Handle& h : given) {
      given_.emplace_back(*h.get());
      same_as_.push_back(position_of(h.get(), given));
    }
    std::vector<Handle> made;
    for (const Exchange& a : arguments) arguments_.push_back(source_of(a.node, given, made));
    for (const Exchange& r : results) {
      bool const is_argument =
          std::any_of(arguments.begin(), arguments.end(), [&](const Exchange& a) { return a.node.get() == r.node.get(); });
      if (!is_argument) {
        made.push_back(r.node);
        made_.emplace_back(*r.node.get());
      }
      results_.push_back(source_of(r.node, given, made));
    }
    for (const Handle& h : returned) returned_.push_back(source_of(h, given, made));
  }

  PreparedLaunch launch(const std::vector<Handle>& given) {
    check(given);
    std::vector<Handle> made;
    for (const Kind& kind : made_) made.push_back(fresh(kind));
    auto const all = [&](const std::vector<TensorSource>& sources) {
      std::vector<Handle> handles;
      for (const TensorSource& s : sources)
        handles.push_back(s.kind == TensorSource::Kind::captured
                              ? s.captured
                              : (s.kind == TensorSource::Kind::given ? given : made)[static_cast<std::size_t>(s.number)]);
      return handles;
    };
    JobHandle job(session_->launch_again(*kept_, all(arguments_), all(results_)));
    return {std::move(job), all(returned_)};
  }

 private:
  static TensorSource source_of(const Handle& handle, const std::vector<Handle>& given, const std::vector<Handle>& made) {
    if (int const at = position_of(handle.get(), given); at != not_given) return {TensorSource::Kind::given, at};
    if (int const at = position_of(handle.get(), made); at != not_given) return {TensorSource::Kind::made, at};
    return {TensorSource::Kind::captured, 0, handle};
  }

  void check(const std::vector<Handle>& given) const {
    auto const refused = [](int number, const char* what) {
      return Refused(refuse("runtime-prepared-argument")
                         .what("tensor ", number, " of a prepared launch ", what)
                         .why("the kernel was recorded once, for the tensors that it was prepared with")
                         .help("prepare the kernel again with these, or launch it by launch(kernel, ctx, ...)"));
    };
    if (given.size() != given_.size())
      throw Refused(refuse("runtime-prepared-argument")
                        .what("a prepared launch is given ", given.size(), " tensors, and the kernel was prepared for ", given_.size())
                        .why("the kernel was recorded once, for the tensors that it was prepared with")
                        .help("prepare the kernel again with these, or launch it by launch(kernel, ctx, ...)"));
    for (std::size_t i = 0; i < given.size(); ++i) {
      int const number = static_cast<int>(i);
      if (!given_[i].is(*given[i].get())) throw refused(number, "has another type or layout than the one it was prepared with");
      if (position_of(given[i].get(), given) != same_as_[i])
        throw refused(number, same_as_[i] == number ? "is an earlier one again, and was one of its own"
                                                    : "was an earlier one again, and is one of its own");
    }
  }

  Handle fresh(const Kind& kind) const {
    auto node = std::make_unique<Node>();
    node->session = session_;
    session_->retain();
    node->memory = kind.memory;
    node->type = kind.type;
    node->levels = kind.levels;
    return Handle(node.release());
  }

  DeviceSession* session_;  // counted
  std::shared_ptr<KeptModule> kept_;
  std::vector<Kind> given_, made_;
  std::vector<int> same_as_;  // the first of the tensors given that is the same
  std::vector<TensorSource> arguments_, results_, returned_;
};

std::shared_ptr<PreparedKernel> prepare_job(Job* job, const std::vector<Handle>& given, const std::vector<Handle>& returned) {
  std::vector<Exchange> arguments, results;
  DeviceSession* const session = job->session;
  auto kept = session->keep_for_launches(*job, arguments, results);
  auto prepared = std::make_shared<PreparedKernel>(session, std::move(kept));
  prepared->note(arguments, results, given, returned);
  return prepared;
}

PreparedLaunch launch_prepared(PreparedKernel& kernel, const std::vector<Handle>& given) { return kernel.launch(given); }

void refuse_other_number(int argument) {
  throw Refused(refuse("runtime-prepared-argument")
                    .what("argument ", argument, " of a prepared launch is another number than the kernel was prepared with")
                    .why("the kernel was recorded once, with that number in its commands")
                    .help("prepare the kernel for this number too, or launch it by launch(kernel, ctx, ...)"));
}

}  // namespace tcp::detail
