import { afterAll, afterEach } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';

/**
 * Gateways for the tests of a file, one at a time. Tests without special options share one service, which is reset between
 * them; every other test gets a service of its own that ends with the test.
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
    await gateway.reset(accounts);
    return gateway;
  };
}
