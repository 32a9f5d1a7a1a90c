import { createHash, timingSafeEqual } from 'node:crypto';
import type { HotRunner } from '../../state/hotRunner.ts';

export interface SetupTokenOptions {
  readonly hot: HotRunner;
  /** The value of SVC_SETUP_TOKEN. */
  readonly configured: string | undefined;
  readonly newToken: () => string;
  /** Shows the operator a token that was made up, whenever there is no password. */
  readonly announce: (token: string) => void;
}

/** What clients from another machine must know to set the first password. */
export interface SetupToken {
  matches(given: string): boolean;
}

export function createSetupToken({ hot, configured, newToken, announce }: SetupTokenOptions): SetupToken {
  let current = configured ?? newToken();
  if (configured === undefined) {
    if (!hot.state.dashboardAuth.password) announce(current);
    hot.onFolded(({ type }) => {
      if (type !== 'DashboardPasswordRemoved') return;
      current = newToken();
      announce(current);
    });
  }
  return { matches: (given) => timingSafeEqual(digest(given), digest(current)) };
}

const digest = (text: string) => createHash('sha256').update(text).digest();
