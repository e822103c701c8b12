# One static library a folder, with the same warnings everywhere.
add_library(kgate_warnings INTERFACE)
target_compile_options(kgate_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
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
