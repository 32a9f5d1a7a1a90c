import type { AccountId } from '../../domain/core/brands.ts';
import type { ClientRequest, ClientResponse } from '../../http/client/client.ts';
import type { ClientAddress } from '../../http/client/clientAddress.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import { upstreamHeaders } from '../../provider/client/outboundHeaders.ts';
import { deactivationReason } from '../../provider/client/permanentFailures.ts';
import { createAdmissionControl } from '../../proxy/admission/admissionControl.ts';
import { createPriceLookup } from '../../proxy/admission/estimate.ts';
import { createPinDigest } from '../../proxy/admission/pinDigest.ts';
import { Refusals } from '../../proxy/admission/refusals.ts';
import { createProxy } from '../../proxy/app.ts';
import { ProxyError } from '../../proxy/errors/proxyError.ts';
import type { Accounts, Provider } from '../../proxy/exchange/capabilities.ts';
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

/** The proxy with everything that it works with. */
export interface Requests {
  readonly serve: (request: ClientRequest, response: ClientResponse) => void;
  /** From now on new requests are refused. */
  close(): void;
  /** Resolves when no request is open. @param timeoutMs after which the open ones are aborted */
  drained(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

const KEEP_ALIVE_MS = 10_000;

/** Settles the requests that an earlier start of this node left open, then creates the proxy. */
export async function createRequests(
  { config, store, hot, handle, prices, now, say, report, because }: Foundation,
  { overlay, provider, clientAddress }: RequestsOptions,
): Promise<Requests> {
  const { ledger, cooldowns, records, reservedElsewhere, isOfThisNode, isOfThisStart } = overlay;
  const { recordRequest: record, pending } = records;
  // Requests record only the version of the prices, so the prices themselves are in the log too.
  const publish = { type: 'PublishPrices', table: prices } as const;
  await handle(subjects.pricing, 'main', publish, because('prices of this start')).catch(report);
  const priceOf = createPriceLookup(prices);
  const pricing = { priceOf, priceVersion: prices.version };
  const abandoned = await settleAbandoned({
    open: pending?.openRequests() ?? hot.state.openRequests.values(),
    isAbandoned: (stream) => isOfThisNode(stream) && !isOfThisStart(stream),
    record,
    now,
    ...pricing,
  });
  if (abandoned > 0) {
    say(`settled as abandoned after an unclean stop: ${abandoned} ${abandoned === 1 ? 'request' : 'requests'}`);
  }

  const models = new ModelList(hot.state);
  const hasAliases = config.SVC_CODEX_ALIASES;
  const limits = new LimitHeaders({ hot: hot.state, hasAliases });
  hot.onFolded((event) => {
    models.onFolded(event);
    limits.onFolded(event);
  });
  const recentItems = new RecentItems();
  const refusals = new Refusals({ record, now });
  let turn = 0;
  let isClosed = false;

  const accounts: Accounts = {
    hot: hot.state,
    cooldowns,
    ...(pending && { pendingPin: (digest: string) => pending.pinOf(digest) }),
    nextTurn: () => turn++,
    deactivate(accountId: AccountId, code: string) {
      const reason = deactivationReason(code);
      const command = { type: 'DeactivateAccount', accountId, reason, code } as const;
      handle(subjects.account, accountId, command, because(reason)).catch(report);
    },
  };
  const upstream: Provider = {
    pool: provider.upstream,
    basePath: provider.basePath,
    tokens: provider.tokens,
    outboundHeaders: upstreamHeaders,
    learnUsage: provider.learnedUsage.learn,
  };
  const openRequests = new OpenRequests({
    accounts,
    provider: upstream,
    settle: createSettlement({ record, ledger, now, ...pricing }),
    rememberOutput: ({ key }, output) => recentItems.remember(key?.id ?? 'anonymous', output),
    record,
    idleLimits: { idleMs: config.SVC_STREAM_IDLE_TIMEOUT_SECONDS * 1_000, keepAliveMs: KEEP_ALIVE_MS },
    report,
    now,
  });
  const serve = createProxy({
    hot: hot.state,
    admissionControl: createAdmissionControl({ hot: hot.state, ledger, reservedElsewhere, priceOf, refusals, now }),
    conversations: { recentItems, pinDigest: createPinDigest((value) => store.vault.digest('pin', value)) },
    memoryBudget: new MemoryBudget(memoryForRequests(memoryLimits())),
    openRequests,
    models: { models, waitForModels: provider.whenModelsKnown },
    limits,
    refusals,
    clientAddress,
    hasAliases,
    unavailableReason() {
      if (isClosed) return 'shutting_down';
      if (store.outbox?.isFull) return 'outbox_full';
      // A response that cannot be recorded is not given, so no account's limit should be spent on it.
      return records.isBlocked() ? 'log_unavailable' : undefined;
    },
    now,
    report,
  });

  return {
    serve,
    close() {
      isClosed = true;
    },
    async drained(timeoutMs) {
      await withTimeout(timeoutMs, openRequests.drained());
      openRequests.abortAll(new ProxyError('shutting_down'));
      await openRequests.drained();
    },
    async stop() {
      openRequests.stop();
      await refusals.stop();
    },
  };
}
