import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobControl } from '../lib/jobs/jobRunner.ts';
import { startThread } from '../lib/threads/startThread.ts';
import type { Verification } from './finding.ts';
import type { OwnLog, PartToVerify, VerifyServiceThread } from './verifyThread.ts';

/** Verifies the log of a running service, or a part of it. Rejects when it is cancelled. */
export type VerifyOwnLog = (part: PartToVerify, control: JobControl) => Promise<Verification>;

/**
 * Verifies as `svc verify` does, beside the service: in threads of the lowest priority, on half of the cores.
 * Over EventStoreDB it verifies the mirror of this node.
 */
export const createVerifyOwnLog =
  (log: OwnLog): VerifyOwnLog =>
  async (part, { signal, onProgress }) => {
    signal.throwIfAborted();
    const temporary = mkdtempSync(join(tmpdir(), 'svc-verify-'));
    let step = 'reading events';
    let [done, total] = [0, undefined as number | undefined];
    const thread = startThread<VerifyServiceThread>(new URL('./verifyServiceWorker.ts', import.meta.url), {
      name: 'log verification',
      reports: {
        progress({ events, of }) {
          [done, total] = [events, of];
          onProgress(done, total, step);
        },
        step(next) {
          step = next;
          onProgress(done, total, step);
        },
      },
    });
    const cancelled = Promise.withResolvers<never>();
    const cancel = () => cancelled.reject(signal.reason);
    signal.addEventListener('abort', cancel);
    try {
      const threads = Math.max(1, Math.floor(availableParallelism() / 2));
      const verified = thread.request('verify', { ...log, ...part, temporary, threads });
      // The thread is terminated, which rejects it, too.
      verified.catch(() => undefined);
      return await Promise.race([verified, cancelled.promise]);
    } finally {
      signal.removeEventListener('abort', cancel);
      await thread.terminate();
      rmSync(temporary, { recursive: true, force: true });
    }
  };
