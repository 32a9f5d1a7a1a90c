import { availableParallelism } from 'node:os';
import { startThread } from '../../lib/threads/startThread.ts';
import type { BundleVerification } from '../check/bundleVerification.ts';
import { type CheckOptions, checkBundle, type PartTask, type Platform, type ReadPart } from '../check/checkBundle.ts';
import { type CheckedPart, checkPart } from '../check/checkPart.ts';
import { NotABundle } from '../format/bundleFile.ts';
import { ownReadme, ownVerifierDigest } from '../page/ownPages.ts';
import { digestOfSource, inflate, openFileSource, sha256Of } from './fileSource.ts';
import type { PartThread } from './partThread.ts';

export interface VerifyBundleOptions extends Omit<CheckOptions, 'ownVerifier' | 'ownReadme'> {
  /** Number of threads that check events; default: one for each core. */
  readonly threads?: number | undefined;
}

/** With fewer parts, starting threads takes longer than the work. */
const PARTS_FOR_THREADS = 4;
/** Parts that each thread is asked for ahead. */
const AHEAD = 2;

/**
 * Verifies an evidence bundle (docs/integrity.md#evidence-bundles). Needs no data folder and no key, and writes nothing.
 * @throws the error of the file system
 */
export async function verifyBundleFile(path: string, options: VerifyBundleOptions = {}): Promise<BundleVerification> {
  const { threads = availableParallelism(), ...rest } = options;
  const source = await openFileSource(path);
  try {
    const platform: Platform = {
      digestOf: digestOfSource,
      sha256: sha256Of,
      inflate,
      checkParts: (tasks, read) =>
        threads > 1 && tasks.length >= PARTS_FOR_THREADS ? inThreads(path, tasks, threads) : inTurn(tasks, read),
    };
    return await checkBundle(source, platform, { ...rest, ownReadme, ownVerifier: ownVerifierDigest() });
  } finally {
    await source.close();
  }
}

async function* inTurn(tasks: readonly PartTask[], read: ReadPart): AsyncGenerator<CheckedPart> {
  for (const task of tasks) yield checkPart(await read(task));
}

async function* inThreads(path: string, tasks: readonly PartTask[], threads: number): AsyncGenerator<CheckedPart> {
  const pool = Array.from({ length: threads }, (_, index) =>
    startThread<PartThread>(new URL('./partWorker.ts', import.meta.url), {
      name: `bundle verifier ${index + 1}`,
      options: () => ({ path }),
    }),
  );
  try {
    await Promise.all(pool.map(({ ready }) => ready));
    const running: Promise<CheckedPart>[] = [];
    for (const [index, task] of tasks.entries()) {
      const checked = (pool[index % threads] as (typeof pool)[0]).request('check', task);
      // It is awaited in its turn; until then a failure is not unhandled.
      checked.catch(() => undefined);
      running.push(checked);
      if (running.length >= threads * AHEAD) yield await received(running.shift() as Promise<CheckedPart>);
    }
    for (const checked of running) yield await received(checked);
  } finally {
    await Promise.all(pool.map((thread) => thread.terminate()));
  }
}

/** What crosses between threads has lost its classes. */
async function received(checked: Promise<CheckedPart>): Promise<CheckedPart> {
  try {
    const part = await checked;
    return { ...part, subtrees: part.subtrees.map((subtree) => ({ ...subtree, hash: Buffer.from(subtree.hash) })) };
  } catch (error) {
    throw (error as Error).name === 'NotABundle' ? new NotABundle((error as Error).message) : error;
  }
}
