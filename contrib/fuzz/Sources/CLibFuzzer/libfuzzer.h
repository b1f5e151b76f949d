#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library (https://llvm.org/docs/LibFuzzer.html): SwiftPM names an executable's main function
// itself, so libFuzzer's own can't be used.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
