import { withArchive } from './withArchive.ts';

const ID = /[^\\]"id":"([^"\\]*)"/;
const REVISION = /[^\\]"revision":(\d+),/;

/** What a leaf entry says of its event, as far as it tells two events of svc apart. */
export const idOfEntry = (entry: string): string | undefined => ID.exec(entry)?.[1];

/** The ids of the archived events of a stream, by their revision. Reads the leaf entries of the segments that have the stream. */
export function archivedIdsOf(archivePath: string, stream: string): Map<number, string> {
  const ids = new Map<number, string>();
  const ofStream = `"stream":${JSON.stringify(stream)}`;
  withArchive(archivePath, (archived) => {
    if (!archived.headOf(stream)) return;
    for (const { number, status, header } of archived.segments()) {
      if (status !== 'archived' || !header.streams.some(([name]) => name === stream)) continue;
      for (const { entry } of archived.entriesOf(number)) {
        const id = entry.includes(ofStream) ? idOfEntry(entry) : undefined;
        if (id !== undefined) ids.set(Number(REVISION.exec(entry)?.[1]), id);
      }
    }
  });
  return ids;
}
