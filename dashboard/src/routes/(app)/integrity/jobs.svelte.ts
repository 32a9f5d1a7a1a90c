import type { ApiError } from '#lib/api/apiError.ts';
import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { resource } from '#lib/live/resource.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';

export type Job = Schemas['Job'];

const POLL_MS = 1_000;

const LABELS: Readonly<Record<string, string>> = {
  verify: 'Verification',
  evidence: 'Evidence bundle',
  archive: 'Archive run',
  restore: 'Restore of an archive',
};
export const jobLabel = (kind: string): string => LABELS[kind] ?? kind;

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
