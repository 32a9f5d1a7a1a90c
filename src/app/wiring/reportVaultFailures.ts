import { isFileError } from '../../dataFolder/fileErrors.ts';
import { damagedFile } from '../../dataFolder/openDatabase.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Vault } from '../../vault/vault.ts';

export interface VaultFailuresOptions {
  /** Path of the vault's file. */
  readonly path: string;
  /** Reports an error to the operator. */
  readonly report: (error: Error) => void;
}

/**
 * Wraps a vault in a file: a change that its disk does not take, for instance with an I/O error, is reported with the path and
 * what to do, and refused like one that the log does not take.
 */
export function reportVaultFailures(vault: Vault, { path, report }: VaultFailuresOptions): Vault {
  const reported =
    <Args extends readonly unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await change(...args);
      } catch (error) {
        if (!isFileError(error)) throw error;
        const described = describe(error as Error, path);
        report(described);
        return refuse('log_unavailable', { reason: described.message });
      }
    };
  return { ...vault, createKey: reported(vault.createKey), destroy: reported(vault.destroy) };
}

const SQLITE_FULL = 13;

function describe(error: Error, path: string): Error {
  if (damagedFile(error)) return error;
  const isFull = ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_FULL;
  const remedy = `${isFull ? 'Make room on its disk' : 'Check the disk and its file system'}, then repeat the change.`;
  return new Error(`${path} cannot be written: ${error.message}. ${remedy}`, { cause: error });
}
