import type { Account } from '../../domain/account/state.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { InvalidProxyAddress, parseOutgoingProxy } from '../../provider/outgoingProxy/outgoingProxy.ts';
import type { SealedFields } from '../../vault/sealedFields.ts';
import type { Vault } from '../../vault/vault.ts';
import { openSealed } from './openSealed.ts';

/** Checks the address of a proxy in a request. @throws Refusal `validation_error`, which does not quote it */
export function requireProxyAddress(address: string): string {
  try {
    parseOutgoingProxy(address);
    return address;
  } catch (error) {
    if (error instanceof InvalidProxyAddress) refuse('validation_error', { param: 'proxy', problem: error.message });
    throw error;
  }
}

/** @returns host and port of an address, which is all that may be shown of it */
export const proxyNameOf = (address: string): string => parseOutgoingProxy(address).name;

/** @returns the whole address of the account's proxy; null without one, and when its data key is lost */
export const proxyAddressOf = ({ proxy }: Account, vault: Vault): string | null => openSealed(proxy, vault);

/** @returns the proxy of an account as responses show it, opened as `proxy`; null without one */
export function shownProxyOf({ proxy }: Account, fields: SealedFields): string | null {
  if (proxy === null) return null;
  const address = fields.open('proxy', proxy);
  return address === null ? 'unreadable' : proxyNameOf(address);
}
