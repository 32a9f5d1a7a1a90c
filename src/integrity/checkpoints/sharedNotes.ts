import type { CheckpointStream } from '../../eventLog/checkpointStream.ts';
import type { SharedNote, SharedNotes } from './noteRecord.ts';

/** Keeps notes in the side stream of the store: the number of a note is its place there. */
export const sharedNotes = (stream: CheckpointStream): SharedNotes => ({
  readAfter: async (seq) => (await stream.readAfter(seq)) as readonly SharedNote[] | undefined,
  append: (shared) => stream.append(shared.record.seq - 1, shared),
});
