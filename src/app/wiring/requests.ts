import type { AccountId } from '../../domain/core/brands.ts';
import type { ClientRequest, ClientResponse } from '../../http/client/client.ts';
import type { ClientAddress } from '../../http/client/clientAddress.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import { upstreamHeaders } from '../../provider/client/outboundHeaders.ts';
import { deactivationReason } from '../../provider/client/permanentFailures.ts';
import { createPriceLookup } from '../../proxy/admission/estimate.ts';
import { Refusals } from '../../proxy/admission/refusals.ts';
import { createProxy } from '../../proxy/app.ts';
import { ProxyError } from '../../proxy/errors/proxyError.ts';
import { OpenRequests } from '../../proxy/exchange/openRequests.ts';
import { ModelList } from '../../proxy/models/modelList.ts';
import { LimitHeaders } from '../../proxy/poolUsage/limitHeaders.ts';
import { MemoryBudget } from '../../proxy/requestBody/memoryBudget.ts';
import { RecentItems } from '../../proxy/responses/recentItems.ts';
import { settleAbandoned } from '../../proxy/settlement/settleAbandoned.ts';
import { createSettlement } from '../../proxy/settlement/settlement.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Foundation } from './foundation.ts';
import type { PendingState } from './pendingState.ts';
import type { ProviderSide } from './provider.ts';
import { memoryForRequests, memoryLimits } from './requestMemoryBudget.ts';

export interface RequestsOptions {
  readonly overlay: PendingState;
  readonly provider: ProviderSide;
  readonly clientAddress: ClientAddress;
}

/** Requests for models: how they are served, and how they end. */
export interface Requests {
  readonly serve: (request: ClientRequest, response: ClientResponse) => void;
  /** New requests are turned away from now on. */
  close(): void;
  /** Resolves when no request is open any more: those that are may go on for so long, then they are ended. */
  drained(withinMs: number): Promise<void>;
  stop(): Promise<void>;
}

const KEEP_ALIVE_MS = 10_000;

/** Settles what an earlier start of this node left open. */
export async function createRequests(
  { config, store, hot, handle, prices, now, say, report, because }: Foundation,
  { overlay, provider, clientAddress }: RequestsOptions,
): Promise<Requests> {
  const { ledger, cooldowns, records, reservedElsewhere, isOfThisNode, isOfThisStart } = overlay;
  const { recordRequest: record, pending } = records;
  // Requests name only the version: what it says is in the log as well.
  const publish = { type: 'PublishPrices', table: prices } as const;
  await handle(subjects.pricing, 'main', publish, because('prices of this start')).catch(report);
  const priceOf = createPriceLookup(prices);
  const pricing = { priceOf, priceVersion: prices.version };
  const left = await settleAbandoned({
    open: pending?.openRequests() ?? hot.state.openRequests.values(),
    isAbandoned: (stream) => isOfThisNode(stream) && !isOfThisStart(stream),
    record,
    now,
    ...pricing,
  });
  if (left > 0) say(`settled as abandoned what the last run left open: ${left} ${left === 1 ? 'request' : 'requests'}`);

  const models = new ModelList(hot.state);
  const hasAliases = config.SVC_CODEX_ALIASES;
  const limits = new LimitHeaders({ hot: hot.state, hasAliases });
  hot.onFolded((event) => {
    models.onFolded(event);
    limits.onEvent(event);
  });
  const idleMs = config.SVC_STREAM_IDLE_TIMEOUT_SECONDS * 1_000;
  const openRequests = new OpenRequests({ record, now, idleMs, keepAliveMs: KEEP_ALIVE_MS });
  const refusals = new Refusals({ record, now });
  const recentItems = new RecentItems();
  let turn = 0;
  let isClosed = false;

  const serve = createProxy({
    hot: hot.state,
    now,
    report,
    clientAddress,
    hasAliases,
    unavailableReason() {
      if (isClosed) return 'shutting_down';
      if (store.outbox?.isFull) return 'outbox_full';
      // An answer that cannot be written down is not given, so no account should be spent on it.
      return records.isBlocked() ? 'log_unavailable' : undefined;
    },
    openRequests,
    refusals,
    recentItems,
    memoryBudget: new MemoryBudget(memoryForRequests(memoryLimits())),
    models,
    limits,
    waitForModels: provider.whenModelsKnown,
    pinDigest: (value) => store.vault.digest('pin', value),
    upstreamBasePath: provider.basePath,
    ledger,
    reservedElsewhere,
    priceOf,
    cooldowns,
    tokens: provider.tokens,
    upstream: provider.upstream,
    upstreamHeaders,
    learnUsage: provider.learnedUsage.learn,
    settle: createSettlement({ record, ledger, now, ...pricing }),
    deactivate(accountId: AccountId, code: string) {
      const reason = deactivationReason(code);
      const command = { type: 'DeactivateAccount', accountId, reason, code } as const;
      handle(subjects.account, accountId, command, because(reason)).catch(report);
    },
    ...(pending && { pendingPin: (digest: string) => pending.pinOf(digest) }),
    remember: ({ key }, output) => recentItems.remember(key?.id ?? 'anonymous', output),
    nextTurn: () => turn++,
    onDone: (exchange) => openRequests.remove(exchange),
  });

  return {
    serve,
    close() {
      isClosed = true;
    },
    async drained(withinMs) {
      await withTimeout(withinMs, openRequests.drained());
      openRequests.abortAll(new ProxyError('shutting_down'));
      await openRequests.drained();
    },
    async stop() {
      openRequests.stop();
      await refusals.stop();
    },
  };
}
