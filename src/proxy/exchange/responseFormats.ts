import { tokensOfStream, tokensOfText } from '../admission/estimate.ts';
import { type Ending, readEnding, readJsonEnding } from '../providerResponse/ending.ts';
import type { Failure } from '../providerResponse/failure.ts';
import { JsonScanner } from '../providerResponse/jsonScanner.ts';
import { OutputFiller } from '../providerResponse/outputFiller.ts';
import type { SseEvent } from '../providerResponse/sse.ts';
import { type ScanResult, SseScanner } from '../providerResponse/sseScanner.ts';

/** Finds complete events in the chunks of a successful response. @throws EventTooLarge */
export interface ResponseScanner {
  push(chunk: Buffer): ScanResult;
  /** The provider has ended its response. */
  end(): ScanResult;
}

/** The form in which the provider responds to a kind of request. */
export interface ResponseFormat {
  /** The `accept` header of the request, and the content type expected of a 200. */
  readonly accept: string;
  /** The failure of a 200 with another content type. */
  readonly mismatch: Failure;
  newScanner(): ResponseScanner;
  readEnding(terminal: SseEvent): Ending;
  /** Estimates the tokens in this many bytes of a response. */
  tokensIn(bytes: number): number;
}

export interface EventStreamOptions {
  /** Removes `codex.*` events (docs/clients.md#the-openai-sdk-throws-on-unknown-events). */
  readonly dropsVendorEvents: boolean;
  /**
   * For clients that read the output from the terminal event and later refer to its items by id. Codex and chat clients
   * do neither: they send their whole history.
   */
  readonly remembersItems: boolean;
}

/** A stream of server-sent events. */
export const eventStream = ({ dropsVendorEvents, remembersItems }: EventStreamOptions): ResponseFormat => {
  const scanning = { dropsVendorEvents };
  const reading = { needsOutput: remembersItems };
  return {
    accept: 'text/event-stream',
    mismatch: { kind: 'notAStream' },
    newScanner: () => (remembersItems ? new OutputFiller(new SseScanner(scanning)) : new SseScanner(scanning)),
    readEnding: (terminal) => readEnding(terminal, reading),
    tokensIn: tokensOfStream,
  };
};

/** A single JSON object. */
export const jsonObject: ResponseFormat = {
  accept: 'application/json',
  mismatch: { kind: 'notJson' },
  newScanner: () => new JsonScanner(),
  readEnding: ({ data }) => readJsonEnding(data),
  tokensIn: tokensOfText,
};
