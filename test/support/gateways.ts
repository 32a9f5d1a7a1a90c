import { afterAll, afterEach } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';

/**
 * Gateways for the tests of a file, one at a time. Tests that need nothing but accounts get the same service one after
 * the other, with accounts of their own, and see nothing of each other; all others get a service that ends with them.
 */
export function gateways(): (options?: GatewayOptions) => Promise<Gateway> {
  let shared: Promise<Gateway> | undefined;
  let own: Gateway | undefined;
  afterEach(async () => {
    await own?.stop();
    own = undefined;
  });
  afterAll(async () => (await shared)?.stop());
  return async ({ accounts = 1, ...special } = {}) => {
    if (Object.keys(special).length > 0) {
      own = await startGateway({ accounts, ...special });
      return own;
    }
    shared ??= startGateway({ accounts: 0 });
    const gateway = await shared;
    await gateway.beginAgain(accounts);
    return gateway;
  };
}
