import { createHash, timingSafeEqual } from 'node:crypto';
import type { HotRunner } from '../../state/hotRunner.ts';
import { isOpen } from '../people/principal.ts';

export interface SetupTokenOptions {
  readonly hot: HotRunner;
  /** The value of SVC_SETUP_TOKEN. */
  readonly configured: string | undefined;
  readonly newToken: () => string;
  /** Shows the operator a generated token. Called at start and after the password was removed. */
  readonly announce: (token: string) => void;
}

/** The secret with which clients on other machines may set the first password. */
export interface SetupToken {
  matches(candidate: string): boolean;
}

/** Uses the configured token, or generates one whenever no password is set. */
export function createSetupToken({ hot, configured, newToken, announce }: SetupTokenOptions): SetupToken {
  let current = configured ?? newToken();
  if (configured === undefined) {
    if (isOpen(hot.state)) announce(current);
    hot.onFolded(({ type }) => {
      if (type !== 'DashboardPasswordRemoved') return;
      current = newToken();
      if (isOpen(hot.state)) announce(current);
    });
  }
  return { matches: (candidate) => timingSafeEqual(digest(candidate), digest(current)) };
}

const digest = (text: string) => createHash('sha256').update(text).digest();
