import { api, type Schemas, unwrap } from '#lib/api/client.ts';
import { resource } from '#lib/live/resource.svelte.ts';
import { toasts } from '#lib/ui/toasts.svelte.ts';
import type { ReplayBody } from './replayDraft.ts';

export type Job = Schemas['Job'];
export type Report = Schemas['ReplayReport'];
export type WhatIf = Schemas['WhatIfReport'];

const POLL_MS = 1_000;

/** The replays of this node, reloaded every second, and the report of the chosen or latest one. Call it while a component initialises. */
export function createReplays() {
  const list = resource('replays', async () => (await unwrap(api.GET('/api/replays'))).replays, { everyMs: POLL_MS });
  let chosen = $state<string | undefined>();
  let report = $state.raw<Report | undefined>();
  let reportOf = $state<string | undefined>();
  const running = $derived(list.data?.find(({ state }) => state === 'running'));
  const shown = $derived(chosen ?? list.data?.find(({ state }) => state === 'done')?.id);

  $effect(() => {
    const id = shown;
    if (id === undefined || id === reportOf) return;
    unwrap(api.GET('/api/replays/{id}', { params: { path: { id } } })).then(
      (replay) => {
        if (replay.report === null) return;
        reportOf = id;
        report = replay.report;
      },
      (error) => toasts.bad('Couldn’t load the report', error),
    );
  });

  return {
    get running(): Job | undefined {
      return running;
    },
    get all(): readonly Job[] {
      return list.data ?? [];
    },
    get isLoaded(): boolean {
      return list.data !== undefined;
    },
    get error() {
      return list.error;
    },
    retry: () => list.reloadNow(),
    get report(): Report | undefined {
      return report;
    },
    /** The id of the replay whose report is shown. */
    get reportOf(): string | undefined {
      return reportOf;
    },
    show(id: string): void {
      chosen = id;
    },
    async start(body: ReplayBody): Promise<void> {
      try {
        await unwrap(api.POST('/api/replays', { body }));
        chosen = undefined;
        await list.reloadNow();
      } catch (error) {
        toasts.bad('Couldn’t start the replay', error);
      }
    },
    async cancel({ id }: Job): Promise<void> {
      try {
        await unwrap(api.DELETE('/api/replays/{id}', { params: { path: { id } } }));
        await list.reloadNow();
        toasts.good('Replay cancelled');
      } catch (error) {
        toasts.bad('Couldn’t cancel the replay', error);
      }
    },
  };
}

export type Replays = ReturnType<typeof createReplays>;
