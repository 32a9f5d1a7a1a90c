import { type Position, position } from '../../domain/core/brands.ts';
import { FilePast, type FilePastOptions } from '../../state/past/filePast.ts';
import { explainRequest } from './explainRequest.ts';
import { ExplainSource } from './explainSource.ts';
import type { Explanation } from './explanation.ts';

/**
 * Explains a request from the log's file alone.
 * @param at position of its end if that is known; else the log is searched from its end
 * @returns undefined when the log has no end of the request
 * @throws MomentArchived, and what reading the log throws
 */
export async function explainFromLog(
  files: FilePastOptions,
  requestId: string,
  at?: number,
): Promise<Explanation | undefined> {
  const past = new FilePast(files);
  try {
    return await explainFrom(past, files.location, requestId, at);
  } finally {
    past.close();
  }
}

/** The same with earlier states that are open already. */
export async function explainFrom(
  past: Pick<FilePast, 'at'>,
  location: string,
  requestId: string,
  at?: number,
): Promise<Explanation | undefined> {
  const source = new ExplainSource(location);
  try {
    const end = source.endOf(requestId, at === undefined ? undefined : position(at));
    if (!end) return undefined;
    const stateAt = async (decidedAt: Position) => (await past.at({ position: decidedAt })).state;
    return await explainRequest(end, { source, stateAt });
  } finally {
    source.close();
  }
}
