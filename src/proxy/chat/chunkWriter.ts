import type { ProxyErrorBody } from '../errors/proxyError.ts';
import type { Finish, MessageDelta } from './responseReader.ts';
import type { ChatCompletionChunk } from './wire.ts';

/** The fields that all chunks of a response have in common, and its one object without `stream`. */
export interface ChunkHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** As requested by the client. */
  readonly model: string;
}

type Choice = ChatCompletionChunk['choices'][number];

/** The last line of every complete stream. */
export const DONE = 'data: [DONE]\n\n';

const AFTER_TEXT = '},"finish_reason":null}]}\n\n';

/** Joins texts into one that V8 copies at once. What `+` gives is joined only when it is read, by a walk over its parts. */
const flat = (...parts: readonly string[]): string => parts.join('');

/** Serializes the chunks of one response. */
export class ChunkWriter {
  readonly #includesUsage: boolean;
  /** What all chunks begin with. */
  readonly #start: string;
  /** What precedes the text in each chunk that has nothing else. */
  readonly #beforeText: string;
  #hasRole = false;

  /** @param options.includesUsage `stream_options.include_usage`: adds a chunk for the usage, and null to all others */
  constructor({ id, created, model }: ChunkHead, { includesUsage }: { includesUsage: boolean }) {
    this.#includesUsage = includesUsage;
    this.#start = flat(
      'data: {"id":',
      JSON.stringify(id),
      ',"object":"chat.completion.chunk","created":',
      String(created),
      ',"model":',
      JSON.stringify(model),
    );
    this.#beforeText = flat(this.#start, this.#noUsage, ',"choices":[{"index":0,"delta":{"content":');
  }

  get #noUsage(): string {
    return this.#includesUsage ? ',"usage":null' : '';
  }

  /** Serializes a chunk for a delta. The first chunk also contains the role. */
  delta({ delta, logprobs }: MessageDelta): string {
    const role = this.#hasRole ? {} : ({ role: 'assistant' } as const);
    this.#hasRole = true;
    const choice: Choice = {
      index: 0,
      delta: { ...role, ...delta },
      ...(logprobs && { logprobs }),
      finish_reason: null,
    };
    return this.#choice('', choice);
  }

  /** The same as `delta` for pieces of text that are JSON already: strings with their quotes, at least one. */
  texts(pieces: readonly string[]): string {
    if (this.#hasRole) return flat(this.#beforeText, pieces.join(flat(AFTER_TEXT, this.#beforeText)), AFTER_TEXT);
    const [first = '', ...others] = pieces;
    this.#hasRole = true;
    const { length } = '"content":';
    const chunk = `${this.#beforeText.slice(0, -length)}"role":"assistant","content":${first}${AFTER_TEXT}`;
    return others.length === 0 ? chunk : chunk + this.texts(others);
  }

  /** Serializes the end of the stream: finish reason, usage if requested, and `[DONE]`. */
  finish({ reason, usage, serviceTier }: Extract<Finish, { kind: 'finished' }>): string {
    const tier = serviceTier === undefined ? '' : `,"service_tier":${JSON.stringify(serviceTier)}`;
    const empty = this.#hasRole ? '' : this.delta({ delta: { content: '' } });
    const end = this.#choice(tier, { index: 0, delta: {}, finish_reason: reason });
    // Without usage from the provider there is no such chunk: zeros would be wrong.
    const used =
      this.#includesUsage && usage ? `${this.#start},"usage":${JSON.stringify(usage)}${tier},"choices":[]}\n\n` : '';
    return empty + end + used + DONE;
  }

  #choice(tier: string, choice: Choice): string {
    return `${this.#start}${this.#noUsage}${tier},"choices":[${JSON.stringify(choice)}]}\n\n`;
  }
}

/** Serializes an error in a stream that has begun (docs/clients.md#chat-clients-understand-an-error-chunk). */
export const errorChunk = ({ error }: ProxyErrorBody): string => `data: ${JSON.stringify({ error })}\n\n${DONE}`;
