import type { ApiError } from '#lib/api/apiError.ts';
import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { counted } from '#lib/format/numbers.ts';
import { resource } from '#lib/live/resource.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';

export type Job = Schemas['Job'];

const POLL_MS = 1_000;

const LABELS: Readonly<Record<string, string>> = {
  verify: 'Verification',
  evidence: 'Evidence bundle',
  archive: 'Archive run',
  restore: 'Restore of an archive',
  replay: 'Replay',
};
export const jobLabel = (kind: string): string => LABELS[kind] ?? kind;

export const STATES: Readonly<Record<Job['state'], string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** What came of a job, for display. */
export interface JobResult {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
  /** Path of the file that it made. */
  readonly download?: string | undefined;
  readonly details: readonly string[];
}

const MAX_DETAILS = 20;

export function jobResult({ kind, state, result, error }: Job): JobResult {
  if (state === 'failed') return { tone: 'bad', text: error ?? '', details: [] };
  if (state === 'cancelled') return { tone: 'warn', text: '', details: [] };
  const { ok, events, path, uncovered, findings } = (result ?? {}) as Record<string, unknown>;
  const count = typeof events === 'number' ? counted(events, 'event') : '';
  if (kind === 'verify') {
    const found = Array.isArray(findings) ? findings.map(findingText) : [];
    const text = ok === true ? `${count}: intact` : `${count}: ${counted(found.length, 'finding')}`;
    return { tone: ok === true ? 'good' : 'bad', text, details: found.slice(0, MAX_DETAILS) };
  }
  const rest =
    typeof uncovered === 'number' && uncovered > 0
      ? [`${counted(uncovered, 'event')} not covered by a checkpoint yet`]
      : [];
  return { tone: 'good', text: count, download: typeof path === 'string' ? path : undefined, details: rest };
}

function findingText(finding: unknown): string {
  const { kind, position, stream, expected, found } = finding as Record<string, unknown>;
  const at = position === null ? '' : ` at position ${position}`;
  const where = stream === null ? '' : ` in ${stream}`;
  return `${kind}${at}${where}: expected ${expected}; found ${found}`;
}

/** The jobs of this node, reloaded every second. Call it while a component initialises. */
export function createJobs() {
  const jobs = resource('jobs', async () => (await unwrap(api.GET('/api/jobs'))).jobs, { everyMs: POLL_MS });
  const running = $derived(jobs.data?.find(({ state }) => state === 'running'));
  return {
    get running(): Job | undefined {
      return running;
    },
    get all(): readonly Job[] {
      return jobs.data ?? [];
    },
    get error(): ApiError | undefined {
      return jobs.error;
    },
    /** Starts a job with a call of the API, and says why if that fails. @returns whether it was started */
    async start(call: () => Promise<unknown>, failure: string): Promise<boolean> {
      try {
        await call();
        await jobs.reloadNow();
        return true;
      } catch (error) {
        toasts.bad(failure, error);
        return false;
      }
    },
    async cancel({ id, kind }: Job): Promise<void> {
      try {
        await unwrap(api.DELETE('/api/jobs/{id}', { params: { path: { id } } }));
        await jobs.reloadNow();
        toasts.good(`${jobLabel(kind)} cancelled`);
      } catch (error) {
        toasts.bad('Couldn’t cancel the job', error);
      }
    },
  };
}

export type Jobs = ReturnType<typeof createJobs>;
