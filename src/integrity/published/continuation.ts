import { decodeBase64 } from '../notes/base64.ts';
import { NoteError } from '../notes/noteKeys.ts';

/** The last checkpoint of the origin before, which the first one of a new origin names. */
export interface Continuation {
  readonly origin: string;
  readonly size: number;
  /** 32 bytes. */
  readonly root: Buffer;
}

const KEYWORD = 'continues';

/** The extension line of a checkpoint (https://c2sp.org/tlog-checkpoint#note-text). */
export const formatContinuation = ({ origin, size, root }: Continuation): string =>
  `${KEYWORD} ${origin} ${size} ${root.toString('base64')}`;

/** What a checkpoint continues; undefined when it is of the first origin. @throws NoteError for a line that is malformed */
export function continuationIn(extensions: readonly string[]): Continuation | undefined {
  const line = extensions.find((extension) => extension.startsWith(`${KEYWORD} `));
  if (line === undefined) return undefined;
  const [, origin = '', size = '', encoded = ''] = /^continues (\S+) (0|[1-9]\d*) (\S+)$/.exec(line) ?? [];
  const root = decodeBase64(encoded);
  if (root?.length !== 32 || !Number.isSafeInteger(Number(size))) {
    throw new NoteError('the line "continues" of the checkpoint is not an origin, a size and a root');
  }
  return { origin, size: Number(size), root };
}
