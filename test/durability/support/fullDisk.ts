import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { brokenDisk, whyNoBrokenDisk } from './brokenDisk.ts';

/** A disk for a data folder that can be filled. */
export interface FullDisk {
  /** Puts an empty data folder on the disk. Call it before the folder is used. */
  readonly prepare: (folder: string) => void;
  /** For the processes that use the folder. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes all of its free space. */
  fill(): void;
  makeRoom(): void;
}

export interface FullDiskKind {
  readonly kind: string;
  /** Why there is none; undefined where it can be opened. */
  readonly reason: string | undefined;
  open(): Promise<FullDisk>;
}

/** 3 MB are used by a new installation. */
const MOUNT = ['-t', 'tmpfs', '-o', 'size=24m', 'none'];

/**
 * Two disks: a file system of its own, which holds for every file of the folder, and a library that refuses the SQLite files
 * whose name contains `files` more space, for users and containers that may not mount.
 * @param files for example `log.sqlite`
 */
export const fullDisks = (files: string): readonly FullDiskKind[] => [
  { kind: 'file system', reason: whyNoMount(), open: async () => mountedDisk() },
  { kind: 'preloaded library', reason: whyNoBrokenDisk(), open: () => preloadedDisk(files) },
];

/** A file system of its own, of 24 MB. */
export function mountedDisk(): FullDisk {
  let ballast = '';
  return {
    prepare(folder) {
      if (!mount(folder)) throw new Error(`${folder} cannot be mounted`);
      onTestFinished(() => unmount(folder));
      ballast = join(folder, 'ballast');
    },
    env: {},
    fill() {
      // The process that uses the disk writes meanwhile.
      for (let bytes = freeBytes(ballast); bytes > 0; bytes = freeBytes(ballast)) {
        try {
          appendFileSync(ballast, Buffer.alloc(bytes));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    },
    makeRoom: () => rmSync(ballast),
  };
}

async function preloadedDisk(files: string): Promise<FullDisk> {
  const disk = await brokenDisk(files);
  return {
    prepare: () => undefined,
    env: disk.env,
    fill: () => disk.breaks('room'),
    makeRoom: () => disk.breaks(),
  };
}

function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}

const mount = (folder: string): boolean =>
  spawnSync('mount', [...MOUNT, folder]).status === 0 && statfsSync(folder).blocks > 0;

function unmount(folder: string): void {
  // Lazily, because a killed process may still close files.
  spawnSync('umount', ['-l', folder]);
}

/** Mounts a folder read-only until the test ends. It needs the right to mount, as `mountedDisk` does. */
export function mountReadOnly(folder: string): void {
  spawnSync('mount', ['--bind', folder, folder]);
  onTestFinished(() => unmount(folder));
  const { status } = spawnSync('mount', ['-o', 'remount,ro,bind', folder]);
  if (status !== 0) throw new Error(`${folder} cannot be mounted read-only`);
}

/** Why `mountedDisk` has none; undefined where it can mount one. */
export function whyNoMount(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root of a Linux can mount a tmpfs';
  const folder = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  const isMounted = mount(folder);
  if (isMounted) unmount(folder);
  rmdirSync(folder);
  return isMounted ? undefined : 'this container may not mount a tmpfs';
}
