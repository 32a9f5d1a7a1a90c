import type { IncomingMessage } from 'node:http';
import { availabilityOf } from '../../domain/routing/availability.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { CloseReason } from '../metrics/socketMetrics.ts';
import type { SocketServices } from './socketServices.ts';
import type { UpstreamSocket } from './upstreamSocket.ts';

/** A client's socket without a request, and the provider's socket behind it. Times are of `performance.now()`. */
export interface IdlePair {
  readonly request: IncomingMessage;
  readonly upstream: UpstreamSocket | undefined;
  /** When the client last sent anything. */
  readonly lastHeardAt: number;
  /** When the last response ended. */
  readonly idleSince: number;
}

const MISSED_PINGS = 2;

/**
 * Closing a pair while it is idle costs Codex nothing, so what its next request would fail of is found before it comes
 * (docs/clients.md#codex-on-a-websocket).
 * @param now by `performance.now()`
 * @returns why the pair must be closed; undefined while it may stay
 */
export function reasonToClose(services: SocketServices, pair: IdlePair, now: number): CloseReason | undefined {
  const { idleMs, pingMs } = services.times;
  const { request, upstream, lastHeardAt, idleSince } = pair;
  const heardAt = Math.min(lastHeardAt, upstream?.lastHeardAt ?? lastHeardAt);
  if (now - heardAt > MISSED_PINGS * pingMs) return 'unreachable';
  if (!isStillAllowed(services, request)) return 'refused';
  if (now - idleSince > idleMs) return 'idle';
  return upstream && reasonToSwitch(services, upstream, now);
}

function isStillAllowed({ gate }: SocketServices, request: IncomingMessage): boolean {
  try {
    gate.identify(request);
    return true;
  } catch (error) {
    if (error instanceof ProxyError) return false;
    throw error;
  }
}

/** Why the next request needs another socket of the provider. */
function reasonToSwitch(
  { hot, provider, times, now: clock }: SocketServices,
  upstream: UpstreamSocket,
  now: number,
): CloseReason | undefined {
  const { accountId, openedAt } = upstream;
  if (now - openedAt > times.maxAgeMs) return 'age';
  const account = hot.accounts.get(accountId);
  if (!account) return 'account';
  if (availabilityOf(account, hot.usage.get(accountId), undefined, clock()).state !== 'available') return 'account';
  const headers = provider.accessTokens.headersFor(accountId);
  return headers && upstream.serves(headers, provider.routeOf(accountId)) ? undefined : 'credentials';
}
