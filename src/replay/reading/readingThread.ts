import type { Position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import type { FilePastOptions } from '../../state/past/filePast.ts';
import type { Derivation } from '../blame/blameEvents.ts';
import type { Explanation } from '../explain/explanation.ts';

/** A part of the log that an explanation depends on is archived. */
export interface ArchivedPart {
  readonly position: number;
  readonly day: string;
  readonly file: string;
}

export interface Explained {
  /** Undefined when the log has no such request at the position. */
  readonly explanation: Explanation | undefined;
  readonly archived?: ArchivedPart;
}

/** The messages between a service and the thread that reads earlier states of its log. */
export interface ReadingThread {
  options: FilePastOptions;
  requests: {
    explain(request: { readonly requestId: string; readonly position: number }): Explained;
    blamePage(page: {
      readonly stream: string;
      readonly fromRevision: number;
      readonly upTo: Position;
    }): readonly StoredEvent[];
    blameLast(last: {
      readonly derivation: Derivation;
      readonly id: string;
      readonly upTo: Position;
    }): StoredEvent | undefined;
  };
}
