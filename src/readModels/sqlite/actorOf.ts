import type { EventMetadata } from '../../eventLog/eventLog.ts';

const BEFORE = '"actor":';
const BEHIND = ',"correlationId":';

/**
 * The actor's JSON, cut out of that of the metadata (see `UnchainedMetadata`) where it stands as the log writes it. A quote
 * within a text is escaped, so that no text can be taken for the name of a field.
 */
export function actorOf(metadata: string): string {
  const start = metadata.indexOf(BEFORE);
  const end = metadata.indexOf(BEHIND, start);
  if (start !== -1 && end !== -1) return metadata.slice(start + BEFORE.length, end);
  return JSON.stringify((JSON.parse(metadata) as EventMetadata).actor);
}
