import { existsSync } from 'node:fs';
import { untouchedFile } from '../../dataFolder/untouchedFile.ts';
import { position } from '../../domain/core/brands.ts';
import { FilePast } from '../../state/past/filePast.ts';
import { MomentArchived } from '../../state/past/past.ts';
import { writeStateText } from '../../state/snapshots/stateText.ts';
import { MAX_ENTRY_BYTES } from '../format/bundleFile.ts';
import type { Period } from './selectedRows.ts';
import type { EventSelection } from './selection.ts';

interface StateBeforeOptions {
  readonly logPath: string;
  readonly archivePath: string;
  /** For copies of files. */
  readonly temporary: string;
  readonly onStep: (step: string) => void;
}

/**
 * The state before a period of which all events are asked for, so that a reader of the bundle can fold on from there.
 * @returns undefined for any other selection, at the beginning of the log, and when it depends on archived events
 */
export async function stateBefore(
  { since, until, requests, subjects, types, actors, search }: EventSelection,
  { first, last }: Period,
  { logPath, archivePath, temporary, onStep }: StateBeforeOptions,
): Promise<{ readonly position: number; readonly text: string } | undefined> {
  const isPeriod = since !== undefined || until !== undefined;
  if (!isPeriod || requests || subjects || types || actors || search !== undefined) return undefined;
  if (first <= 1 || first > last) return undefined;
  onStep('Computing the state before the period');
  const past = new FilePast({
    location: untouchedFile(logPath, temporary).location,
    archive: existsSync(archivePath) ? untouchedFile(archivePath, temporary).location : archivePath,
  });
  try {
    const text = writeStateText(await past.foldAt(position(first - 1)));
    return Buffer.byteLength(text) > MAX_ENTRY_BYTES ? undefined : { position: first - 1, text };
  } catch (error) {
    if (error instanceof MomentArchived) return undefined;
    throw error;
  } finally {
    past.close();
  }
}
