import type { ClientAddress } from '../../http/client/clientAddress.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import type { Faults } from '../../lib/faults.ts';
import type { HttpResponses } from '../../lib/metrics/httpResponses.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import { outboundHeaders } from '../../provider/client/outboundHeaders.ts';
import { deactivationReason } from '../../provider/client/permanentFailures.ts';
import { createAdmissionControl } from '../../proxy/admission/admissionControl.ts';
import { createCallers } from '../../proxy/admission/callers.ts';
import { createConversationNames, PIN_CHARACTERS, uuidOf } from '../../proxy/admission/conversationNames.ts';
import { createPriceLookup } from '../../proxy/admission/estimate.ts';
import { Refusals } from '../../proxy/admission/refusals.ts';
import { createProxy, type ProxyEntrances, type SocketOptions } from '../../proxy/app.ts';
import { ProxyError } from '../../proxy/errors/proxyError.ts';
import { OpenRequests } from '../../proxy/exchange/openRequests.ts';
import type { Accounts, Provider } from '../../proxy/exchange/ports.ts';
import { openRequestMetrics } from '../../proxy/metrics/openRequestMetrics.ts';
import { RequestMetrics } from '../../proxy/metrics/requestMetrics.ts';
import { SocketMetrics, type SocketsStatus } from '../../proxy/metrics/socketMetrics.ts';
import { ModelList } from '../../proxy/models/modelList.ts';
import { LimitHeaders } from '../../proxy/poolUsage/limitHeaders.ts';
import { MemoryBudget } from '../../proxy/requestBody/memoryBudget.ts';
import { RecentItems } from '../../proxy/responses/recentItems.ts';
import { settleAbandoned } from '../../proxy/settlement/settleAbandoned.ts';
import { createSettlement, type SettlementOptions } from '../../proxy/settlement/settlement.ts';
import { OpenSockets } from '../../proxy/socket/openSockets.ts';
import { createUpstreamSocketOpener } from '../../proxy/socket/openUpstreamSocket.ts';
import { SOCKET_TIMES, type SocketTimes } from '../../proxy/socket/socketServices.ts';
import { TRANSCRIPTION_MODEL } from '../../proxy/transcribe/transcriptionForm.ts';
import type { Sinks } from '../../sinks/keepSinks.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Config } from '../config/config.ts';
import type { Foundation } from './foundation.ts';
import type { PendingState } from './pendingState.ts';
import { createPoolHealth } from './poolHealth.ts';
import type { ProviderServices } from './provider.ts';
import { memoryForRequests, memoryLimits } from './requestMemoryBudget.ts';
import { whenSinksTake } from './sinks.ts';
import type { Traces } from './traces.ts';

export interface ProxySurfaceOptions {
  readonly traces: Traces | undefined;
  readonly pendingState: PendingState;
  readonly provider: ProviderServices;
  readonly sinks: Sinks;
  readonly clientAddress: ClientAddress;
  /** Whether a client is known to run on this machine. */
  readonly isThisMachine: (request: ClientRequest) => boolean;
  readonly responses: Pick<HttpResponses, 'count'>;
  readonly socketTimes?: Partial<SocketTimes> | undefined;
}

/** The running proxy. */
export interface ProxySurface {
  readonly serve: ProxyEntrances['serve'];
  readonly upgrade: ProxyEntrances['upgrade'];
  /** Whether new requests are rejected with `shutting_down`. */
  readonly isClosed: boolean;
  /** Undefined until a client has asked for a websocket. */
  readonly websockets: SocketsStatus | undefined;
  /** Rejects new requests with `shutting_down`. */
  close(): void;
  /** Resolves when no request is open. @param timeoutMs after which open requests are aborted */
  drained(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

type Pricing = Pick<SettlementOptions, 'priceOf' | 'priceVersion'>;

const KEEP_ALIVE_MS = 10_000;
const CHECK_POOL_MS = 10_000;

/** Settles the requests that an earlier process of this node left open, then creates the proxy. */
export async function createProxySurface(
  foundation: Foundation,
  { pendingState, provider, sinks, traces, clientAddress, isThisMachine, responses, socketTimes }: ProxySurfaceOptions,
): Promise<ProxySurface> {
  const { config, store, hot, now, clock, report, faults, descriptors } = foundation;
  const { ledger, records, sharedLimits, usedElsewhere } = pendingState;
  const { recordRequest: record } = records;
  const pricing = await publishPrices(foundation);
  await settleAbandonedRequests(foundation, pendingState, pricing);

  const models = new ModelList(hot.state);
  const hasAliases = config.SVC_CODEX_ALIASES;
  const limits = new LimitHeaders({ hot: hot.state, hasAliases });
  hot.onFolded((event) => {
    models.onFolded(event);
    limits.onFolded(event);
  });
  const recentItems = new RecentItems();
  const refusals = new Refusals({ record, hot: hot.state, now });
  const { priceOf } = pricing;
  const health = createPoolHealth({ hot: hot.state, coolDowns: pendingState.cooldowns, faults, now });
  const settle = createSettlement({ record, ledger, now, ...pricing });
  const isKnownModel = createIsKnownModel(foundation);
  const requestMetrics = new RequestMetrics({ isKnownModel, now });
  const accounts = accountsFor(foundation, pendingState);
  const calls: Provider = {
    routeOf: provider.routeOf,
    descriptors,
    basePath: provider.basePath,
    accessTokens: provider.tokens,
    outboundHeaders: outboundHeaders,
    learnUsage: provider.learnedUsage.learn,
  };
  const openRequests = new OpenRequests({
    accounts,
    provider: calls,
    settle(settlement) {
      health.onSettled(settlement);
      return settle(settlement);
    },
    onCompleted: (settlement, status) => requestMetrics.onEnded(settlement, status),
    rememberOutput: ({ key }, output) => recentItems.remember(key?.id ?? 'anonymous', output),
    record,
    nearShare: ({ key, model, admission }) =>
      key === null || admission === undefined
        ? []
        : sharedLimits.holdersNearShare({ keyId: key.id, owner: key.owner, team: key.team }, model, admission.asOf),
    isShared: () => sharedLimits.nodes > 1,
    idleLimits: { idleMs: config.SVC_STREAM_IDLE_TIMEOUT_SECONDS * 1_000, keepAliveMs: KEEP_ALIVE_MS },
    report,
    now,
  });
  foundation.metrics.add(...requestMetrics.metrics, ...openRequestMetrics(openRequests));
  health.check();
  const healthTimer = setInterval(health.check, CHECK_POOL_MS).unref();
  let isClosed = false;

  const sockets = new OpenSockets();
  const socketMetrics = new SocketMetrics(() => sockets.all);
  foundation.metrics.add(...socketMetrics.metrics);
  descriptors.count({ open: () => sockets.upstreamConnections });
  const { serve, upgrade } = createProxy({
    hot: hot.state,
    admissionControl: createAdmissionControl({
      hot: hot.state,
      ledger,
      sharedLimits,
      usedElsewhere,
      priceOf,
      refusals,
      now,
      windowsNow: () => clock.limitClock.now(),
    }),
    callers: createCallers({ vault: store.vault, clientAddress, now, report }),
    conversations: {
      recentItems,
      pinDigest: createConversationNames((value) => store.vault.digest('pin', value).slice(0, PIN_CHARACTERS)),
      sessionId: createConversationNames((value) => uuidOf(store.vault.digest('session', value))),
      pinnedTo: (digest) => records.pending?.pinOf(digest) ?? hot.state.pins.get(digest, hot.state.position),
    },
    memoryBudget: createMemoryBudget(faults),
    openRequests,
    models: { models, waitForModels: provider.waitForModels },
    limits,
    refusals,
    clientAddress,
    isThisMachine,
    allowsOpen: config.SVC_ALLOW_OPEN,
    hasAliases,
    metrics: { requests: requestMetrics, responses },
    beginTrace: traces?.beginTraces({ isKnownModel, now }),
    unavailableReason() {
      if (isClosed) return 'shutting_down';
      if (store.outbox?.isFull) return 'outbox_full';
      // svc sends no response that it cannot record, so calling the provider would only use up limits of the accounts.
      if (!records.mayBegin()) return 'log_unavailable';
      return provider.hasIdleConnection() || descriptors.mayConnect() ? undefined : 'out_of_file_descriptors';
    },
    whenSinksTake: whenSinksTake(sinks),
    sockets:
      config.SVC_WEBSOCKET === 'on'
        ? socketOptions(config, {
            sockets,
            socketMetrics,
            accounts,
            provider: calls,
            times: { ...SOCKET_TIMES, ...socketTimes },
          })
        : undefined,
    now,
    report,
  });

  return {
    serve,
    upgrade,
    get isClosed() {
      return isClosed;
    },
    get websockets() {
      return socketMetrics.status;
    },
    close() {
      isClosed = true;
      sockets.drain();
    },
    async drained(timeoutMs) {
      await withTimeout(timeoutMs, openRequests.drained());
      openRequests.abortAll(new ProxyError('shutting_down'));
      await openRequests.drained();
    },
    async stop() {
      clearInterval(healthTimer);
      sockets.stop();
      openRequests.stop();
      await refusals.stop();
    },
  };
}

function socketOptions(
  { SVC_UPSTREAM_BASE_URL: base, SVC_WEBSOCKET_DEFLATE: deflate }: Config,
  parts: Pick<SocketOptions, 'sockets' | 'socketMetrics' | 'accounts' | 'provider' | 'times'>,
): SocketOptions {
  let workedAt = Number.NEGATIVE_INFINITY;
  return {
    ...parts,
    deflate,
    upstreamSockets: createUpstreamSocketOpener({
      provider: parts.provider,
      origin: new URL(base),
      deflate,
      onOpened() {
        workedAt = performance.now();
      },
    }),
    hasWorkedLately: () => performance.now() - workedAt < parts.times.workedLatelyMs,
  };
}

const OVERLOADED_FOR_MS = 60_000;

function createMemoryBudget(faults: Faults): MemoryBudget {
  const bytes = memoryForRequests(memoryLimits());
  const fault = {
    code: 'memory_limit_reached',
    cause: `The open requests use all memory that they may (${Math.round(bytes / MIB)} MiB): further ones get 503 overloaded.`,
    remedy: 'It ends by itself. If it happens often, give the process more memory or send smaller requests.',
  };
  return new MemoryBudget(bytes, () => faults.raise(fault, { overAfterMs: OVERLOADED_FOR_MS }));
}

const MIB = 1_048_576;

/** @returns whether a model has ever been listed by the provider, or is named in the price table */
function createIsKnownModel({ hot, prices }: Foundation): (model: string) => boolean {
  const priced = new Set(prices.models.map(({ model }) => model.replace(/\*$/, '')));
  return (model) => hot.state.models.firstSeen.has(model) || priced.has(model) || model === TRANSCRIPTION_MODEL;
}

/** Request events record only the version of the price table, so the table itself is in the log too. */
async function publishPrices({ handle, prices, report, systemCause }: Foundation): Promise<Pricing> {
  const publish = { type: 'PublishPrices', table: prices } as const;
  await handle(subjects.pricing, 'main', publish, systemCause('prices of this start')).catch(report);
  return { priceOf: createPriceLookup(prices), priceVersion: prices.version };
}

async function settleAbandonedRequests(
  { hot, now, print }: Foundation,
  { records, isOfThisNode, isOfThisStart }: PendingState,
  pricing: Pricing,
): Promise<void> {
  const count = await settleAbandoned({
    open: records.pending?.openRequests() ?? hot.state.openRequests.values(),
    isAbandoned: (stream) => isOfThisNode(stream) && !isOfThisStart(stream),
    record: records.recordRequest,
    now,
    ...pricing,
  });
  if (count > 0) print(`settled as abandoned after an unclean stop: ${count} ${count === 1 ? 'request' : 'requests'}`);
}

function accountsFor({ hot, handle, systemCause, report }: Foundation, { cooldowns }: PendingState): Accounts {
  let turn = 0;
  return {
    hot: hot.state,
    cooldowns,
    nextTurn: () => turn++,
    deactivate(accountId, code) {
      const reason = deactivationReason(code);
      const command = { type: 'DeactivateAccount', accountId, reason, code } as const;
      handle(subjects.account, accountId, command, systemCause(reason)).catch(report);
    },
  };
}
