import { isLoopbackHost } from '../../http/client/isThisMachine.ts';
import type { Faults } from '../../lib/faults.ts';
import type { Print } from '../../lib/log/line.ts';
import { isUnrestricted } from '../../proxy/admission/firewall.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Config } from '../config/config.ts';

export interface WatchOpenAccessOptions {
  readonly config: Pick<Config, 'SVC_HOST' | 'SVC_ALLOW_OPEN' | 'FIREWALL_TRUST_PROXY_HEADERS'>;
  readonly hot: Pick<HotRunner, 'state' | 'onFolded'>;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  readonly print: Print;
}

const CODE = 'remote_access_disabled';
const WHY = 'API keys are not required and there is no allowlist';
const FAULT = {
  code: CODE,
  cause: `Warning: anyone who can reach this port could use the accounts, because ${WHY}. Model requests from other machines get 403 ${CODE} until that changes.`,
  remedy:
    'Require API keys (dashboard: Settings), or add the addresses of clients to the allowlist (dashboard: Firewall), or set SVC_ALLOW_OPEN=true if everyone may.',
};
const CHANGES: ReadonlySet<string> = new Set(['SettingsChanged', 'IpAllowed', 'IpRevoked']);

/**
 * Tells the operator while other machines can reach the port and nothing decides which of them may send model requests
 * (docs/decisions/0045-optional-keys-and-public-paths.md). Called once, before the service listens.
 */
export function watchOpenAccess({ config, hot, faults, print }: WatchOpenAccessOptions): void {
  // Behind a trusted proxy other machines reach the loopback interface, too.
  if (isLoopbackHost(config.SVC_HOST) && !config.FIREWALL_TRUST_PROXY_HEADERS) return;
  if (config.SVC_ALLOW_OPEN) {
    if (isUnrestricted(hot.state)) {
      const message = `Warning: anyone who can reach this port can use the accounts, because ${WHY}, and SVC_ALLOW_OPEN=true allows it.`;
      print(message, { level: 'warn', code: 'open_access_allowed' });
    }
    return;
  }
  const update = () => {
    if (isUnrestricted(hot.state)) faults.raise(FAULT, { level: 'warn' });
    else
      faults.clear(CODE, undefined, 'Over: API keys or the allowlist decide which machines may send model requests.');
  };
  update();
  hot.onFolded(({ type }) => {
    if (CHANGES.has(type)) update();
  });
}
