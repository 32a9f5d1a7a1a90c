import { remedyFor } from '../../dataFolder/fileErrors.ts';
import type { Faults } from '../../lib/faults.ts';
import { keyFileProblem } from '../keys/keyFileProblem.ts';
import type { SigningKey } from '../notes/noteKeys.ts';
import { publicKeyFile } from './publicKeyFile.ts';

export interface KeepKeyFilesOptions {
  /** `checkpoint.pub`, which has the verifier key in text. */
  readonly publicKeyPath: string;
  /** The file that the key was read from, if it was. */
  readonly keyFile: string | undefined;
  readonly key: SigningKey;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
}

export interface KeptKeyFiles {
  /** @param vkey that has just signed; without one, the file is only looked at */
  writePublicKey(vkey?: string): void;
  /** Checks the file of the key: the key in memory signs on without it, but a start after this one would refuse to sign. */
  checkKey(): void;
}

/** How long the status shows that a file was written again. */
const SHOWN_MS = 600_000;
const NO_PUBLIC_KEY = 'checkpoint_pub_not_written';
const PUBLIC_KEY_REWRITTEN = 'checkpoint_pub_replaced';
const KEY_NOT_KEPT = 'checkpoint_key_not_kept';

/** Keeps the files of both keys while svc runs: writes `checkpoint.pub` again, and reports a secret key that is gone or another. */
export function keepKeyFiles({ publicKeyPath, keyFile, key, faults }: KeepKeyFilesOptions): KeptKeyFiles {
  const publicKey = publicKeyFile(publicKeyPath);

  function reportRewritten(): void {
    faults.raise(
      {
        code: PUBLIC_KEY_REWRITTEN,
        cause: `${publicKeyPath} was deleted or changed while svc runs, and was written again.`,
        remedy:
          'You need not do anything. Who has read the file meanwhile should compare the key with the one of /api/integrity.',
      },
      { level: 'warn', overAfterMs: SHOWN_MS },
    );
  }

  return {
    writePublicKey(vkey) {
      try {
        if (publicKey.keep()) reportRewritten();
        publicKey.write(vkey);
        faults.clear(NO_PUBLIC_KEY);
      } catch (error) {
        faults.raise({
          code: NO_PUBLIC_KEY,
          cause: `${publicKeyPath} cannot be written: ${(error as Error).message}.`,
          remedy: `${remedyFor(error, 'Let the user that runs svc write to the data folder.')} /api/integrity has the key, too.`,
        });
      }
    },
    checkKey() {
      const problem = keyFile === undefined ? undefined : keyFileProblem(keyFile, key);
      if (problem === undefined) {
        faults.clear(KEY_NOT_KEPT);
        return;
      }
      faults.raise({
        code: KEY_NOT_KEPT,
        cause: `${problem}: svc goes on signing checkpoints with the key that it has read, but would sign none after its next start.`,
        remedy: `Put the file back, for example from a backup, before svc is started again. If there is no copy, stop svc and run "svc accept-loss --checkpoint-key".`,
      });
    },
  };
}
