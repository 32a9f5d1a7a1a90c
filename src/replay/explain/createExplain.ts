import { type Position, position } from '../../domain/core/brands.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { explainRequest } from './explainRequest.ts';
import { ExplainSource } from './explainSource.ts';
import type { Explanation } from './explanation.ts';

export interface CreateExplainOptions {
  /** The log's file. */
  readonly logPath: string;
  /** Resolves with the state at a position. */
  readonly stateAt: (position: Position) => Promise<HotState>;
}

/** @returns a function that explains the request whose end is at a position; it resolves with undefined when it is not there */
export const createExplain =
  ({ logPath, stateAt }: CreateExplainOptions) =>
  async (requestId: string, at: number): Promise<Explanation | undefined> => {
    const source = new ExplainSource(logPath);
    try {
      const end = source.endOf(requestId, position(at));
      return end && (await explainRequest(end, { source, stateAt }));
    } finally {
      source.close();
    }
  };
