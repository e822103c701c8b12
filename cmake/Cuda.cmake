# The CUDA backend needs two headers at build time, cuda.h and nvrtc.h, and no library: both are opened with dlopen at run time.
# Without the headers the build has the host backend alone, and says so.
find_path(KGATE_CUDA_H cuda.h
  HINTS "${KGATE_CUDA_INCLUDE_DIR}" "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include"
  PATHS /usr/local/cuda/include /usr/include /opt/cuda/include)
find_path(KGATE_NVRTC_H nvrtc.h
  HINTS "${KGATE_CUDA_INCLUDE_DIR}" "${KGATE_CUDA_H}"
  PATHS /usr/local/cuda/include /usr/include /opt/cuda/include)

set(KGATE_HAVE_CUDA OFF)
if(KGATE_CUDA_H AND KGATE_NVRTC_H)
  set(KGATE_HAVE_CUDA ON)
  message(STATUS "kgate: CUDA backend: yes (${KGATE_CUDA_H})")
else()
  message(STATUS "kgate: CUDA backend: NO, cuda.h or nvrtc.h not found; this build has the host backend alone. "
                 "Install the CUDA toolkit's headers, or set KGATE_CUDA_INCLUDE_DIR, and configure again.")
endif()

add_library(kgate_cuda_headers INTERFACE)
if(KGATE_HAVE_CUDA)
  target_include_directories(kgate_cuda_headers SYSTEM INTERFACE "${KGATE_CUDA_H}" "${KGATE_NVRTC_H}")
  target_compile_definitions(kgate_cuda_headers INTERFACE KGATE_HAVE_CUDA=1)
endif()
