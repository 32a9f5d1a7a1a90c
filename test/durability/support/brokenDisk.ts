import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { tempDir } from '../../e2e/support/tempDir.ts';

const SOURCE = fileURLToPath(new URL('./brokenDisk.c', import.meta.url));

/** Why no library can be preloaded; undefined where one can. */
export const whyNoBrokenDisk = (): string | undefined => {
  if (process.platform !== 'linux') return 'LD_PRELOAD and /proc need Linux';
  const { status, error } = spawnSync('cc', ['--version']);
  return error || status !== 0 ? 'there is no C compiler (cc)' : undefined;
};

export interface BrokenDisk {
  /** For the process whose syncs are to fail. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * From now on syncs fail with EIO or do not return, files do not grow (ENOSPC), or writes fail with EIO; without an argument all is
   * well again.
   */
  breaks(how?: 'fail' | 'hang' | 'room' | 'write'): void;
  /** Leaves in the folder what a power cut would leave of the files. The process must have ended. */
  cutPower(folder: string): void;
}

/**
 * Compiles brokenDisk.c. All writes to the files must be made under it, from the first one on.
 * @param files part of the paths of the files that it concerns, for example `log.sqlite`
 */
export async function brokenDisk(files: string): Promise<BrokenDisk> {
  const temp = await tempDir('broken-disk');
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const [library, control, images] = ['brokenDisk.so', 'control', 'images'].map((name) => join(temp.path, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(images);
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-lpthread']);
  if (status !== 0) throw new Error(`cc cannot compile ${SOURCE}: ${stderr}`);
  return {
    env: {
      LD_PRELOAD: library,
      BROKEN_DISK_FILES: files,
      BROKEN_DISK_CONTROL: control,
      BROKEN_DISK_IMAGES: images,
    },
    breaks(how) {
      if (how) writeFileSync(control, how);
      else rmSync(control, { force: true });
    },
    cutPower(folder) {
      for (const name of readdirSync(folder).filter((file) => file.includes(files))) {
        rmSync(join(folder, name));
        if (existsSync(join(images, name))) copyFileSync(join(images, name), join(folder, name));
      }
    },
  };
}
