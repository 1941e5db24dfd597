// Tells ThreadSanitizer what it cannot see: that threads begin after what was prepared for them, and that the thread
// that waits for them sees what they did. The library that starts them is compiled without it. In every other build
// nothing is left of this.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TCP_TELL_THREAD_SANITIZER
#endif
#endif

#ifdef TCP_TELL_THREAD_SANITIZER
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif

namespace tcp::vector::kernels {

/// Lives around a parallel loop, in the thread that waits for it.
class HandOver {
 public:
  HandOver() { release(&begun_); }
  ~HandOver() { acquire(&ended_); }
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;

  /// Lives in the body of the loop.
  class Part {
   public:
    explicit Part(HandOver& whole) : whole_(whole) { acquire(&whole.begun_); }
    ~Part() { release(&whole_.ended_); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    HandOver& whole_;
  };

 private:
#ifdef TCP_TELL_THREAD_SANITIZER
  static void acquire(char* at) { __tsan_acquire(at); }
  static void release(char* at) { __tsan_release(at); }
#else
  static void acquire(char*) {}
  static void release(char*) {}
#endif

  char begun_ = 0, ended_ = 0;
};

}  // namespace tcp::vector::kernels
