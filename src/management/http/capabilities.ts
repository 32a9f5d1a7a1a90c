import type { Instant } from '../../domain/core/brands.ts';
import type { ReadModelPorts } from '../../readModels/readModels.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Directory } from '../people/directory.ts';
import type { Commands } from './commands.ts';
import type { Views } from './views.ts';

export interface Ids {
  /** A new UUID. */
  readonly newId: () => string;
  /** 24 random bytes: the secret part of an API key. */
  readonly newKeyBytes: () => Uint8Array;
}

/** The services that routes use. Each resource names in its signature those it needs. */
export interface Capabilities {
  readonly views: Views;
  readonly commands: Commands;
  readonly queries: ReadModelPorts;
  readonly vault: Vault;
  readonly directory: Directory;
  readonly ids: Ids;
  readonly now: () => Instant;
}
