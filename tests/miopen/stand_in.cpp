// Stands in for HIP and rocBLAS, so that a real libMIOpen can be asked on a machine without a card.
//
// MIOpen decides on the processor which of its solvers apply to a convolution; all that it wants of
// HIP for that is a device with a name and a size. This library, preloaded, says that there is one.
// It runs nothing: a kernel that is "launched" here is an entry in the log, and no more.
//
//     g++ -O1 -shared -fPIC -Wall -Wextra -Werror stand_in.cpp -o stand_in.so
//     STAND_IN_CHIP=gfx1010:xnack- LD_PRELOAD=$PWD/stand_in.so PROGRAM
//
// It is compiled with the headers of the HIP that the libMIOpen was built with (libamdhip64-dev),
// since HIP 6 changed the form in which a device describes itself.
//
//   STAND_IN_CHIP    what the device is, as HIP names it (gfx1010:xnack- unless said otherwise)
//   STAND_IN_UNITS   its number of compute units; each chip has that of a card that was sold
//   STAND_IN_COMPILER=none    every kernel compiles at once, to nothing: for a search of which only
//                    the list of solvers is wanted (an error would end it, in some releases with the
//                    whole process)
//   STAND_IN_LOG     a file to which every call that reaches this library is appended, one a line
//
// What a search (find) sees is made up: every kernel loads, and each takes a millisecond. So which
// solvers a search would time can be read from MIOpen's log, and never which one is the fastest.
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

// After the standard library, whose attributes HIP's macros would break.
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

namespace {

// Whatever a caller is handed as a stream, an event or a module: never looked into.
int thing;
const char nothing[16] = "no code";
template <class T>
hipError_t hand_out(T* place) {
    *place = reinterpret_cast<T>(&thing);
    return hipSuccess;
}

struct Chip {
    const char* begins;
    const char* card;
    int units;
    size_t memory;
};
// Compute units: AMD's data sheets. gfx1030 is what HSA_OVERRIDE_GFX_VERSION=10.3.0 makes of an
// RX 5700 XT: the name changes, the number of units does not.
const Chip chips[] = {
    {"gfx1010", "AMD Radeon RX 5700 XT", 40, size_t{8} << 30},
    {"gfx1011", "AMD Radeon Pro V520", 36, size_t{8} << 30},
    {"gfx1012", "AMD Radeon RX 5500 XT", 22, size_t{8} << 30},
    {"gfx1030", "AMD Radeon RX 5700 XT", 40, size_t{8} << 30},
};

const char* name() {
    const char* said = getenv("STAND_IN_CHIP");
    return said ? said : "gfx1010:xnack-";
}

const Chip& chip() {
    for (const Chip& each : chips)
        if (!strncmp(name(), each.begins, strlen(each.begins))) return each;
    fprintf(stderr, "stand_in: STAND_IN_CHIP=%s is none of gfx1010, 1011, 1012, 1030\n", name());
    _exit(70);
}

// HIP counts work-group processors on these chips, two compute units each.
int processors() {
    const char* said = getenv("STAND_IN_UNITS");
    return (said ? atoi(said) : chip().units) / 2;
}

// One write a line, at the end of the file: several threads and processes may write at once.
__attribute__((format(printf, 1, 2))) void told(const char* form, ...) {
    static const int log = [] {
        const char* path = getenv("STAND_IN_LOG");
        return path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    }();
    if (log < 0) return;
    char line[512];
    va_list values;
    va_start(values, form);
    int length = vsnprintf(line, sizeof line - 1, form, values);
    va_end(values);
    if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
    line[length++] = '\n';
    if (write(log, line, length) != length) _exit(70);  // an audit with gaps proves nothing
}

template <class Properties>
hipError_t describe(Properties* p) {
    memset(p, 0, sizeof *p);
    strcpy(p->name, chip().card);
    strncpy(p->gcnArchName, name(), sizeof p->gcnArchName - 1);
    p->multiProcessorCount = processors();
    p->totalGlobalMem = chip().memory;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->sharedMemPerBlock = 65536;
    p->clockRate = 2100000;       // kHz; only MIOpen's guesses of times see it
    p->memoryClockRate = 875000;  // kHz
    p->memoryBusWidth = 256;
    p->l2CacheSize = 4 << 20;
    p->major = 10;
    p->minor = strncmp(name(), "gfx103", 6) ? 1 : 3;
    return hipSuccess;
}

}  // namespace

#define SAY told("%s", __func__)

extern "C" {

// The device.

hipError_t hipInit(unsigned) { SAY; return hipSuccess; }
hipError_t hipGetDeviceCount(int* count) { SAY; *count = 1; return hipSuccess; }
hipError_t hipGetDevice(int* device) { SAY; *device = 0; return hipSuccess; }
hipError_t hipSetDevice(int) { SAY; return hipSuccess; }

#undef hipGetDeviceProperties
#if HIP_VERSION_MAJOR >= 6
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* p, int) { SAY; return describe(p); }
#else
hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int) { SAY; return describe(p); }
#endif

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int) {
    told("%s %d", __func__, static_cast<int>(which));
    switch (which) {
    case hipDeviceAttributeMultiprocessorCount: *value = processors(); break;
    case hipDeviceAttributeWarpSize: *value = 32; break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock: *value = 65536; break;
    case hipDeviceAttributeMaxThreadsPerBlock: *value = 1024; break;
    default: *value = 1;
    }
    return hipSuccess;
}
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t) {
    SAY;
    *bytes = chip().memory;
    return hipSuccess;
}
hipError_t hipMemGetInfo(size_t* free, size_t* total) {
    SAY;
    *total = chip().memory;
    *free = *total - (size_t{512} << 20);
    return hipSuccess;
}

const char* hipGetErrorString(hipError_t) { SAY; return "an error of the stand-in"; }
hipError_t hipGetLastError() { SAY; return hipSuccess; }
hipError_t hipDeviceSynchronize() { SAY; return hipSuccess; }

// Streams and events.

hipError_t hipStreamCreate(hipStream_t* stream) { SAY; return hand_out(stream); }
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned) { SAY; return hand_out(stream); }
hipError_t hipStreamDestroy(hipStream_t) { SAY; return hipSuccess; }
hipError_t hipStreamSynchronize(hipStream_t) { SAY; return hipSuccess; }
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned) { SAY; return hipSuccess; }
hipError_t hipEventCreate(hipEvent_t* event) { SAY; return hand_out(event); }
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) { SAY; return hand_out(event); }
hipError_t hipEventDestroy(hipEvent_t) { SAY; return hipSuccess; }
hipError_t hipEventRecord(hipEvent_t, hipStream_t) { SAY; return hipSuccess; }
hipError_t hipEventQuery(hipEvent_t) { SAY; return hipSuccess; }
hipError_t hipEventSynchronize(hipEvent_t) { SAY; return hipSuccess; }
hipError_t hipEventElapsedTime(float* ms, hipEvent_t, hipEvent_t) {
    SAY;
    *ms = 1;
    return hipSuccess;
}

// Memory: "on the card" is the processor's.

hipError_t hipMalloc(void** place, size_t size) {
    told("%s %zu", __func__, size);
    *place = malloc(size);
    return hipSuccess;
}
hipError_t hipHostMalloc(void** place, size_t size, unsigned) {
    SAY;
    *place = malloc(size);
    return hipSuccess;
}
hipError_t hipFree(void* place) { SAY; free(place); return hipSuccess; }
hipError_t hipHostFree(void* place) { SAY; free(place); return hipSuccess; }
hipError_t hipMemPtrGetInfo(void*, size_t* size) { SAY; *size = 1 << 20; return hipSuccess; }
hipError_t hipMemcpy(void* to, const void* from, size_t size, hipMemcpyKind) {
    SAY;
    memcpy(to, from, size);
    return hipSuccess;
}
hipError_t hipMemcpyAsync(void* to, const void* from, size_t size, hipMemcpyKind, hipStream_t) {
    SAY;
    memcpy(to, from, size);
    return hipSuccess;
}
hipError_t
hipMemcpyWithStream(void* to, const void* from, size_t size, hipMemcpyKind, hipStream_t) {
    SAY;
    memcpy(to, from, size);
    return hipSuccess;
}
hipError_t hipMemsetAsync(void* place, int value, size_t size, hipStream_t) {
    SAY;
    memset(place, value, size);
    return hipSuccess;
}

// Kernels. None of these is reached while MIOpen is asked; the log is the proof.

hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
    told("%s %s", __func__, path);
    return hand_out(module);
}
hipError_t hipModuleLoadData(hipModule_t* module, const void*) { SAY; return hand_out(module); }
hipError_t hipModuleUnload(hipModule_t) { SAY; return hipSuccess; }
hipError_t hipModuleGetFunction(hipFunction_t* kernel, hipModule_t, const char* called) {
    told("%s %s", __func__, called);
    return hand_out(kernel);
}
#if HIP_VERSION_MAJOR < 6  // where this one function was exported as C++
extern "C++"
#endif
hipError_t hipExtModuleLaunchKernel(hipFunction_t, uint32_t x, uint32_t y, uint32_t z, uint32_t,
                                    uint32_t, uint32_t, size_t, hipStream_t, void**, void**,
                                    hipEvent_t, hipEvent_t, uint32_t) {
    told("%s %u %u %u", __func__, x, y, z);
    return hipSuccess;
}
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned x, unsigned y, unsigned z,
                                            unsigned, unsigned, unsigned, unsigned, hipStream_t,
                                            void**) {
    told("%s %u %u %u", __func__, x, y, z);
    return hipSuccess;
}

// The compilers: MIOpen's kernels are compiled by libhiprtc or libamd_comgr in its own process. The
// log tells what was compiled, for how long, and the status.

static bool no_compiler() {
    const char* said = getenv("STAND_IN_COMPILER");
    return said && !strcmp(said, "none");
}

extern "C++" {
template <class Function>
static Function next(Function, const char* called) {
    void* found = dlsym(RTLD_NEXT, called);
    // A program that opens libMIOpen by itself, as Python does, has no order with a next one.
    for (const char* file : {"libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so.5",
                             "libamd_comgr.so.3", "libamd_comgr.so.2"}) {
        void* library = found ? nullptr : dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = dlsym(library, called);
    }
    if (!found) {
        fprintf(stderr, "stand_in: no %s in a library that is loaded\n", called);
        _exit(70);
    }
    return reinterpret_cast<Function>(found);
}

template <class Call>
static int timed(const char* called, Call call) {
    const auto begun = std::chrono::steady_clock::now();
    const int status = call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    told("%s: %.2f s, status %d", called, taken.count(), status);
    return status;
}
}

int hiprtcCreateProgram(void** program, const char* text, const char* file, int count,
                        const char** headers, const char** names) {
    told("%s %s", __func__, file);
    if (no_compiler()) {
        *program = &thing;
        return 0;
    }
    return next(&hiprtcCreateProgram, __func__)(program, text, file, count, headers, names);
}

int hiprtcCompileProgram(void* program, int count, const char** options) {
    if (no_compiler()) return 0;
    // Where no option names a chip, libhiprtc asks HIP for the device, past this library.
    const std::string chip = std::string("--offload-arch=") + name();
    std::vector<const char*> all(options, options + count);
    bool named = false;
    for (const char* option : all) named = named || strstr(option, "gfx");
    if (!named) all.push_back(chip.c_str());
    return timed(__func__, [&] {
        const int number = static_cast<int>(all.size());
        return next(&hiprtcCompileProgram, "hiprtcCompileProgram")(program, number, all.data());
    });
}

int hiprtcGetCodeSize(void* program, size_t* size) {
    if (!no_compiler()) return next(&hiprtcGetCodeSize, __func__)(program, size);
    *size = sizeof nothing;
    return 0;
}
int hiprtcGetCode(void* program, char* code) {
    if (!no_compiler()) return next(&hiprtcGetCode, __func__)(program, code);
    memcpy(code, nothing, sizeof nothing);
    return 0;
}
int hiprtcGetProgramLogSize(void* program, size_t* size) {
    if (!no_compiler()) return next(&hiprtcGetProgramLogSize, __func__)(program, size);
    *size = 0;
    return 0;
}
int hiprtcDestroyProgram(void** program) {
    return no_compiler() ? 0 : next(&hiprtcDestroyProgram, __func__)(program);
}

int amd_comgr_set_data_name(uint64_t data, const char* file) {
    told("%s %s", __func__, file);
    return next(&amd_comgr_set_data_name, __func__)(data, file);
}

int amd_comgr_do_action(int kind, uint64_t info, uint64_t from, uint64_t to) {
    if (no_compiler()) return 0;
    told("%s %d", __func__, kind);
    return timed(__func__, [&] {
        return next(&amd_comgr_do_action, "amd_comgr_do_action")(kind, info, from, to);
    });
}

// The one result of an action that was left out. The library counts its data from small numbers or
// has them as addresses; this is neither.
static const uint64_t result = ~uint64_t{41};

int amd_comgr_action_data_count(uint64_t set, int kind, size_t* count) {
    if (!no_compiler()) return next(&amd_comgr_action_data_count, __func__)(set, kind, count);
    *count = 1;
    return 0;
}
int amd_comgr_action_data_get_data(uint64_t set, int kind, size_t index, uint64_t* data) {
    if (!no_compiler())
        return next(&amd_comgr_action_data_get_data, __func__)(set, kind, index, data);
    *data = result;
    return 0;
}
int amd_comgr_get_data(uint64_t data, size_t* size, char* bytes) {
    if (data != result) return next(&amd_comgr_get_data, __func__)(data, size, bytes);
    if (bytes) memcpy(bytes, nothing, sizeof nothing);
    *size = sizeof nothing;
    return 0;
}
int amd_comgr_data_set_add(uint64_t set, uint64_t data) {
    return data == result ? 0 : next(&amd_comgr_data_set_add, __func__)(set, data);
}
int amd_comgr_release_data(uint64_t data) {
    return data == result ? 0 : next(&amd_comgr_release_data, __func__)(data);
}

// rocBLAS: a handle, and products that are not computed. Their arguments are left out, as C allows.

int rocblas_create_handle(void** handle) { SAY; *handle = &thing; return 0; }
int rocblas_destroy_handle(void*) { SAY; return 0; }
int rocblas_set_stream(void*, void*) { SAY; return 0; }
int rocblas_set_atomics_mode(void*, int) { SAY; return 0; }
int rocblas_get_atomics_mode(void*, int* mode) { SAY; *mode = 1; return 0; }
int rocblas_gemm_ex() { SAY; return 0; }
int rocblas_gemm_ex3() { SAY; return 0; }
int rocblas_gemm_strided_batched_ex() { SAY; return 0; }
int rocblas_gemm_strided_batched_ex3() { SAY; return 0; }
int rocblas_sgemv() { SAY; return 0; }
}
