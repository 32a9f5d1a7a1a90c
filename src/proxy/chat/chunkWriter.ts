import type { ProxyErrorBody } from '../errors/proxyError.ts';
import type { Finish, MessageDelta } from './responseReader.ts';
import type { ChatCompletionChunk } from './wire.ts';

/** What all chunks of an answer, or its one object, have in common. */
export interface ChunkHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** As the client asked for it. */
  readonly model: string;
}

/** The last line of every stream that was told to its end. */
export const DONE = 'data: [DONE]\n\n';

/** Writes the chunks of one answer. */
export class ChunkWriter {
  readonly #head: ChunkHead;
  readonly #includesUsage: boolean;
  #hasRole = false;

  /** @param options.includesUsage `stream_options.include_usage`: a chunk of its own for it, null in all the others */
  constructor(head: ChunkHead, options: { includesUsage: boolean }) {
    this.#head = head;
    this.#includesUsage = options.includesUsage;
  }

  /** The role comes with the first of them. */
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

  finish({ reason, usage, serviceTier }: Extract<Finish, { kind: 'finished' }>): string {
    const tier = serviceTier === undefined ? {} : { service_tier: serviceTier };
    const nothing = this.#hasRole ? '' : this.delta({ delta: { content: '' } });
    const end = this.#chunk({ ...tier, choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    // A provider that did not say has no usage to tell, and a zero would be a lie.
    const used = this.#includesUsage && usage ? this.#chunk({ ...tier, choices: [], usage }) : '';
    return nothing + end + used + DONE;
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

/** The one ending that chat clients understand after the first chunk (clients.md section 2). */
export const errorChunk = ({ error }: ProxyErrorBody): string => `data: ${JSON.stringify({ error })}\n\n${DONE}`;
