#pragma once

#include <cstddef>
#include <memory>

#include <cuda.h>

// The functions of the CUDA driver that kgate calls, as a plain table: filled from libcuda.so.1 at run time, or by a
// test with a driver of its own that fails where it is told to.
//
// The types are ours, each at one fixed version of the driver's interface (driver.cpp has the pairs of name and
// version), so the CUDA header that kgate is built with does not matter: CUDA 13 changed some functions behind the same
// name.
namespace kgate::runner::cuda {

struct Driver {
  std::shared_ptr<void> library;  // keeps libcuda open for as long as the table is used

  CUresult (*init)(unsigned flags) = nullptr;
  CUresult (*driver_get_version)(int* version) = nullptr;
  CUresult (*device_get_count)(int* count) = nullptr;
  CUresult (*device_get)(CUdevice* device, int ordinal) = nullptr;
  CUresult (*device_get_name)(char* name, int length, CUdevice device) = nullptr;
  CUresult (*device_get_uuid)(CUuuid* uuid, CUdevice device) = nullptr;
  CUresult (*device_get_attribute)(int* value, CUdevice_attribute attribute, CUdevice device) = nullptr;
  CUresult (*primary_context_retain)(CUcontext* context, CUdevice device) = nullptr;
  CUresult (*primary_context_release)(CUdevice device) = nullptr;
  CUresult (*context_set_current)(CUcontext context) = nullptr;
  CUresult (*context_set_limit)(CUlimit limit, std::size_t value) = nullptr;
  CUresult (*context_reset_persisting_cache)() = nullptr;

  CUresult (*memory_get_info)(std::size_t* free, std::size_t* total) = nullptr;
  CUresult (*memory_allocate)(CUdeviceptr* address, std::size_t bytes) = nullptr;
  CUresult (*memory_free)(CUdeviceptr address) = nullptr;
  CUresult (*host_allocate)(void** address, std::size_t bytes) = nullptr;
  CUresult (*host_free)(void* address) = nullptr;
  CUresult (*copy_to_device)(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) = nullptr;
  CUresult (*copy_to_host)(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) = nullptr;
  CUresult (*copy_on_device)(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) = nullptr;
  CUresult (*set_bytes)(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) = nullptr;
  CUresult (*set_words)(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) = nullptr;

  CUresult (*stream_create)(CUstream* stream, unsigned flags) = nullptr;
  CUresult (*stream_destroy)(CUstream stream) = nullptr;
  CUresult (*stream_synchronize)(CUstream stream) = nullptr;
  CUresult (*stream_begin_capture)(CUstream stream, CUstreamCaptureMode mode) = nullptr;
  CUresult (*stream_end_capture)(CUstream stream, CUgraph* graph) = nullptr;
  CUresult (*event_create)(CUevent* event, unsigned flags) = nullptr;
  CUresult (*event_destroy)(CUevent event) = nullptr;
  CUresult (*event_record)(CUevent event, CUstream stream) = nullptr;
  CUresult (*event_synchronize)(CUevent event) = nullptr;
  CUresult (*event_elapsed_time)(float* milliseconds, CUevent start, CUevent end) = nullptr;

  CUresult (*module_load)(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                          void** values) = nullptr;
  CUresult (*module_unload)(CUmodule module) = nullptr;
  CUresult (*module_get_function)(CUfunction* function, CUmodule module, const char* name) = nullptr;
  CUresult (*function_get_attribute)(int* value, CUfunction_attribute attribute, CUfunction function) = nullptr;
  CUresult (*function_set_attribute)(CUfunction function, CUfunction_attribute attribute, int value) = nullptr;
  // From driver 12.4 on; null before.
  CUresult (*function_get_parameter)(CUfunction function, std::size_t index, std::size_t* offset,
                                     std::size_t* bytes) = nullptr;
  CUresult (*occupancy)(int* blocks, CUfunction function, int block_threads, std::size_t shared_bytes) = nullptr;
  CUresult (*launch_kernel)(const CUlaunchConfig* config, CUfunction function, void** parameters,
                            void** extra) = nullptr;

  CUresult (*graph_instantiate)(CUgraphExec* executable, CUgraph graph, unsigned long long flags) = nullptr;
  CUresult (*graph_upload)(CUgraphExec executable, CUstream stream) = nullptr;
  CUresult (*graph_launch)(CUgraphExec executable, CUstream stream) = nullptr;
  CUresult (*graph_executable_destroy)(CUgraphExec executable) = nullptr;
  CUresult (*graph_destroy)(CUgraph graph) = nullptr;
};

// Opens libcuda.so.1 and fills the table. Throws Error(environment) where there is no driver, or one older than 12.0.
Driver open_driver();

}  // namespace kgate::runner::cuda
