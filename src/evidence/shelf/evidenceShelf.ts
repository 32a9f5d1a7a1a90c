import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobControl } from '../../lib/jobs/jobRunner.ts';
import { startThread } from '../../lib/threads/startThread.ts';
import { CannotMakeEvidence, type MadeBundle } from '../make/makeBundle.ts';
import type { EventSelection } from '../make/selection.ts';
import type { EvidenceThread } from './evidenceThread.ts';

/** A bundle that can be downloaded. */
export interface KeptBundle extends MadeBundle {
  readonly id: string;
  /** For who saves the file. */
  readonly name: string;
}

export interface EvidenceShelfOptions {
  /** The data folder. */
  readonly folder: string;
  readonly logName: string;
  readonly newId: () => string;
  readonly now: () => number;
  /** Where the temporary folder is made; default: that of the system. */
  readonly parent?: string;
  readonly limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  bundles: 5,
  /** Of one bundle; also at most half of what is free on the disk. */
  bytes: 2 * 1_024 ** 3,
  ageMs: 3_600_000,
};
const CHECK_INTERVAL_MS = 60_000;

/**
 * Makes bundles for a running service in a thread of low priority, and keeps the last ones in a temporary folder, for an hour at
 * most and until the service stops.
 */
export class EvidenceShelf {
  readonly #options: EvidenceShelfOptions;
  readonly #limits: typeof LIMITS;
  readonly #kept = new Map<string, { readonly bundle: KeptBundle; readonly madeAt: number }>();
  #folder: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: EvidenceShelfOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /**
   * Makes a bundle. One at a time: the caller is a job.
   * @param statedSelection what the manifest says of the selection
   * @throws with a sentence for the operator; the reason of the signal when it was aborted
   */
  async make(selection: EventSelection, statedSelection: EventSelection, control: JobControl): Promise<KeptBundle> {
    const { newId, now } = this.#options;
    this.#expire(this.#limits.bundles - 1);
    const id = newId();
    const made = now();
    const name = `evidence-${new Date(made).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.zip`;
    const path = join(this.#open(), `${id}.zip`);
    const running = this.#makeFile(path, selection, statedSelection, control);
    this.#running = running.catch(() => undefined);
    const bundle: KeptBundle = { ...(await running), id, name };
    this.#kept.set(id, { bundle, madeAt: made });
    this.#timer ??= setInterval(() => this.#expire(this.#limits.bundles), CHECK_INTERVAL_MS).unref();
    return bundle;
  }

  /** @returns undefined for a bundle that is not kept, or no longer */
  find(id: string): KeptBundle | undefined {
    this.#expire(this.#limits.bundles);
    return this.#kept.get(id)?.bundle;
  }

  /** Removes all bundles. Jobs have been cancelled before. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    this.#kept.clear();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  async #makeFile(
    path: string,
    selection: EventSelection,
    statedSelection: EventSelection,
    { signal, onProgress }: JobControl,
  ): Promise<MadeBundle> {
    signal.throwIfAborted();
    const { folder, logName, now } = this.#options;
    let step = 'looking for the events';
    const thread = startThread<EvidenceThread>(new URL('./evidenceWorker.ts', import.meta.url), {
      name: 'evidence',
      reports: {
        step(text) {
          step = text;
          onProgress(0, undefined, step);
        },
        progress: ({ position, of }) => onProgress(position, of, step),
      },
    });
    const onAbort = () => void thread.terminate();
    signal.addEventListener('abort', onAbort, { once: true });
    const maxBytes = Math.min(this.#limits.bytes, Math.floor(freeBytes(this.#open()) / 2));
    try {
      await thread.ready;
      const madeAt = new Date(now()).toISOString();
      return await thread.request('make', { folder, logName, selection, statedSelection, path, madeAt, maxBytes });
    } catch (error) {
      signal.throwIfAborted();
      throw (error as Error).name === 'BundleTooLarge' ? tooLarge(maxBytes) : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      await thread.terminate();
      // What a thread leaves that was terminated.
      rmSync(`${path}.part`, { force: true });
    }
  }

  #open(): string {
    const { parent = tmpdir() } = this.#options;
    this.#folder ??= mkdtempSync(join(parent, 'svc-evidence-'));
    // Whatever cleans temporary folders may have removed it.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    return this.#folder;
  }

  /** Removes what is too old, and the oldest ones beyond the number. */
  #expire(bundles: number): void {
    const { ageMs } = this.#limits;
    for (const [id, { bundle, madeAt }] of this.#kept) {
      if (this.#kept.size <= bundles && this.#options.now() - madeAt < ageMs) continue;
      this.#kept.delete(id);
      rmSync(bundle.path, { force: true });
    }
  }
}

const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

const tooLarge = (maxBytes: number) =>
  new CannotMakeEvidence(
    `The bundle would be larger than the ${Math.floor(maxBytes / 1_048_576)} MB that a service keeps. Choose a shorter period, or make it with "svc evidence".`,
  );
