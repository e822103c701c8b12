# One static library a folder, with the same warnings everywhere.
add_library(kgate_warnings INTERFACE)
target_compile_options(kgate_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# g++ 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(kgate_warnings INTERFACE -Wno-restrict)
endif()
if(KGATE_WERROR)
  target_compile_options(kgate_warnings INTERFACE -Werror)
endif()
if(KGATE_SANITIZE)
  add_compile_options(-fsanitize=${KGATE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KGATE_SANITIZE})
endif()

# kgate_floor(NAME SOURCES ... LINK ...): the library of one folder. LINK names the floors below it and outside libraries.
function(kgate_floor name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE kgate_warnings ${ARG_PRIVATE})
endfunction()
