import { expect, test } from 'vitest';
import { importedAccount } from '../../../test/support/specification.ts';
import { AccountImported } from '../../domain/account/events.ts';
import { evolve } from '../../domain/account/state.ts';
import { type AccountId, instant, type Sealed } from '../../domain/core/brands.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { CannotUnseal } from '../../vault/vault.ts';
import { createAccountProxies } from './accountProxies.ts';
import { openTunnel } from './openTunnel.ts';

/** Accounts whose proxies are sealed as `sealed.<address>`. */
function start(addresses: Readonly<Record<string, string | null>>) {
  let onFolded: (event: { type: string }) => void = () => undefined;
  const opened: string[] = [];
  const accounts = new Map<AccountId, ReturnType<typeof evolve>>();
  const set = (id: string, address: string | null) => {
    const imported = AccountImported(importedAccount({ accountId: id as AccountId }));
    const account = evolve(undefined, { ...imported, time: instant(0) } as never);
    accounts.set(id as AccountId, { ...account, proxy: address === null ? null : `sealed.${address}` } as never);
    onFolded({ type: 'AccountProxyChanged' });
  };
  const hot = { state: { accounts }, onFolded: (listener: typeof onFolded) => (onFolded = listener) };
  const open = (sealed: Sealed) => {
    opened.push(sealed);
    if (sealed === 'sealed.lost') throw new CannotUnseal();
    return sealed.slice('sealed.'.length);
  };
  for (const [id, address] of Object.entries(addresses)) set(id, address);
  const proxies = createAccountProxies({ hot: hot as unknown as HotRunner, vault: { open } });
  return { of: (id: string) => proxies.of(id as AccountId), all: proxies.all, set, opened };
}

test('decrypts an address once, and shares the proxy of accounts with the same address', () => {
  const { of, opened, all } = start({ a: 'http://p:1', b: 'http://p:1', c: 'http://other:p@p:1', d: null });
  expect(of('a')).toMatchObject({ name: 'p:1' });
  for (let turn = 0; turn < 3; turn++) expect(of('b')).toBe(of('a'));
  // Another user name may mean another outgoing address.
  expect(of('c')).not.toBe(of('a'));
  expect([of('d'), of('unknown'), all().size]).toEqual([undefined, undefined, 2]);
  expect(opened).toEqual(['sealed.http://p:1', 'sealed.http://other:p@p:1']);
});

test('forgets the address of a proxy that was replaced', () => {
  const { of, set, opened } = start({ a: 'http://p:1' });
  const before = of('a');
  set('a', 'http://q:1');
  expect(of('a')).toMatchObject({ name: 'q:1' });
  set('a', 'http://p:1');
  expect(of('a')).not.toBe(before);
  expect(opened).toHaveLength(3);
});

test('an address whose key is lost fails every connection instead of leading to a direct one', async () => {
  const { of } = start({ a: 'lost' });
  const proxy = of('a');
  expect(proxy).toMatchObject({ protocol: 'unreadable' });
  const opening = openTunnel(proxy as never, { host: '127.0.0.1', port: 9 }, new AbortController().signal);
  await expect(opening).rejects.toMatchObject({ name: 'ProxyFailure', code: 'proxy_unreadable' });
});
