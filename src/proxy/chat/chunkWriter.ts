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

/** The last line of every complete stream. */
export const DONE = 'data: [DONE]\n\n';

/** Serializes the chunks of one response. */
export class ChunkWriter {
  readonly #head: ChunkHead;
  readonly #includesUsage: boolean;
  /** What precedes the delta in each of its chunks. */
  readonly #beforeDelta: string;
  #hasRole = false;

  /** @param options.includesUsage `stream_options.include_usage`: adds a chunk for the usage, and null to all others */
  constructor(head: ChunkHead, options: { includesUsage: boolean }) {
    this.#head = head;
    this.#includesUsage = options.includesUsage;
    const { id, created, model } = head;
    this.#beforeDelta =
      `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},` +
      `"model":${JSON.stringify(model)},${options.includesUsage ? '"usage":null,' : ''}"choices":[{"index":0,"delta":{`;
  }

  /** Serializes a chunk for a delta. The first chunk also contains the role. */
  delta({ delta, logprobs }: MessageDelta): string {
    const role = this.#hasRole ? {} : ({ role: 'assistant' } as const);
    this.#hasRole = true;
    const choice = {
      index: 0,
      delta: { ...role, ...delta },
      ...(logprobs && { logprobs }),
      finish_reason: null,
    } as const;
    return this.#chunk({ choices: [choice] });
  }

  /** The same as `delta` for a piece of text that is JSON already. @param json the string with its quotes */
  text(json: string): string {
    const role = this.#hasRole ? '' : '"role":"assistant",';
    this.#hasRole = true;
    return `${this.#beforeDelta}${role}"content":${json}},"finish_reason":null}]}\n\n`;
  }

  /** Serializes the end of the stream: finish reason, usage if requested, and `[DONE]`. */
  finish({ reason, usage, serviceTier }: Extract<Finish, { kind: 'finished' }>): string {
    const tier = serviceTier === undefined ? {} : { service_tier: serviceTier };
    const empty = this.#hasRole ? '' : this.delta({ delta: { content: '' } });
    const end = this.#chunk({ ...tier, choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    // Without usage from the provider there is no such chunk: zeros would be wrong.
    const used = this.#includesUsage && usage ? this.#chunk({ ...tier, choices: [], usage }) : '';
    return empty + end + used + DONE;
  }

  #chunk(fields: Pick<ChatCompletionChunk, 'choices' | 'usage' | 'service_tier'>): string {
    const chunk: ChatCompletionChunk = {
      id: this.#head.id,
      object: 'chat.completion.chunk',
      created: this.#head.created,
      model: this.#head.model,
      ...(this.#includesUsage && { usage: null }),
      ...fields,
    };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}

/** Serializes an error in a stream that has begun (docs/clients.md#chat-clients-understand-an-error-chunk). */
export const errorChunk = ({ error }: ProxyErrorBody): string => `data: ${JSON.stringify({ error })}\n\n${DONE}`;
