import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from '../../e2e/support/tempDir.ts';

const [LIBRARY] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

/** Why the clock of a process cannot be faked; undefined where it can. */
export const whyNoFakeClock = (): string | undefined =>
  LIBRARY === undefined ? 'libfaketime is not installed (apt-get install libfaketime)' : undefined;

export interface FakeClock {
  /** For the processes whose wall clock is faked; their monotonic clock is not. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets their clock ahead, or back, also while they run. @param offset such as `+2d`, `-2h` or `+0` */
  set(offset: string): void;
}

/** A clock that shows the right time until it is set. */
export async function fakeClock(): Promise<FakeClock> {
  const temp = await tempDir('fake-clock');
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const file = join(temp.path, 'offset');
  const set = (offset: string) => writeFileSync(file, `${offset}\n`);
  set('+0');
  return {
    env: {
      LD_PRELOAD: LIBRARY as string,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_CACHE_DURATION: '1',
    },
    set,
  };
}
