/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Feeds every file of a corpus to a fuzz entry, as it is and damaged in a fixed
 * number of reproducible ways. A parser passes by returning. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUTANTS_PER_FILE = 300, PATH_SIZE = 4096 };

/* The parser gets a block of exactly the size, so that a sanitizer sees every
 * read past its end. */
static void feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        perror("replay");
        exit(EXIT_FAILURE);
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* xorshift64*: the same numbers on every machine. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static void damage(uint8_t *data, size_t size, uint64_t *state)
{
    static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff,
                                     '"',  '{',  '[',  '\n'};
    uint64_t count = 1 + next_random(state) % 4;
    for (uint64_t idx = 0; idx < count; ++idx) {
        size_t place = (size_t)(next_random(state) % size);
        uint64_t choice = next_random(state);
        if (choice % 2 == 0) {
            data[place] ^= (uint8_t)(1u << (choice / 2 % 8));
        } else {
            data[place] = values[choice / 2 % sizeof(values)];
        }
    }
}

static void feed_mutants(uint8_t *data, size_t size)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    uint8_t *mutant = malloc(size > 0 ? size : 1);
    for (int idx = 0; size > 0 && mutant != NULL && idx < MUTANTS_PER_FILE;
         ++idx) {
        memcpy(mutant, data, size);
        damage(mutant, size, &state);
        size_t kept =
            idx % 3 == 0 ? (size_t)(next_random(&state) % size) : size;
        feed(mutant, kept);
    }
    free(mutant);
}

/* Returns the bytes of a file, or NULL; the caller frees them. */
static uint8_t *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    uint8_t *data = NULL;
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        data = malloc((size_t)end + 1);
        if (data != NULL && fread(data, 1, (size_t)end, file) != (size_t)end) {
            free(data);
            data = NULL;
        }
        *out_size = (size_t)end;
    }
    fclose(file);
    return data;
}

static void replay_file(const char *folder, const char *name, int number)
{
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
    size_t size = 0;
    uint8_t *data = NULL;
    if (length > 0 && (size_t)length < sizeof(path)) {
        data = read_file(path, &size);
    }
    if (data == NULL) {
        printf("not ok %d - cannot read %s\n", number, name);
        return;
    }
    feed(data, size);
    feed_mutants(data, size);
    free(data);
    printf("ok %d - %s %s\n", number, kc_fuzz_name, name);
    fflush(stdout);
}

static int is_file_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_folder(const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_file_name, alphasort);
    if (count <= 0) {
        printf("not ok 1 - no corpus in %s\n1..1\n", folder);
        free(entries);
        return EXIT_SUCCESS;
    }
    for (int idx = 0; idx < count; ++idx) {
        replay_file(folder, entries[idx]->d_name, idx + 1);
        free(entries[idx]);
    }
    free(entries);
    printf("1..%d\n", count);
    return EXIT_SUCCESS;
}

/* Usage: replay_<parser> [FOLDER] */
int main(int argc, char **argv)
{
    if (argc > 1) {
        return replay_folder(argv[1]);
    }
    const char *source_dir = getenv("KC_SRCDIR");
    char folder[PATH_SIZE];
    int length = snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s",
                          source_dir != NULL ? source_dir : ".", kc_fuzz_name);
    if (length < 0 || (size_t)length >= sizeof(folder)) {
        return EXIT_FAILURE;
    }
    return replay_folder(folder);
}
