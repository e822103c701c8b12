#include "runner/host/rewrite.h"
#include "tests/support/catch.h"

using kgate::runner::host::rewrite_cuda;

TEST_CASE("An extern __shared__ array becomes a reference to the worker's own") {
  const auto one = [](const std::string& type, const std::string& name, const std::string& dimensions) {
    return "static thread_local " + type + " (&" + name + ")" + dimensions + " = *reinterpret_cast<" + type + " (*)" +
           dimensions + ">(kgate_host::dynamic_shared());";
  };
  CHECK(rewrite_cuda("extern __shared__ float s[];").text == one("float", "s", "[]"));
  CHECK(rewrite_cuda("extern volatile __shared__ float s[];").text == one("volatile float", "s", "[]"));
  CHECK(rewrite_cuda("__shared__ extern int s[];").text == one("int", "s", "[]"));
  CHECK(rewrite_cuda("extern __shared__ __align__(sizeof(float4)) unsigned char s[];").text ==
        one("unsigned char", "s", "[]"));
  CHECK(rewrite_cuda("extern __shared__ alignas(16) Pair<int, float> s[ ];").text ==
        one("Pair < int , float >", "s", "[]"));
  CHECK(rewrite_cuda("extern __shared__ float tile[][33];").text == one("float", "tile", "[][33]"));
  CHECK(rewrite_cuda("#define SHARED(T) extern __shared__ T s[]\nSHARED(int);").text ==
        "#define SHARED(T) static thread_local T (&s)[] = *reinterpret_cast<T "
        "(*)[]>(kgate_host::dynamic_shared())\nSHARED(int);");
}

TEST_CASE("Everything else stays as it is, and every line where it is") {
  for (const std::string text :
       {"__shared__ float s[32];", "static __shared__ int x;", "// extern __shared__ float s[];",
        "/* extern __shared__ float s[]; */ int a;", "const char* s = \"extern __shared__ float s[];\";",
        "R\"x(extern __shared__ float s[];)x\"", "extern int y[];", "extern \"C\" int z;",
        "// a comment that goes on \\\nextern __shared__ float s[];",
        "int a = 1'000'000; char c = '\\''; char d = '\"';"}) {
    CHECK(rewrite_cuda(text).text == text);
  }
  const std::string split = "a;\nextern\n  __shared__ // why\n float\n s[];\nb;\n";
  const std::string text = rewrite_cuda(split).text;
  CHECK(std::count(text.begin(), text.end(), '\n') == std::count(split.begin(), split.end(), '\n'));
  CHECK(text.substr(text.size() - 4) == "\nb;\n");
}

TEST_CASE("A form of extern __shared__ that is not understood is reported with its line") {
  CHECK(rewrite_cuda("\nextern __shared__ int a[], b[];").unknown_extern_shared == std::vector<std::size_t>{2});
  CHECK(rewrite_cuda("extern __shared__ int a;").unknown_extern_shared == std::vector<std::size_t>{1});
  CHECK(rewrite_cuda("extern __shared__ int a[]").unknown_extern_shared.empty());
}

TEST_CASE("Inline assembly becomes a name that nothing declares") {
  CHECK(rewrite_cuda("asm(\"\"); __asm__ volatile(\"\"); __asm(\"\"); // asm").text ==
        "kgate_host_inline_ptx(\"\"); kgate_host_inline_ptx volatile(\"\"); kgate_host_inline_ptx(\"\"); // asm");
}

TEST_CASE("Texts that end in the middle of something are copied whole") {
  for (const std::string text :
       {"", "\"", "'", "/*", "//", "R\"(", "extern __shared__", "extern __shared__ int s[", "__shared__", "\\", "/"}) {
    CHECK(rewrite_cuda(text).text == text);
  }
}
