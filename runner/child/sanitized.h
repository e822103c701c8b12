#pragma once

namespace kgate::runner {

// Name of the sanitizer that this program was built with; null: none. Their run times need what a sandbox takes away:
// terabytes of address space, ptrace for the leak check, /proc/self.
#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kSanitizer = "AddressSanitizer";
#elif defined(__SANITIZE_THREAD__)
constexpr const char* kSanitizer = "ThreadSanitizer";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr const char* kSanitizer = "AddressSanitizer";
#elif __has_feature(thread_sanitizer)
constexpr const char* kSanitizer = "ThreadSanitizer";
#else
constexpr const char* kSanitizer = nullptr;
#endif
#else
constexpr const char* kSanitizer = nullptr;
#endif

}  // namespace kgate::runner
