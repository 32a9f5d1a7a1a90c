// A disk whose syncs fail or never end, for LD_PRELOAD (see brokenDisk.ts). It concerns files whose path contains
// $BROKEN_DISK_FILES. While the file $BROKEN_DISK_CONTROL begins with "fail", syncing one of them fails with EIO; while it
// begins with "hang", it does not return; while it begins with "room", no file can grow (ENOSPC), and with "write" writes to
// one of them fail with EIO.
//
// With $BROKEN_DISK_IMAGES, a folder, it keeps there for each file what a power cut would leave: what was written, up to the
// last sync that succeeded. Like Linux it forgets after a failed sync what was not written: a later sync that succeeds says
// nothing about it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_RANGES 65536

struct range {
  char path[256];
  off_t offset;
  size_t length;
};

static struct range ranges[MAX_RANGES];
static int range_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/** The path of an open file that is concerned. */
static int concerns(int fd, char *path) {
  const char *name = getenv("BROKEN_DISK_FILES");
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, 255);
  if (!name || length <= 0) return 0;
  path[length] = 0;
  return strstr(path, name) != NULL;
}

static int image_of(const char *path, char *image) {
  const char *folder = getenv("BROKEN_DISK_IMAGES");
  if (!folder) return 0;
  const char *base = strrchr(path, '/');
  snprintf(image, PATH_MAX, "%s%s", folder, base ? base : path);
  return 1;
}

static int mode(void) {
  const char *control = getenv("BROKEN_DISK_CONTROL");
  char text[8] = {0};
  if (!control) return 0;
  int fd = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  ssize_t length = syscall(SYS_read, fd, text, 4);
  syscall(SYS_close, fd);
  return length > 0 ? text[0] : 0;
}

static void written(int fd, off_t offset, ssize_t length) {
  char path[256], image[PATH_MAX];
  if (length <= 0 || !concerns(fd, path) || !image_of(path, image)) return;
  pthread_mutex_lock(&mutex);
  if (range_count == MAX_RANGES) abort();
  struct range *range = &ranges[range_count++];
  strcpy(range->path, path);
  range->offset = offset;
  range->length = length;
  pthread_mutex_unlock(&mutex);
}

/** Ends what waits for a sync of the file: written to the image, or forgotten. */
static void settle(const char *path, int is_synced) {
  char image[PATH_MAX], buffer[65536];
  if (!image_of(path, image)) return;
  pthread_mutex_lock(&mutex);
  int from = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  int to = syscall(SYS_openat, AT_FDCWD, image, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  int kept = 0;
  for (int index = 0; index < range_count; index++) {
    struct range range = ranges[index];
    if (strcmp(range.path, path) != 0) {
      ranges[kept++] = range;
      continue;
    }
    while (is_synced && range.length > 0) {
      size_t part = range.length < sizeof buffer ? range.length : sizeof buffer;
      ssize_t got = syscall(SYS_pread64, from, buffer, part, range.offset);
      if (got <= 0) break;
      if (syscall(SYS_pwrite64, to, buffer, got, range.offset) != got) abort();
      range.offset += got;
      range.length -= got;
    }
  }
  range_count = kept;
  if (from >= 0) syscall(SYS_close, from);
  if (to >= 0) syscall(SYS_close, to);
  pthread_mutex_unlock(&mutex);
}

static int synced(int fd, int (*sync)(int)) {
  char path[256];
  if (!concerns(fd, path)) return sync(fd);
  while (mode() == 'h') usleep(5000);
  if (mode() == 'f') {
    settle(path, 0);
    errno = EIO;
    return -1;
  }
  int result = sync(fd);
  settle(path, result == 0);
  return result;
}

int fsync(int fd) { return synced(fd, real("fsync")); }

int fdatasync(int fd) { return synced(fd, real("fdatasync")); }

/** Whether a write needs room that a full disk does not have. */
static int grows(int fd, off_t end) {
  char path[256];
  struct stat status;
  return concerns(fd, path) && mode() == 'r' && fstat(fd, &status) == 0 && end > status.st_size;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset) {
  char path[256];
  if (grows(fd, offset + length)) {
    errno = ENOSPC;
    return -1;
  }
  if (mode() == 'w' && concerns(fd, path)) {
    errno = EIO;
    return -1;
  }
  ssize_t result = ((ssize_t(*)(int, const void *, size_t, off_t))real("pwrite64"))(fd, data, length, offset);
  written(fd, offset, result);
  return result;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

/** File systems journal lengths and names: both are durable at once. */
static int truncated(int fd, off_t length, int result) {
  char path[256], image[PATH_MAX];
  if (result != 0 || !concerns(fd, path) || !image_of(path, image)) return result;
  if (truncate(image, length) != 0 && errno != ENOENT) abort();
  return 0;
}

int ftruncate64(int fd, off_t length) {
  return truncated(fd, length, ((int (*)(int, off_t))real("ftruncate64"))(fd, length));
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int unlink(const char *path) {
  const char *name = getenv("BROKEN_DISK_FILES");
  char image[PATH_MAX];
  int result = ((int (*)(const char *))real("unlink"))(path);
  if (result == 0 && name && strstr(path, name) && image_of(path, image)) ((int (*)(const char *))real("unlink"))(image);
  return result;
}
