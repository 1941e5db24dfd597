// Finds out which numbers measured calls tell, and fits those.
#include "tcp/sched/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "tcp/device/fields.hpp"

namespace tcp::sched {

namespace {

using Vector = std::vector<double>;

/// A number of the group that is fitted, inside a device.
struct FitNumber {
  std::string key;
  std::int64_t* value = nullptr;
  std::int64_t least = 0;
  int index = 0;  // in the table
};

/// Collects the whole numbers of a group.
struct NumberFinder : FieldCursor {
  std::string_view wanted;
  std::vector<FitNumber> all;

  explicit NumberFinder(std::string_view group) : wanted(group) {}

  template <class T>
  void field(const DeviceField& row, T& member, const std::type_identity_t<T>&) {
    next();
    if (group_name != wanted) return;
    std::int64_t const least = row.range == FieldRange::positive ? 1 : 0;
    if constexpr (std::is_same_v<T, std::int64_t>) all.push_back({row.key, &member, least, index});
    if constexpr (std::is_same_v<T, Cycles>) all.push_back({row.key, &member.value, least, index});
  }
};

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
double length_of(const Vector& a) { return std::sqrt(dot(a, a)); }

/// What is left of a column when everything is taken off it that the others can say.
Vector rest_of(Vector column, const std::vector<Vector>& columns, std::size_t own) {
  std::vector<Vector> basis;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k == own) continue;
    Vector left = columns[k];
    for (int twice = 0; twice < 2; ++twice)
      for (const Vector& b : basis) {
        double const part = dot(left, b);
        for (std::size_t i = 0; i < left.size(); ++i) left[i] -= part * b[i];
      }
    double const size = length_of(left);
    if (size < 1e-6 * std::max(length_of(columns[k]), 1e-12)) continue;
    for (double& x : left) x /= size;
    basis.push_back(std::move(left));
  }
  for (int twice = 0; twice < 2; ++twice)
    for (const Vector& b : basis) {
      double const part = dot(column, b);
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= part * b[i];
    }
  return column;
}

/// Solves a x = b for a symmetric matrix that is positive definite.
Vector solved(std::vector<Vector> a, Vector b) {
  std::size_t const n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      double const factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

class Fitter {
 public:
  Fitter(const std::vector<MeasuredCall>& calls, const Device& device, Figures figures) : device_(device), figures_(figures) {
    for (const MeasuredCall& c : calls)
      if (c.cycles > Cycles{0} && !c.commands.empty()) calls_.push_back(&c);
    NumberFinder finder(figures == Figures::Seen ? "calibrated" : "planned");
    each_field(device_, finder);
    numbers_ = std::move(finder.all);
  }

  Expected<Fit> run() {
    Fit made;
    std::vector<Cycles> const before = cycles();
    if (refused_) return *refusal_;
    std::vector<std::int64_t> const first = values();
    made.error_before = error();
    choose(made);
    search();
    polish();
    if (refused_) return *refusal_;
    made.error_after = error();
    std::vector<Cycles> const after = cycles();
    for (std::size_t k : chosen_) {
      made.fitted.push_back({numbers_[k].key, first[k], *numbers_[k].value});
      if (first[k] != *numbers_[k].value) device_.assumed.insert(numbers_[k].index);
    }
    for (std::size_t p = 0; p < calls_.size(); ++p)
      made.calls.push_back({calls_[p]->name, calls_[p]->at, calls_[p]->cycles, before[p], after[p]});
    std::sort(made.calls.begin(), made.calls.end(), [](const FittedCall& a, const FittedCall& b) {
      return std::make_tuple(-off(a), std::cref(a.at), std::cref(a.name)) < std::make_tuple(-off(b), std::cref(b.at), std::cref(b.name));
    });
    made.device = device_;
    return made;
  }

 private:
  static double log_ratio(Cycles predicted, Cycles measured) {
    return std::log(static_cast<double>(std::max<std::int64_t>(predicted.value, 1)) / static_cast<double>(measured.value));
  }
  static double off(const FittedCall& c) { return std::abs(log_ratio(c.after, c.measured)); }
  /// One step of a number, for differences and for the search: a number may be 0.
  double scale_of(std::size_t k) const { return static_cast<double>(std::max<std::int64_t>(*numbers_[k].value, 16)); }

  std::vector<std::int64_t> values() const {
    std::vector<std::int64_t> all;
    for (const FitNumber& n : numbers_) all.push_back(*n.value);
    return all;
  }

  Cycles cycles_of(const MeasuredCall& call, const CalibratedDuration& duration) {
    Cycles sum{};
    for (std::size_t i = 0; i < call.commands.size() && !refused_; ++i) {
      auto const cost = duration.cost(*call.commands[i], i);
      if (!cost) {
        refused_ = true;
        refusal_ = cost.refusal();
        return {};
      }
      sum += cost->total();
    }
    return sum;
  }
  std::vector<Cycles> cycles() {
    CalibratedDuration const duration(device_, figures_);
    std::vector<Cycles> all;
    for (const MeasuredCall* call : calls_) all.push_back(cycles_of(*call, duration));
    return all;
  }
  Vector residuals() {
    std::vector<Cycles> const predicted = cycles();
    Vector all;
    for (std::size_t p = 0; p < calls_.size(); ++p) all.push_back(log_ratio(predicted[p], calls_[p]->cycles));
    return all;
  }
  /// Residuals where only the number k has changed since `known`.
  Vector residuals_after(std::size_t k, Vector known) {
    CalibratedDuration const duration(device_, figures_);
    for (std::size_t p : depend_on_[k]) known[p] = log_ratio(cycles_of(*calls_[p], duration), calls_[p]->cycles);
    return known;
  }
  /// Which calls a number changes, were it half or twice as large, or a little larger: a call may depend on it in part
  /// of its range only.
  void find_dependence() {
    Vector const now = residuals();
    depend_on_.assign(numbers_.size(), {});
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      std::int64_t const was = *numbers_[k].value;
      std::vector<bool> changed(calls_.size());
      for (std::int64_t other : {was / 2, was + 1 + was / 20, 2 * was + 1}) {
        *numbers_[k].value = std::max(numbers_[k].least, other);
        Vector const then = residuals();
        for (std::size_t p = 0; p < calls_.size(); ++p)
          if (then[p] != now[p]) changed[p] = true;
      }
      *numbers_[k].value = was;
      for (std::size_t p = 0; p < calls_.size(); ++p)
        if (changed[p]) depend_on_[k].push_back(p);
    }
  }
  double squares() {
    Vector const r = residuals();
    return dot(r, r);
  }
  double error() {
    double sum = 0;
    for (double r : residuals()) sum += std::abs(r);
    return calls_.empty() ? 0 : sum / static_cast<double>(calls_.size());
  }

  /// By how much the logarithm of each time changes with a number, were that doubled at the same pace.
  Vector column(std::size_t k, const Vector& now) {
    std::int64_t& value = *numbers_[k].value;
    std::int64_t const was = value, step = std::max<std::int64_t>(1, was / 20);
    std::int64_t const below = std::max(numbers_[k].least, was - step), above = was + step;
    value = above;
    Vector high = residuals_after(k, now);
    value = below;
    Vector const low = residuals_after(k, now);
    value = was;
    double const factor = scale_of(k) / static_cast<double>(above - below);
    for (std::size_t p = 0; p < high.size(); ++p) high[p] = (high[p] - low[p]) * factor;
    return high;
  }

  /// Which numbers the calls tell; of the others, why they do not.
  void choose(Fit& made) {
    constexpr double noticed = 0.02, apart = 0.15;  // of a time, were the number doubled; of a column, what is its own
    std::vector<std::size_t> used;
    std::vector<Vector> columns;
    find_dependence();
    Vector const now = residuals();
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      Vector c = column(k, now);
      double most = 0;
      for (double x : c) most = std::max(most, std::abs(x));
      if (most == 0) {
        made.left_alone.push_back({numbers_[k].key, "no call depends on it", false});
      } else if (most < noticed) {
        made.left_alone.push_back({numbers_[k].key, "it changes no time by more than a fiftieth, were it twice as large", true});
      } else {
        used.push_back(k);
        columns.push_back(std::move(c));
      }
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      auto const calls = std::count_if(columns[i].begin(), columns[i].end(), [](double x) { return std::abs(x) >= noticed; });
      std::string why;
      if (calls < 2) why = "only one call depends on it, and no other checks what that says";
      else if (length_of(rest_of(columns[i], columns, i)) < apart * length_of(columns[i])) why = like(i, used, columns);
      if (why.empty()) chosen_.push_back(used[i]);
      else made.left_alone.push_back({numbers_[used[i]].key, std::move(why), true});
    }
  }
  /// Whose column is most like that of number i.
  std::string like(std::size_t i, const std::vector<std::size_t>& used, const std::vector<Vector>& columns) const {
    std::size_t nearest = i;
    double most = -1;
    for (std::size_t k = 0; k < used.size(); ++k) {
      double const cosine = std::abs(dot(columns[i], columns[k])) / (length_of(columns[i]) * length_of(columns[k]));
      if (k != i && cosine > most) {
        most = cosine;
        nearest = k;
      }
    }
    return "it cannot be told apart from " + numbers_[used[nearest]].key + (most < 0.9 ? " and others together" : "");
  }

  /// Gauss and Newton's steps, shortened until they help.
  void search() {
    double best = squares(), damping = 1e-3;
    for (int round = 0; round < 60 && damping < 1e6 && !chosen_.empty() && !refused_; ++round) {
      std::size_t const n = chosen_.size();
      std::vector<Vector> columns, matrix(n, Vector(n));
      Vector const r = residuals();
      for (std::size_t k : chosen_) columns.push_back(column(k, r));
      Vector slope(n);
      for (std::size_t i = 0; i < n; ++i) {
        slope[i] = -dot(columns[i], r);
        for (std::size_t j = 0; j < n; ++j) matrix[i][j] = dot(columns[i], columns[j]);
        matrix[i][i] = matrix[i][i] * (1 + damping) + 1e-12;
      }
      Vector const step = solved(std::move(matrix), std::move(slope));
      std::vector<std::int64_t> const was = values();
      for (std::size_t i = 0; i < n; ++i) move_to(chosen_[i], static_cast<double>(was[chosen_[i]]) + step[i] * scale_of(chosen_[i]));
      double const now = squares();
      if (now < best) {
        best = now;
        damping /= 4;
      } else {
        for (std::size_t k : chosen_) *numbers_[k].value = was[k];
        damping *= 4;
      }
    }
  }
  /// Whole numbers near what was found: each in turn, as long as that helps.
  void polish() {
    find_dependence();  // by now others may matter
    Vector known = residuals();
    double best = dot(known, known);
    bool better = true;
    for (int round = 0; round < 40 && better && !refused_; ++round) {
      better = false;
      for (std::size_t k : chosen_)
        for (std::int64_t step : {-8, -2, -1, 1, 2, 8}) {
          std::int64_t const was = *numbers_[k].value;
          move_to(k, static_cast<double>(was + step));
          Vector then = residuals_after(k, known);
          if (double const now = dot(then, then); now < best) {
            best = now;
            known = std::move(then);
            better = true;
          } else {
            *numbers_[k].value = was;
          }
        }
    }
  }
  void move_to(std::size_t k, double value) {
    constexpr double most = 1e7;  // far beyond any number of the table, and far from the end of the counters
    if (!std::isfinite(value)) return;
    *numbers_[k].value = static_cast<std::int64_t>(std::llround(std::clamp(value, static_cast<double>(numbers_[k].least), most)));
  }

  Device device_;
  Figures figures_;
  std::vector<const MeasuredCall*> calls_;
  std::vector<FitNumber> numbers_;
  std::vector<std::vector<std::size_t>> depend_on_;  // calls, by number
  std::vector<std::size_t> chosen_;
  bool refused_ = false;
  std::optional<Refusal> refusal_;
};

}  // namespace

Expected<Fit> fit(const std::vector<MeasuredCall>& calls, const Device& device, Figures figures) {
  return Fitter(calls, device, figures).run();
}

}  // namespace tcp::sched
