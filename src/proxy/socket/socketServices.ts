import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { AdmissionControl } from '../admission/admissionControl.ts';
import type { Callers } from '../admission/callers.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import type { OpenRequests } from '../exchange/openRequests.ts';
import type { Accounts, Provider } from '../exchange/ports.ts';
import type { SocketMetrics } from '../metrics/socketMetrics.ts';
import type { MemoryBudget } from '../requestBody/memoryBudget.ts';
import type { Pins } from '../requests/admitRequest.ts';
import type { RecallItem } from '../responses/recentItems.ts';
import type { BeginTrace } from '../tracing/requestTrace.ts';
import type { UpstreamSocketOpener } from './openUpstreamSocket.ts';

/** What every request passes before it is read, on a socket as over HTTP. */
export interface Gate {
  /** Checks address and key. @throws ProxyError */
  identify(request: ClientRequest): ApiKey | null;
  /** Waits for the sinks, and checks whether a request may begin. @throws ProxyError */
  pass(request: ClientRequest): Promise<ApiKey | null>;
}

/** How long things may take; tests shorten it. */
export interface SocketTimes {
  /** Without a request. The provider's cache is gone by then. */
  readonly idleMs: number;
  /** The provider closes a socket after 60 minutes (docs/provider.md#websockets). */
  readonly maxAgeMs: number;
  /** Between two pings; without an answer to two of them the connection is closed. */
  readonly pingMs: number;
  /** After an upgrade at the provider has worked, others that fail are taken for an outage, which ends. */
  readonly workedLatelyMs: number;
}

export const SOCKET_TIMES: SocketTimes = {
  idleMs: 30 * 60_000,
  maxAgeMs: 55 * 60_000,
  pingMs: 30_000,
  workedLatelyMs: 60_000,
};

/** What client sockets need. */
export interface SocketServices {
  readonly hot: HotState;
  readonly gate: Gate;
  readonly accounts: Accounts;
  readonly provider: Provider;
  readonly upstreamSockets: UpstreamSocketOpener;
  readonly admissionControl: AdmissionControl;
  readonly callers: Callers;
  readonly pins: Pins;
  readonly recall: (client: string) => RecallItem;
  readonly memoryBudget: MemoryBudget;
  readonly openRequests: OpenRequests;
  /** Undefined while traces are off. */
  readonly beginTrace?: BeginTrace | undefined;
  /** Called with every request that ends before it is admitted. */
  readonly onRefused: (refused: RefusedOnSocket) => void;
  readonly socketMetrics: Pick<SocketMetrics, 'onUpgrade' | 'onClosed'>;
  readonly times: SocketTimes;
  readonly now: () => Instant;
  /** Called with unexpected exceptions: bugs in svc. */
  readonly report: (error: Error, about?: { readonly request: string }) => void;
}

export interface RefusedOnSocket {
  readonly request: ClientRequest;
  readonly route: string;
  readonly model: string | undefined;
  readonly isIdentified: boolean;
  readonly error: ProxyError | undefined;
}
