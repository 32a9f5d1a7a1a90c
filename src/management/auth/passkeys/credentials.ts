import type { Passkey } from '../../../domain/operator/passkeys.ts';
import { type Operator, type Operators, presentOperators } from '../../../domain/operator/state.ts';
import { openIfSealed } from '../../../vault/openIfSealed.ts';
import type { Vault } from '../../../vault/vault.ts';

/** How browsers reach an authenticator, as WebAuthn names it. Others that a client sends are dropped. */
export const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** A keyed digest of a credential id, by which its passkey is found. */
export const digestOfCredential = (vault: Pick<Vault, 'digest'>, credentialId: string): string =>
  vault.digest('passkey credential', credentialId);

/** The passkey with this digest and its operator. There are at most 20,000, and look-ups are rare. */
export function findPasskey(
  operators: Operators,
  digest: string,
): { readonly operator: Operator; readonly passkey: Passkey } | undefined {
  for (const operator of presentOperators(operators)) {
    for (const passkey of operator.passkeys.byId.values()) {
      if (passkey.credentialDigest === digest) return { operator, passkey };
    }
  }
  return undefined;
}

/** The passkeys of an operator as browsers take them (`PublicKeyCredentialDescriptorJSON`). */
export const descriptorsOf = ({ passkeys }: Operator, vault: Pick<Vault, 'open'>) =>
  [...passkeys.byId.values()].flatMap(({ credentialId, transports }) => {
    const id = openIfSealed(credentialId, vault);
    return id === null ? [] : [{ id, type: 'public-key' as const, transports: [...transports] }];
  });
