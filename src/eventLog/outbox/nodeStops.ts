import { NodeStopped } from '../../domain/audit/events.ts';

/** The part `<node>.<boot>` in the name of a stream that one start of a node writes. */
const startOf = (stream: string): string => {
  const begin = stream.indexOf('-') + 1;
  return stream.slice(begin, stream.indexOf('_', begin));
};

/** Whether one of these events is the stop of a node, which must be the last event of all streams of its start. */
export const endsStart = (events: readonly { readonly type: string }[]): boolean =>
  events.some(({ type }) => type === NodeStopped.type);

/** The stream of the same start among those that are held; undefined when there is none. */
export const heldOfSameStart = (stream: string, held: ReadonlySet<string>): string | undefined =>
  Iterator.from(held).find((other) => other !== stream && startOf(other) === startOf(stream));
