import type { EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import { parseJson } from '../eventLog/storedChain.ts';
import { readCompleted, requestFacts } from './requestFacts.ts';
import type { Occurrence } from './scanProtocol.ts';

/**
 * What makes an event that ends no request unique: its content with its time and cause, without what a copy of it at another
 * place would have to change.
 */
export function contentOf([, , , , type, , time, data, metadata]: EventTuple): string {
  const chainAt = metadata.lastIndexOf(',"previousHash":');
  return `${type} ${time} ${data} ${chainAt < 0 ? metadata : metadata.slice(0, chainAt)}`;
}

/** What may occur only once in a log. */
export function identitiesOf(event: EventTuple): (readonly [Occurrence['of'], string])[] {
  const [, stream, , id, type, version, , data] = event;
  const request = readCompleted(type, version, data) ?? requestFacts(type, parseJson(data));
  const end = stream.startsWith('requests-') ? request.endedId : undefined;
  return [['id', id], end === undefined ? ['content', contentOf(event)] : ['end', end]];
}
