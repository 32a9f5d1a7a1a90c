import { position } from '../domain/core/brands.ts';
import { sealsInLog } from '../eventLog/sqlite/sealsInLog.ts';
import { Checkpoints } from '../state/fold/checkpoints.ts';
import type { Fold } from '../state/fold/fold.ts';
import { HotState } from '../state/fold/hotState.ts';
import { foldFile } from '../state/pages/foldFile.ts';
import { readSealedFold } from '../state/snapshots/sealedFold.ts';
import { haveSame } from './archive.ts';
import { type FoldFailure, foldFailure } from './foldFailure.ts';

/** Days take longer to archive or to restore than the log behind them takes to fold. */
const MAX_ATTEMPTS = 10;

/**
 * Folds a log up to a position, behind archived days from their sealed state. Days may be archived or restored meanwhile: a failure then
 * says nothing about the log, and it is folded again.
 * @param log and archive are paths or `file:` URIs
 * @throws the errors of reading the files
 */
export async function findFoldFailure(log: string, archive: string, upTo: number): Promise<FoldFailure> {
  for (let attempt = 1; ; attempt += 1) {
    const seals = sealsInLog(log);
    const isSure = () => attempt === MAX_ATTEMPTS || haveSame(seals, sealsInLog(log));
    try {
      const failure = await foldFailure(async () => void (await foldLog(log, archive, upTo)));
      if (!failure.finding || isSure()) return failure;
    } catch (error) {
      if (isSure()) throw error;
    }
  }
}

/** Folds a log without starting points for past states: nothing asks for one, and their memory would grow with the log. */
export async function foldLog(log: string, archive: string, upTo: number): Promise<Fold> {
  const fold = {
    state: readSealedFold(log, archive)?.fold.state ?? new HotState(),
    checkpoints: new Checkpoints(Number.POSITIVE_INFINITY),
  };
  await foldFile(fold, log, position(upTo), undefined, archive);
  return fold;
}
