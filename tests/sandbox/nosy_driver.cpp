// Stands in for libcuda.so.1: asks for what a driver needs and for what it has no business with, then is of no use.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

extern "C" int cuGetProcAddress_v2(const char*, void**, int, unsigned long long, int*) {
  ::close(::open("/proc/meminfo", O_RDONLY));
  ::close(::open("/etc/hostname-that-nobody-has", O_RDONLY));
  ::close(::open("/etc/passwd", O_RDONLY));
  ::close(::open("/etc/passwd", O_RDWR));
  ::close(::open("/tmp/kgate-nosy-driver", O_WRONLY | O_CREAT, 0600));
  ::close(::socket(AF_INET, SOCK_STREAM, 0));
  ::close(::socket(AF_UNIX, SOCK_SEQPACKET, 0));
  return 999;
}
