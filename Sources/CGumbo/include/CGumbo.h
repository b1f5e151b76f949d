#pragma once
#include <gumbo.h>
#include <stddef.h>

// A page's tree, with all its memory in blocks of its own: freed at once, however deep the tree is.
typedef struct MirrorPageTree MirrorPageTree;

// Parses a page; NULL where that would need more than `limit` bytes. The page's bytes must outlive the tree.
MirrorPageTree *mirror_page_parse(const char *html, size_t length, size_t limit);

// The root of the tree, a document.
const GumboNode *mirror_page_document(const MirrorPageTree *tree);

void mirror_page_free(MirrorPageTree *tree);
