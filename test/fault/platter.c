/*
 * A disk with a power switch, to be loaded before libc (LD_PRELOAD). What is written to a file of a database or a log counts as on the disk
 * only once it was synced: then it is copied to the platter, a folder of copies. To cut the power is to kill the process
 * and put the copies in the place of the files.
 *
 * A sync can be made to fail as on Linux: it says EIO, what was written before it never gets to the disk, and the next sync
 * succeeds, because the kernel has marked those pages clean.
 *
 * PLATTER: the folder of the copies. PLATTER_SWITCH: a file of four bytes, so many of the next syncs fail.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_FDS = 4096, MOST_FILES = 4096 };
/* A page that was written and not synced since; `from` is its first byte. */
struct file { char path[512]; off_t *dirty; size_t count, room; };

static struct file files[MOST_FILES];
static int file_of[MOST_FDS]; /* 1 + the place in `files`, 0 for no database */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static atomic_int *to_fail;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("PLATTER_SWITCH");
  int fd = path ? REAL(open)(path, O_RDWR) : -1;
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *to_fail, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) to_fail = mapped;
  close(fd);
}

static int is_database(const char *path) {
  size_t length = strlen(path);
  return (length > 3 && !strcmp(path + length - 3, ".db")) || (length > 7 && !strcmp(path + length - 7, ".db-wal")) ||
         (length > 4 && !strcmp(path + length - 4, ".seg"));
}

/* The copy of a file: its path with % for each slash, in the platter. */
static void copy_path(const char *path, char *copy, size_t size) {
  int length = snprintf(copy, size, "%s/", getenv("PLATTER"));
  for (; *path && (size_t)length + 1 < size; path++) copy[length++] = *path == '/' ? '%' : *path;
  copy[length] = 0;
}

static struct file *known(int fd) {
  return fd >= 0 && fd < MOST_FDS && file_of[fd] ? &files[file_of[fd] - 1] : NULL;
}

static int opened(int fd, const char *path) {
  if (fd < 0 || fd >= MOST_FDS || !getenv("PLATTER")) return fd;
  /* libuv closes by a system call that nobody sees here: the number may still be that of an earlier file. The sync of a
     folder would cut the copy of that file. */
  file_of[fd] = 0;
  if (!is_database(path)) return fd;
  pthread_mutex_lock(&turn);
  int at = 0;
  while (at < MOST_FILES && files[at].path[0] && strcmp(files[at].path, path)) at++;
  if (at == MOST_FILES) abort();
  snprintf(files[at].path, sizeof files[at].path, "%s", path);
  file_of[fd] = at + 1;
  pthread_mutex_unlock(&turn);
  return fd;
}

static void wrote(int fd, off_t from, ssize_t length) {
  struct file *file = known(fd);
  if (!file || length <= 0) return;
  pthread_mutex_lock(&turn);
  for (off_t page = from / PAGE * PAGE; page < from + length; page += PAGE) {
    size_t at = 0;
    while (at < file->count && file->dirty[at] != page) at++;
    if (at < file->count) continue;
    if (file->count == file->room) file->dirty = realloc(file->dirty, (file->room = 2 * file->room + 64) * sizeof(off_t));
    file->dirty[file->count++] = page;
  }
  pthread_mutex_unlock(&turn);
}

/* Copies what was written since the last sync, as much as the file is long now. */
static void settle(int fd, struct file *file) {
  char path[1024], page[PAGE];
  struct stat now;
  copy_path(file->path, path, sizeof path);
  int copy = REAL(open)(path, O_RDWR | O_CREAT, 0600);
  if (copy < 0 || fstat(fd, &now)) abort();
  for (size_t at = 0; at < file->count; at++) {
    ssize_t length = pread(fd, page, PAGE, file->dirty[at]);
    if (length > 0 && REAL(pwrite)(copy, page, length, file->dirty[at]) != length) abort();
  }
  if (REAL(ftruncate)(copy, now.st_size)) abort();
  REAL(close)(copy);
  file->count = 0;
}

static int sync_of(int fd, int (*real)(int)) {
  struct file *file = known(fd);
  if (!file) return real(fd);
  pthread_mutex_lock(&turn);
  int fails = to_fail && atomic_load(to_fail) > 0;
  if (fails) {
    atomic_fetch_sub(to_fail, 1);
    file->count = 0;
  } else settle(fd, file);
  pthread_mutex_unlock(&turn);
  if (fails) errno = EIO;
  return fails ? -1 : 0;
}

int fsync(int fd) { return sync_of(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_of(fd, REAL(fdatasync)); }

#define OPENS(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return opened(REAL(name)(path, flags, mode), path); \
  }
OPENS(open)
OPENS(open64)

#define WRITES(name, offset) \
  ssize_t name(int fd, const void *bytes, size_t length, offset from) { \
    ssize_t written = REAL(name)(fd, bytes, length, from); \
    wrote(fd, from, written); \
    return written; \
  }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

int close(int fd) {
  if (fd >= 0 && fd < MOST_FDS) file_of[fd] = 0;
  return REAL(close)(fd);
}

int unlink(const char *path) {
  if (getenv("PLATTER") && is_database(path)) {
    char copy[1024];
    copy_path(path, copy, sizeof copy);
    REAL(unlink)(copy);
  }
  return REAL(unlink)(path);
}
