#include "CGumbo.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

// Gumbo knows no limits: a hostile page of a few kilobytes makes a tree of gigabytes, and freeing a deep tree recurses until
// the stack is used up. So its memory is handed out here, and the parse is left at once where it wants too much.

enum { block_size = 256 << 10, alignment = 16 };

typedef struct Block {
  struct Block *next;
  size_t size;
} Block;

struct MirrorPageTree {
  Block *blocks;
  char *next;
  size_t left;
  size_t unused;  // how much may still be asked for
  char *last;     // what was handed out last, so that giving it back costs nothing
  GumboOutput *output;
  jmp_buf out_of_memory;
};

static void *hand_out(void *userdata, size_t size) {
  MirrorPageTree *tree = userdata;
  size = (size + alignment - 1) & ~(size_t)(alignment - 1);
  if (size > tree->unused) longjmp(tree->out_of_memory, 1);
  if (size > tree->left) {
    size_t wanted = size > block_size / 4 ? size : block_size;
    Block *block = malloc(sizeof(Block) + alignment + wanted);
    if (!block) longjmp(tree->out_of_memory, 1);
    block->next = tree->blocks;
    block->size = wanted;
    tree->blocks = block;
    char *start = (char *)(((uintptr_t)(block + 1) + alignment - 1) & ~(uintptr_t)(alignment - 1));
    if (wanted == size) {  // a large one has a block alone
      tree->unused -= size;
      return start;
    }
    tree->next = start;
    tree->left = wanted;
  }
  char *given = tree->next;
  tree->next += size;
  tree->left -= size;
  tree->unused -= size;
  tree->last = given;
  return given;
}

static void take_back(void *userdata, void *memory) {
  MirrorPageTree *tree = userdata;
  if (!memory || memory != tree->last) return;
  size_t size = (size_t)(tree->next - tree->last);
  tree->next = tree->last;
  tree->left += size;
  tree->unused += size;
  tree->last = NULL;
}

MirrorPageTree *mirror_page_parse(const char *html, size_t length, size_t limit) {
  MirrorPageTree *tree = calloc(1, sizeof(MirrorPageTree));
  if (!tree) return NULL;
  tree->unused = limit;
  if (setjmp(tree->out_of_memory)) {
    mirror_page_free(tree);
    return NULL;
  }
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = hand_out;
  options.deallocator = take_back;
  options.userdata = tree;
  options.max_errors = 0;
  tree->output = gumbo_parse_with_options(&options, html, length);
  return tree;
}

const GumboNode *mirror_page_document(const MirrorPageTree *tree) { return tree->output->document; }

void mirror_page_free(MirrorPageTree *tree) {
  for (Block *block = tree->blocks; block;) {
    Block *next = block->next;
    free(block);
    block = next;
  }
  free(tree);
}
