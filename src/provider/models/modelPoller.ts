import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import type { HandleCommand } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { createAccountGet } from '../client/accountGet.ts';
import { codeOf, providerClient } from '../client/providerClient.ts';
import { createThrottledReports, ProviderTrouble } from '../client/throttledReports.ts';
import type { AccessTokens } from '../tokens/accessTokens.ts';
import { type ReportedModels, readModels } from './modelsPayload.ts';

export interface ModelPoller {
  /** Asks for the models of every plan in the pool, now and once in each interval. */
  start(): void;
  /** Asks for the models of an account's plan at once, e.g. after its import. */
  pollNow(accountId: AccountId): void;
  /** Resolves when no call is under way, or after so many milliseconds. */
  whenIdle(withinMs: number): Promise<void>;
  /** Aborts the calls under way and waits until nothing of them is left. */
  stop(): Promise<void>;
}

export interface ModelPollerOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly tokens: Pick<AccessTokens, 'headersFor' | 'refresh' | 'isUsable'>;
  readonly now: () => Instant;
  /** A new UUID. */
  readonly newId: () => string;
  /** Told at most once an hour of each plan. */
  readonly report: (error: Error) => void;
  /** `SVC_UPSTREAM_BASE_URL` */
  readonly upstreamBaseUrl: string;
  /** `SVC_CLIENT_VERSION`: the provider leaves out models that are too new for the client that asks. */
  readonly clientVersion: string;
  readonly everyMs?: number;
  readonly timeoutMs?: number;
}

const EVERY_MS = 300_000;
/** Accounts of one plan are alike: when so many of them cannot say, the plan keeps what is known. */
const MAX_ACCOUNTS = 3;

export function createModelPoller({
  hot,
  handle,
  tokens,
  now,
  newId,
  report,
  upstreamBaseUrl,
  clientVersion,
  everyMs = EVERY_MS,
  timeoutMs = 15_000,
}: ModelPollerOptions): ModelPoller {
  const client = providerClient.extend({ timeout: { request: timeoutMs } });
  const get = createAccountGet({ hot, tokens, client, newId });
  const reportRarely = createThrottledReports({ report, now });
  // All plans stand in one stream: they wait for each other here rather than there.
  const inTurn = createSemaphore(1);
  const underWay = new Map<string, Promise<void>>();
  let rounds: NodeJS.Timeout | undefined;
  let stopping = new AbortController();

  function round(): void {
    for (const planType of new Set([...hot.state.accounts.values()].map((account) => account.planType))) poll(planType);
  }

  function poll(planType: string): void {
    if (underWay.has(planType)) return;
    const { signal } = stopping;
    const polled = observe(planType, signal)
      .catch((error) => {
        if (!signal.aborted) trouble(planType, 'could not be recorded', error);
      })
      .finally(() => underWay.delete(planType));
    underWay.set(planType, polled);
  }

  async function observe(planType: string, signal: AbortSignal): Promise<void> {
    const accounts = [...hot.state.accounts.values()].filter(
      (account) => account.planType === planType && tokens.isUsable(account.id),
    );
    for (const { id } of accounts.slice(0, MAX_ACCOUNTS)) {
      const models = await ask(id, planType, signal);
      if (signal.aborted) return;
      if (!models) continue;
      const cause = { actor: { kind: 'system', reason: 'models poll' }, correlationId: newId() } as const;
      const command = { type: 'ObserveModels', planType, models } as const;
      await inTurn(() => handle(subjects.modelCatalogue, 'main', command, cause));
      return;
    }
  }

  async function ask(id: AccountId, planType: string, signal: AbortSignal): Promise<ReportedModels | undefined> {
    try {
      const answer = await get(id, `${upstreamBaseUrl}/codex/models?client_version=${clientVersion}`, signal);
      if (!answer) return undefined;
      const models = answer.status === 200 ? readModels(answer.body) : undefined;
      if (!models)
        trouble(planType, answer.status === 200 ? 'are not in a form that we know' : `HTTP ${answer.status}`);
      return models;
    } catch (error) {
      if (!signal.aborted) trouble(planType, `could not be read: ${codeOf(error)}`, error);
      return undefined;
    }
  }

  function trouble(planType: string, what: string, cause?: unknown): void {
    reportRarely(planType, new ProviderTrouble(`the models of the plan ${planType}: ${what}`, { cause }));
  }

  return {
    start() {
      if (rounds) return;
      rounds = setInterval(round, everyMs).unref();
      round();
    },
    pollNow(accountId) {
      const account = hot.state.accounts.get(accountId);
      if (account) poll(account.planType);
    },
    async whenIdle(withinMs) {
      if (underWay.size > 0) await withTimeout(withinMs, Promise.all(underWay.values()));
    },
    async stop() {
      clearInterval(rounds);
      rounds = undefined;
      stopping.abort();
      await Promise.all(underWay.values());
      stopping = new AbortController();
    },
  };
}
