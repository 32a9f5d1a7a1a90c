import type { AccountId } from '../../domain/core/brands.ts';
import type { Faults } from '../../lib/faults.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import type { HandleCommand } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { codeOf, providerClient } from '../client/providerClient.ts';
import type { AgentFor } from '../outgoingProxy/outgoingProxies.ts';
import { isProxyFailureCode } from '../outgoingProxy/proxyFailure.ts';
import type { AccessTokens } from '../tokens/accessTokens.ts';
import { createAuthenticatedGet } from '../tokens/authenticatedGet.ts';
import { type ReportedModels, readModels } from './modelsPayload.ts';

/** Records the models of all plans at an interval. */
export interface ModelPoller {
  /** Polls the models of every plan in the pool, now and at each interval. */
  start(): void;
  /** Polls the models of an account's plan immediately, e.g. after its import. */
  pollNow(accountId: AccountId): void;
  /** Resolves when no poll is in flight, or after the timeout. */
  whenIdle(timeoutMs: number): Promise<void>;
  /** Aborts the polls in flight and waits for them. */
  stop(): Promise<void>;
}

export interface ModelPollerOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly tokens: Pick<AccessTokens, 'headersFor' | 'refresh' | 'isUsable'>;
  /** A new UUID. */
  readonly newId: () => string;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  readonly agentFor: AgentFor;
  /** `SVC_UPSTREAM_BASE_URL` */
  readonly upstreamBaseUrl: string;
  /** `SVC_CLIENT_VERSION`: the provider omits models that are too new for this version. */
  readonly clientVersion: string;
  readonly everyMs?: number;
  /** Pause before a plan is polled again whose models the log did not take. */
  readonly retryMs?: number;
  readonly timeoutMs?: number;
}

/** Ends with a poll that succeeds. */
const MODELS_UNAVAILABLE = 'models_unavailable';

const INTERVAL_MS = 300_000;
const RETRY_MS = 10_000;
/** Accounts tried for a plan in a poll. All accounts of a plan have the same models. */
const MAX_ACCOUNTS = 3;

/** Creates the poller that records which models each plan has. One account of a plan is enough. */
export function createModelPoller({
  hot,
  handle,
  tokens,
  newId,
  faults,
  agentFor,
  upstreamBaseUrl,
  clientVersion,
  everyMs = INTERVAL_MS,
  retryMs = RETRY_MS,
  timeoutMs = 15_000,
}: ModelPollerOptions): ModelPoller {
  const client = providerClient({ timeout: { request: timeoutMs } });
  const authenticatedGet = createAuthenticatedGet({ hot, tokens, client, agentFor, newId });
  // All plans share a stream: writing one after the other avoids conflicts.
  const serialize = createSemaphore(1);
  const inFlight = new Map<string, Promise<void>>();
  const retries = new Map<string, NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let stopping = new AbortController();

  function round(): void {
    for (const planType of new Set([...hot.state.accounts.values()].map((account) => account.planType))) poll(planType);
  }

  function poll(planType: string): void {
    if (inFlight.has(planType)) return;
    clearTimeout(retries.get(planType));
    const { signal } = stopping;
    const polled = observe(planType, signal)
      .catch(({ message }: Error) => {
        if (signal.aborted) return;
        reportProblem(planType, `could not be recorded: ${message}`);
        retries.set(planType, setTimeout(poll, retryMs, planType).unref());
      })
      .finally(() => inFlight.delete(planType));
    inFlight.set(planType, polled);
  }

  async function observe(planType: string, signal: AbortSignal): Promise<void> {
    const accounts = [...hot.state.accounts.values()].filter(
      (account) => account.planType === planType && tokens.isUsable(account.id),
    );
    for (const { id } of accounts.slice(0, MAX_ACCOUNTS)) {
      const models = await requestModels(id, planType, signal);
      if (signal.aborted) return;
      if (!models) continue;
      const cause = { actor: { kind: 'system', reason: 'models poll' }, correlationId: newId() } as const;
      const command = { type: 'ObserveModels', planType, models } as const;
      await serialize(async () => {
        const record = async () => (await handle(subjects.modelCatalogue, 'main', command, cause)).events;
        // Long descriptions take several commands, of which the last one lists the models.
        let events = await record();
        while (events.length > 0 && !events.some(({ type }) => type === 'ModelsListed')) events = await record();
      });
      faults.clear(MODELS_UNAVAILABLE, planType);
      return;
    }
  }

  async function requestModels(
    id: AccountId,
    planType: string,
    signal: AbortSignal,
  ): Promise<ReportedModels | undefined> {
    try {
      const url = `${upstreamBaseUrl}/codex/models?client_version=${clientVersion}`;
      const response = await authenticatedGet(id, url, signal);
      if (!response) return undefined;
      const { status, body } = response;
      const models = status === 200 ? readModels(body) : undefined;
      if (!models)
        reportProblem(planType, status === 200 ? 'are in an unknown format' : `could not be read: HTTP ${status}`);
      return models;
    } catch (error) {
      const code = codeOf(error);
      if (!signal.aborted && !isProxyFailureCode(code)) reportProblem(planType, `could not be read: ${code}`);
      return undefined;
    }
  }

  function reportProblem(planType: string, problem: string): void {
    faults.raise({
      code: MODELS_UNAVAILABLE,
      subject: planType,
      cause: `The models of plan ${planType} ${problem}. Clients see those that were known before.`,
      remedy:
        'svc asks again by itself, at the latest after five minutes; if it lasts, check the accounts of this plan and the network.',
    });
  }

  return {
    start() {
      if (timer) return;
      timer = setInterval(round, everyMs).unref();
      round();
    },
    pollNow(accountId) {
      const account = hot.state.accounts.get(accountId);
      if (account) poll(account.planType);
    },
    async whenIdle(waitMs) {
      if (inFlight.size > 0) await withTimeout(waitMs, Promise.all(inFlight.values()));
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      for (const retry of retries.values()) clearTimeout(retry);
      retries.clear();
      stopping.abort();
      await Promise.all(inFlight.values());
      stopping = new AbortController();
    },
  };
}
