import type { Position } from '../../domain/core/brands.ts';
import { emptyFold } from '../../state/fold/fold.ts';
import { foldFile } from '../../state/pages/foldFile.ts';
import { explainRequest } from './explainRequest.ts';
import { ExplainSource } from './explainSource.ts';
import type { Explanation } from './explanation.ts';

/**
 * Explains a request from the log's file alone, which is folded from its beginning.
 * @param location what SQLite opens: a path, or a `file:` URI
 * @returns undefined when the log has no end of the request
 */
export async function explainFromLog(location: string, requestId: string): Promise<Explanation | undefined> {
  const source = new ExplainSource(location);
  try {
    const end = source.endOf(requestId);
    if (!end) return undefined;
    const fold = emptyFold();
    const stateAt = async (position: Position) => {
      await foldFile(fold, location, position);
      return fold.state;
    };
    return await explainRequest(end, { source, stateAt });
  } finally {
    source.close();
  }
}
