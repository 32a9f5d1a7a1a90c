import type { Socket } from 'node:net';
import type { AccountId } from '../../domain/core/brands.ts';
import type { ClosableConnection } from '../../lib/descriptors/descriptorBudget.ts';
import type { OutgoingProxy } from '../../provider/outgoingProxy/outgoingProxy.ts';
import type { UpstreamPool } from './upstreamPool.ts';

/** How a model request leaves. */
export interface UpstreamRoute {
  readonly pool: UpstreamPool;
  /** Host and port of the proxy; undefined for a direct connection. */
  readonly proxy: string | undefined;
  /** Opens a connection for a websocket, TLS and its time limit included. */
  readonly openConnection: (signal: AbortSignal) => Promise<Socket>;
}

export interface UpstreamRoutesOptions {
  /** @returns the same object as long as the proxy is the same */
  readonly proxyOf: (accountId: AccountId) => OutgoingProxy | undefined;
  readonly createPool: (proxy: OutgoingProxy | undefined) => UpstreamPool;
  /** Creates what opens connections for websockets. */
  readonly createOpener: (proxy: OutgoingProxy | undefined) => UpstreamRoute['openConnection'];
}

/** The routes of all accounts: one pool for each proxy, and one for direct connections. */
export class UpstreamRoutes {
  readonly #options: UpstreamRoutesOptions;
  readonly #routes = new Map<OutgoingProxy | undefined, UpstreamRoute>();

  constructor(options: UpstreamRoutesOptions) {
    this.#options = options;
  }

  routeOf(accountId: AccountId): UpstreamRoute {
    const proxy = this.#options.proxyOf(accountId);
    return this.#routes.get(proxy) ?? this.#add(proxy);
  }

  #add(proxy: OutgoingProxy | undefined): UpstreamRoute {
    const { createPool, createOpener } = this.#options;
    const route = { pool: createPool(proxy), proxy: proxy?.name, openConnection: createOpener(proxy) };
    this.#routes.set(proxy, route);
    return route;
  }

  /** The number of connections that are open or being opened. */
  get connections(): number {
    let sum = 0;
    for (const { pool } of this.#routes.values()) sum += pool.connections;
    return sum;
  }

  /** Whether any of them is unused. */
  get hasIdle(): boolean {
    for (const { pool } of this.#routes.values()) if (pool.hasIdle) return true;
    return false;
  }

  /** Connections that no request uses and that can be closed. */
  get idle(): ClosableConnection[] {
    return [...this.#routes.values()].flatMap(({ pool }) => pool.idle);
  }

  /** Closes the pools of other proxies when their requests have ended. */
  keepOnly(inUse: ReadonlySet<OutgoingProxy>): void {
    for (const [proxy, { pool }] of this.#routes) {
      if (proxy === undefined || inUse.has(proxy)) continue;
      this.#routes.delete(proxy);
      pool.close();
    }
  }

  /** Closes all connections; requests in flight fail. */
  destroy(): void {
    for (const { pool } of this.#routes.values()) pool.destroy();
  }
}
