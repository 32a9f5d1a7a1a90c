import { remedyWhileRunning } from '../../dataFolder/fileErrors.ts';
import { damageIn } from '../../dataFolder/openDatabase.ts';
import type { Faults } from '../../lib/faults.ts';
import { ThreadEnded } from '../../lib/threads/errors.ts';
import { CheckpointRefused, NotSigned, REFUSAL_CODES } from './checkpointRefused.ts';
import { NotesUnusable } from './noteStore.ts';

export interface SigningOutcomeOptions {
  /** `checkpoints.sqlite`. */
  readonly path: string;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Whether the store of the log is known to be unreachable. */
  readonly isCutOff?: (() => boolean) | undefined;
}

export interface SigningOutcome {
  /** Why svc refuses to sign, in a sentence; undefined while it does not. */
  readonly refusal: string | undefined;
  onSigned(): void;
  onNotSigned(error: Error): void;
}

const NOT_SIGNED = 'checkpoint_not_signed';

/** Keeps the faults of signing: raises one for an attempt that failed, unless another part reports it, and clears it after one that succeeded. */
export function signingOutcome({ path, faults, isCutOff = () => false }: SigningOutcomeOptions): SigningOutcome {
  let refusal: string | undefined;

  function setRefusal(error: CheckpointRefused | undefined): void {
    refusal = error?.reason;
    for (const code of REFUSAL_CODES) if (code !== error?.code) faults.clear(code);
    if (error) faults.raise({ code: error.code, cause: error.reason, remedy: error.remedy });
  }

  /** By the tree, whose thread reads the log, or by the connection to the store. */
  const isReportedElsewhere = (error: Error): boolean => {
    const damaged = damageIn(error)?.path;
    return error instanceof ThreadEnded || (damaged !== undefined && damaged !== path) || isCutOff();
  };

  return {
    get refusal() {
      return refusal;
    },
    onSigned() {
      setRefusal(undefined);
      faults.clear(NOT_SIGNED);
    },
    onNotSigned(error) {
      // A harmed file is reported by the one that looks after it.
      if (error instanceof NotSigned || error instanceof NotesUnusable) return;
      if (error instanceof CheckpointRefused) {
        setRefusal(error);
        return;
      }
      if (isReportedElsewhere(error)) return;
      const damage = damageIn(error);
      faults.raise({
        code: NOT_SIGNED,
        cause: `No checkpoint could be signed: ${(damage?.cause ?? error.message).replace(/\.$/, '')}.`,
        remedy: damage?.remedy ?? remedyWhileRunning(error, 'svc tries again every minute.'),
      });
    },
  };
}
