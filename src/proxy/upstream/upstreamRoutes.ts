import type { AccountId } from '../../domain/core/brands.ts';
import type { OutgoingProxy } from '../../provider/outgoingProxy/outgoingProxy.ts';
import type { UpstreamPool } from './upstreamPool.ts';

/** How a model request leaves. */
export interface UpstreamRoute {
  readonly pool: UpstreamPool;
  /** Host and port of the proxy; undefined for a direct connection. */
  readonly proxy: string | undefined;
}

export interface UpstreamRoutesOptions {
  /** @returns the same object as long as the proxy is the same */
  readonly proxyOf: (accountId: AccountId) => OutgoingProxy | undefined;
  readonly createPool: (proxy: OutgoingProxy | undefined) => UpstreamPool;
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
    const route = { pool: this.#options.createPool(proxy), proxy: proxy?.name };
    this.#routes.set(proxy, route);
    return route;
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
