import type { AccountId, Sealed } from '../../domain/core/brands.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import { type OutgoingProxy, parseOutgoingProxy, unreadableProxy } from './outgoingProxy.ts';

export interface AccountProxies {
  /** @returns the account's own proxy; accounts with the same address share the object */
  of(accountId: AccountId): OutgoingProxy | undefined;
  /** All proxies of accounts. */
  all(): ReadonlySet<OutgoingProxy>;
}

/** The proxies of accounts, from the hot state. Each address is decrypted once. */
export function createAccountProxies({ hot, vault }: { hot: HotRunner; vault: Pick<Vault, 'open'> }): AccountProxies {
  const opened = new Map<Sealed, OutgoingProxy>();
  const byAddress = new Map<string, OutgoingProxy>();

  hot.onFolded(({ type }) => {
    if (type !== 'AccountProxyChanged' && type !== 'AccountTokensReplaced' && type !== 'AccountDeleted') return;
    const used = new Set([...hot.state.accounts.values()].map(({ proxy }) => proxy));
    for (const sealed of opened.keys()) if (!used.has(sealed)) opened.delete(sealed);
    const proxies = new Set(opened.values());
    for (const [address, proxy] of byAddress) if (!proxies.has(proxy)) byAddress.delete(address);
  });

  function open(sealed: Sealed): OutgoingProxy {
    let proxy = unreadableProxy;
    try {
      const address = vault.open(sealed);
      proxy = byAddress.get(address) ?? parseOutgoingProxy(address);
      byAddress.set(address, proxy);
    } catch {
      // Its data key is lost. A direct call instead could tell the provider what the proxy was to hide.
    }
    opened.set(sealed, proxy);
    return proxy;
  }

  const proxyOf = (sealed: Sealed | null | undefined) => (sealed ? (opened.get(sealed) ?? open(sealed)) : undefined);
  return {
    of: (accountId) => proxyOf(hot.state.accounts.get(accountId)?.proxy),
    all() {
      const proxies = new Set<OutgoingProxy>();
      for (const { proxy } of hot.state.accounts.values()) if (proxy) proxies.add(proxyOf(proxy) as OutgoingProxy);
      return proxies;
    },
  };
}
