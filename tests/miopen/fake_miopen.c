/* A libMIOpen with the few functions of the public interface that are asked, and with log lines in
 * the forms of the real one. The environment says how it behaves:
 *   FAKE_FORM=5.2   the log of MIOpen 2.17 and 2.20 (otherwise that of 3.2 and later)
 *   FAKE_FIND_DB=1  answers from a database of earlier searches
 *   FAKE_MODEL=1    a model prefers one Winograd, unless it is switched off
 *   FAKE_HANG, FAKE_CRASH   for images of this height
 *   FAKE_NO_CARD=1  no handle can be made
 * It applies a matrix product and a plain kernel to everything, and two Winograds without an
 * estimate to 3x3 kernels in float32. Switches of algorithms act as in the real one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { float time; size_t workspace; uint64_t id; int algorithm; } solution;
typedef struct { int dtype, size[4]; } tensor;
typedef struct { int numbers[6], groups; } convolution;
typedef struct { uint64_t id; int algorithm; float wti; const char* name; } solver;

enum { GEMM = 0, DIRECT = 1, WINOGRAD = 3, BAD_PARM = 3, NOT_IMPLEMENTED = 6, UNKNOWN = 7 };
static const solver SOLVERS[] = {
    {53, WINOGRAD, -2, "ConvBinWinogradRxSf3x2"},
    {37, WINOGRAD, -2, "ConvBinWinogradRxSf2x3g1"},
    {85, DIRECT, 0.01f, "ConvDirectNaiveConvFwd"},
    {86, DIRECT, 0.01f, "ConvDirectNaiveConvBwd"},
    {87, DIRECT, 0.01f, "ConvDirectNaiveConvWrw"},
    {91, GEMM, 0.8f, "GemmFwdRest"},
    {97, GEMM, 0.8f, "GemmBwdRest"},
    {100, GEMM, 0.8f, "GemmWrwUniversal"},
};
enum { SOLVER_COUNT = sizeof SOLVERS / sizeof *SOLVERS };

static int is(const char* name, const char* value) {
    const char* set = getenv(name);
    return set && !strcmp(set, value);
}

static int logs(void) {
    const char* level = getenv("MIOPEN_LOG_LEVEL");
    return level && atoi(level) >= 6;
}
#define LOG(level, function, ...)                                       \
    do {                                                                \
        if (logs()) {                                                   \
            fprintf(stderr, "MIOpen(HIP): %s [%s] ", level, function);  \
            fprintf(stderr, __VA_ARGS__);                               \
            fputc('\n', stderr);                                        \
        }                                                               \
    } while (0)

int miopenGetVersion(size_t* major, size_t* minor, size_t* patch) {
    *major = 3, *minor = 2, *patch = 0;
    return 0;
}

int miopenCreate(void** handle) {
    static int made;
    if (getenv("FAKE_NO_CARD")) {
        LOG("Error", "get_device_id", "No device");
        return UNKNOWN;
    }
    const char* chip = getenv("FAKE_GFX");
    LOG("Info", "get_device_name", "Raw device name: %s", chip ? chip : "gfx1010:xnack-");
    LOG("Info", "Handle", "stream: 0, device_id: 0");
    *handle = &made;
    return 0;
}

int miopenDestroy(void* handle) { (void)handle; return 0; }
int miopenCreateTensorDescriptor(void** made) { *made = calloc(1, sizeof(tensor)); return 0; }
int miopenDestroyTensorDescriptor(void* gone) { free(gone); return 0; }
int miopenCreateConvolutionDescriptor(void** made) {
    *made = calloc(1, sizeof(convolution));
    return 0;
}
int miopenDestroyConvolutionDescriptor(void* gone) { free(gone); return 0; }

int miopenSetTensorDescriptor(tensor* t, int dtype, int dims, const int* size, const int* strides) {
    (void)strides;
    if (dims != 4) return BAD_PARM;
    t->dtype = dtype;
    memcpy(t->size, size, sizeof t->size);
    return 0;
}

int miopenInitConvolutionDescriptor(convolution* c, int mode, int ph, int pw, int sh, int sw,
                                    int dh, int dw) {
    int numbers[] = {ph, pw, sh, sw, dh, dw};
    memcpy(c->numbers, numbers, sizeof numbers);
    return mode ? BAD_PARM : 0;
}

int miopenSetConvolutionGroupCount(convolution* c, int groups) { c->groups = groups; return 0; }

int miopenGetConvolutionForwardOutputDim(convolution* c, tensor* x, tensor* w, int* n, int* k,
                                         int* h, int* v) {
    const int* p = c->numbers;
    if (x->size[1] != w->size[1] * c->groups) return BAD_PARM;
    *n = x->size[0], *k = w->size[0];
    *h = (x->size[2] + 2 * p[0] - p[4] * (w->size[2] - 1) - 1) / p[2] + 1;
    *v = (x->size[3] + 2 * p[1] - p[5] * (w->size[3] - 1) - 1) / p[3] + 1;
    return 0;
}

static int switched_off(int algorithm) {
    return is(algorithm == GEMM     ? "MIOPEN_DEBUG_CONV_GEMM"
              : algorithm == DIRECT ? "MIOPEN_DEBUG_CONV_DIRECT"
                                    : "MIOPEN_DEBUG_CONV_WINOGRAD", "0");
}

static size_t memory(const solver* s, const tensor* image, const tensor* weight,
                     const tensor* result) {
    (void)image;
    if (s->algorithm != GEMM) return 0;
    return (size_t)weight->size[1] * weight->size[2] * weight->size[3] * result->size[2]
           * result->size[3] * (weight->dtype ? 4 : 2);
}

static int list(int direction, tensor* x, tensor* w, tensor* y, solution* out, size_t most) {
    const char* end[] = {"Fwd", "Bwd", "Wrw"};
    size_t count = 0;
    const char* height = getenv("FAKE_HANG");
    while (height && x->size[2] == atoi(height)) pause();
    height = getenv("FAKE_CRASH");
    if (height && x->size[2] == atoi(height)) abort();
    LOG("Info", "GetSolutions", "%s", "");
    int from_db = getenv("FAKE_FIND_DB") != NULL, old = is("FAKE_FORM", "5.2");
    int model = getenv("FAKE_MODEL") && !is("MIOPEN_DEBUG_ENABLE_AI_IMMED_MODE_FALLBACK", "0");
    if (!from_db && !old)
        LOG("Info2", "GetSolutionsFallback", "Using %s Fallback", model ? "TunaNet" : "WTI");
    solution found[SOLVER_COUNT];
    for (int i = SOLVER_COUNT; i--;) {
        const solver* s = &SOLVERS[i];
        int winograd = s->algorithm == WINOGRAD;
        float wti = s->wti;
        if (switched_off(s->algorithm) || (!winograd && !strstr(s->name, end[direction]))) continue;
        if (winograd && (from_db || w->size[2] != 3 || w->dtype != 1)) continue;
        if (model && s->id != 37) continue;
        if (model) wti = 1;
        else if (!from_db)
            LOG("Info2", "GetSolutionsFallback", "%s Estimated WTI = %g", s->name, wti);
        if (wti < 0 || count >= most) continue;
        float time = from_db ? 0.25f * (count + 1) : 10 / wti;
        found[count++] = (solution){time, memory(s, x, w, y), s->id, s->algorithm};
    }
    if (!from_db)
        LOG("Info2", "GetSolutionsFallback", "maxSolutionCount = %zu, available = %zu", most, count);
    for (size_t i = 0; i < count; ++i) {
        const solver* s = SOLVERS;
        while (s->id != found[i].id) ++s;
        if (old && !from_db)
            LOG("Info2", "GetSolutionsFallback", "id: %lu algo: %d, time: %g ms, ws: %zu, name: %s",
                (unsigned long)s->id, s->algorithm, found[i].time, found[i].workspace, s->name);
        else if (!old)
            LOG("Info2", "GetSolutions", "id: %lu, algo: %d, time: %g, ws: %zu, name: %s",
                (unsigned long)s->id, s->algorithm, found[i].time, found[i].workspace, s->name);
    }
    if (out) memcpy(out, found, count * sizeof *found);
    return count;
}

static int size_for(uint64_t id, tensor* x, tensor* w, tensor* y, size_t* size) {
    for (int i = 0; i < SOLVER_COUNT; ++i)
        if (SOLVERS[i].id == id) {
            LOG("Info", "GetForwardSolutionWorkspaceSize", "solver_id = %s", SOLVERS[i].name);
            *size = memory(&SOLVERS[i], x, w, y);
            return 0;
        }
    return BAD_PARM;
}

#define QUESTIONS(call, direction, first, second, third)                                           \
    int miopenConvolution##call##GetSolutionCount(void* handle, tensor* first, tensor* second,     \
                                                  convolution* c, tensor* third, size_t* count) {  \
        (void)handle, (void)c;                                                                     \
        *count = list(direction, x, w, y, NULL, SOLVER_COUNT);                                     \
        return *count ? 0 : NOT_IMPLEMENTED;                                                       \
    }                                                                                              \
    int miopenConvolution##call##GetSolution(void* handle, tensor* first, tensor* second,          \
                                             convolution* c, tensor* third, size_t most,           \
                                             size_t* count, solution* out) {                       \
        (void)handle, (void)c;                                                                     \
        *count = list(direction, x, w, y, out, most);                                              \
        return 0;                                                                                  \
    }                                                                                              \
    int miopenConvolution##call##GetSolutionWorkspaceSize(                                         \
        void* handle, tensor* first, tensor* second, convolution* c, tensor* third, uint64_t id,   \
        size_t* size) {                                                                            \
        (void)handle, (void)c;                                                                     \
        return size_for(id, x, w, y, size);                                                        \
    }
QUESTIONS(Forward, 0, w, x, y)
QUESTIONS(BackwardData, 1, y, w, x)
QUESTIONS(BackwardWeights, 2, y, x, w)
