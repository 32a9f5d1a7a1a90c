import type { EventMetadata } from '../../eventLog/eventLog.ts';

const START = '"actor":';
const END = ',"correlationId":';

/**
 * The actor's JSON, sliced from the JSON of the metadata (see `UnchainedMetadata`) without parsing it; parsed when the fields
 * are in another order. Quotes within texts are escaped, so no text can be mistaken for a field name.
 */
export function actorOf(metadata: string): string {
  const start = metadata.indexOf(START);
  const end = metadata.indexOf(END, start);
  if (start !== -1 && end !== -1) return metadata.slice(start + START.length, end);
  return JSON.stringify((JSON.parse(metadata) as EventMetadata).actor);
}
