import { tokensOfStream, tokensOfText } from '../admission/estimate.ts';
import { type Ending, readEnding, readWholeEnding } from '../providerResponse/ending.ts';
import type { Failure } from '../providerResponse/failure.ts';
import type { SseEvent } from '../providerResponse/sse.ts';
import { type Scanned, SseScanner } from '../providerResponse/sseScanner.ts';
import { WholeScanner } from '../providerResponse/wholeScanner.ts';
import { OutputFiller } from '../relay/outputFiller.ts';

/** Finds in the bytes of a good answer what is complete. @throws EventTooLarge */
export interface ResponseScanner {
  push(chunk: Buffer): Scanned;
  /** The provider has ended its answer. */
  end(): Scanned;
}

/** How the provider answers a request of some kind when it answers it well. */
export interface ResponseFormat {
  /** What it is asked for. */
  readonly accept: string;
  /** A 200 of another type is this failure. */
  readonly otherwise: Failure;
  newScanner(): ResponseScanner;
  readEnding(terminal: SseEvent): Ending;
  /** How many tokens so many bytes of an answer carry. */
  tokensIn(bytes: number): number;
}

export interface EventStreamOptions {
  /** Strict SDKs throw on `codex.*` events (clients.md section 0, row 22). */
  readonly dropsVendorEvents: boolean;
  /**
   * Clients take the answer from its ending, and refer to its items later by id; Codex and chats need no ending that
   * repeats them, and send their whole history.
   */
  readonly remembersItems: boolean;
}

export const eventStream = ({ dropsVendorEvents, remembersItems }: EventStreamOptions): ResponseFormat => {
  const scanning = { dropsVendorEvents };
  const reading = { needsOutput: remembersItems };
  return {
    accept: 'text/event-stream',
    otherwise: { kind: 'notAStream' },
    newScanner: () => (remembersItems ? new OutputFiller(new SseScanner(scanning)) : new SseScanner(scanning)),
    readEnding: (terminal) => readEnding(terminal, reading),
    tokensIn: tokensOfStream,
  };
};

/** One JSON object. */
export const wholeJson: ResponseFormat = {
  accept: 'application/json',
  otherwise: { kind: 'notJson' },
  newScanner: () => new WholeScanner(),
  readEnding: ({ data }) => readWholeEnding(data),
  tokensIn: tokensOfText,
};
