import type { RefreshResultCommand } from '../../../domain/accountTokens/decide.ts';
import type { Instant } from '../../../domain/core/brands.ts';
import type { Faults } from '../../../lib/faults.ts';
import type { Cause, HandleCommand } from '../../../state/commands/commandHandler.ts';
import type { HotRunner } from '../../../state/hotRunner.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { TokenEndpoint } from '../../client/tokenEndpoint.ts';

/**
 * `refreshed`: new tokens are in the log. `already`: other, valid tokens are there, so the provider was not called.
 * `transient`: a later attempt may succeed. `proxyFailed`, `outOfDescriptors`: the same, and the proxy or svc is at fault.
 * `permanent`: no attempt can succeed with these tokens; the account is deactivated or deleted.
 */
export type RefreshResult = 'refreshed' | 'already' | 'transient' | 'proxyFailed' | 'outOfDescriptors' | 'permanent';

/** Writes the result of a refresh to the log and folds it. @throws Refusal like `HandleCommand` */
export type RecordRefreshResult = (command: RefreshResultCommand, cause: Cause) => Promise<void>;

export interface TokenRefreshOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly vault: Vault;
  /** Default: by `handle`. */
  readonly recordResult?: RecordRefreshResult;
  readonly tokenEndpoint: TokenEndpoint;
  readonly now: () => Instant;
  /** A new UUID. */
  readonly newId: () => string;
  readonly report: (error: Error) => void;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
}
