/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * make_bad_files GOOD.so FOLDER: writes into FOLDER what no compiler makes from
 * a mock: a text, a cut module, one for another machine, an unreadable file, a
 * dangling link, a folder and a FIFO, all of them named *.so. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, FILE_SIZE_MAX = 1 << 22 };

static char path[PATH_SIZE];

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* The path of a name in the folder; valid until the next call. */
static const char *in_folder(const char *folder, const char *name)
{
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        fail(folder);
    }
    unlink(path);
    return path;
}

static void write_file(const char *file, const void *data, size_t size,
                       mode_t mode)
{
    int descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size ||
        fchmod(descriptor, mode) != 0 || close(descriptor) != 0) {
        fail(file);
    }
}

static unsigned char *read_good(const char *file, size_t *out_size)
{
    unsigned char *data = malloc(FILE_SIZE_MAX);
    FILE *stream = fopen(file, "rb");
    if (data == NULL || stream == NULL) {
        fail(file);
    }
    *out_size = fread(data, 1, FILE_SIZE_MAX, stream);
    if (ferror(stream) || *out_size < sizeof(Elf64_Ehdr) ||
        fclose(stream) != 0) {
        fail(file);
    }
    return data;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: make_bad_files GOOD.so FOLDER\n", stderr);
        return EXIT_FAILURE;
    }
    const char *folder = argv[2];
    static const char text[] = "this is no shared object\n";
    size_t size = 0;
    unsigned char *good = read_good(argv[1], &size);
    write_file(in_folder(folder, "text.so"), text, sizeof text - 1, 0644);
    write_file(in_folder(folder, "empty.so"), text, 0, 0644);
    write_file(in_folder(folder, "truncated.so"), good, size / 2, 0644);
    write_file(in_folder(folder, "unreadable.so"), good, size, 0);
    write_file(in_folder(folder, "world_writable.so"), good, size, 0666);
    Elf64_Ehdr *header = (Elf64_Ehdr *)good;
    header->e_machine = header->e_machine == EM_S390 ? EM_X86_64 : EM_S390;
    write_file(in_folder(folder, "other_machine.so"), good, size, 0644);
    if (symlink("nowhere.so", in_folder(folder, "dangling.so")) != 0 ||
        (rmdir(in_folder(folder, "folder.so")), mkdir(path, 0755)) != 0 ||
        mkfifo(in_folder(folder, "fifo.so"), 0644) != 0) {
        fail(path);
    }
    free(good);
    return EXIT_SUCCESS;
}
