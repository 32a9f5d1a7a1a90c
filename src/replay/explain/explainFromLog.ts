import type { Position } from '../../domain/core/brands.ts';
import { continueTo, firstFoldOf, type LogFiles } from '../logFiles.ts';
import { explainRequest } from './explainRequest.ts';
import { ExplainSource } from './explainSource.ts';
import type { Explanation } from './explanation.ts';

/**
 * Explains a request from the log's file alone, which is folded from its beginning.
 * @returns undefined when the log has no end of the request
 * @throws StateArchived, and what reading the log throws
 */
export async function explainFromLog(files: LogFiles, requestId: string): Promise<Explanation | undefined> {
  const source = new ExplainSource(files.location);
  try {
    const end = source.endOf(requestId);
    if (!end) return undefined;
    const fold = firstFoldOf(files);
    const stateAt = async (position: Position) => {
      await continueTo(fold, files, position);
      return fold.state;
    };
    return await explainRequest(end, { source, stateAt });
  } finally {
    source.close();
  }
}
