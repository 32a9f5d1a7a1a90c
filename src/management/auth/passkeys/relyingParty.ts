import { isIP } from 'node:net';
import { refuse } from '../../../domain/core/refusal.ts';
import { isLoopback } from '../../../http/client/isThisMachine.ts';

/** The site that browsers bind passkeys to. */
export interface RelyingParty {
  /** A host name. */
  readonly id: string;
  /** The only origin whose pages may use them. */
  readonly origin: string;
}

/** Why there are no passkeys, with what to do about it. */
export interface NoRelyingParty {
  readonly problem: string;
}

const REMEDY = 'set SVC_PUBLIC_URL to the HTTPS address, with a host name, under which people open the dashboard';

/**
 * The relying party of this installation (docs/decisions/0086-passkeys.md). Browsers offer passkeys over HTTPS, and over HTTP on
 * `localhost`; never for an IP address.
 * @param publicUrl SVC_PUBLIC_URL, else the address that svc listens on; never the Host of a request
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | NoRelyingParty {
  const { protocol, hostname, port } = new URL(publicUrl);
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const id = isLoopback(address) ? 'localhost' : hostname;
  const origin = `${protocol}//${id}${port === '' ? '' : `:${port}`}`;
  if (id === 'localhost' || id.endsWith('.localhost')) return { id, origin };
  if (isIP(address) > 0) return { problem: `passkeys need a host name, and ${publicUrl} has none: ${REMEDY}` };
  if (protocol !== 'https:')
    return { problem: `browsers offer passkeys over HTTPS only, and not on ${origin}: ${REMEDY}` };
  return { id, origin };
}

/** @throws Refusal `passkeys_unavailable` */
export function requireRelyingParty(found: RelyingParty | NoRelyingParty): RelyingParty {
  return 'problem' in found ? refuse('passkeys_unavailable', { problem: found.problem }) : found;
}
