import { eventsOf } from '../providerResponse/sse.ts';
import type { ChunkHead } from './chunkWriter.ts';
import { ResponseReader } from './responseReader.ts';
import type { Annotation, ChatCompletion, Delta, Logprobs, ToolCall, ToolCallDelta } from './wire.ts';

type Message = ChatCompletion['choices'][number]['message'];

/** Builds the single object that a client gets without `stream`. Does not keep the events. */
export class ChatCompletionBuilder {
  readonly #head: ChunkHead;
  readonly #reader = new ResponseReader();
  /** A text is undefined until its first piece arrives. */
  readonly #texts: { content?: string; refusal?: string; reasoning_content?: string } = {};
  readonly #annotations: Annotation[] = [];
  readonly #toolCalls: ToolCall[] = [];
  readonly #logprobs: Logprobs['content'] = [];
  /** Characters collected so far: of texts, and of the events with annotations and log probabilities. */
  size = 0;

  constructor(head: ChunkHead) {
    this.#head = head;
  }

  /** @param events complete events of the provider */
  add(events: Buffer): void {
    for (const event of eventsOf(events)) {
      for (const { delta, logprobs } of this.#reader.read(event)) {
        this.#addTexts(delta);
        for (const call of delta.tool_calls ?? []) this.#addToCall(call);
        this.#annotations.push(...(delta.annotations ?? []));
        this.#logprobs.push(...(logprobs?.content ?? []));
        if (delta.annotations || logprobs) this.size += event.data.length;
      }
    }
  }

  /** The object for the client; complete once all events were added. */
  get body(): ChatCompletion {
    const { finish } = this.#reader;
    const end = finish?.kind === 'finished' ? finish : undefined;
    const logprobs = this.#logprobs.length === 0 ? null : { content: this.#logprobs, refusal: null };
    return {
      id: this.#head.id,
      object: 'chat.completion',
      created: this.#head.created,
      model: this.#head.model,
      ...(end?.serviceTier !== undefined && { service_tier: end.serviceTier }),
      choices: [{ index: 0, message: this.#message(), logprobs, finish_reason: end?.reason ?? 'stop' }],
      ...(end?.usage && { usage: end.usage }),
    };
  }

  #message(): Message {
    const { content, refusal = null, reasoning_content } = this.#texts;
    const hasOtherContent = refusal !== null || this.#toolCalls.length > 0;
    return {
      role: 'assistant',
      content: content ?? (hasOtherContent ? null : ''),
      refusal,
      ...(reasoning_content !== undefined && { reasoning_content }),
      annotations: this.#annotations,
      ...(this.#toolCalls.length > 0 && { tool_calls: this.#toolCalls }),
    };
  }

  #addTexts(delta: Delta): void {
    for (const field of ['content', 'refusal', 'reasoning_content'] as const) {
      const piece = delta[field];
      if (piece === undefined) continue;
      this.#texts[field] = (this.#texts[field] ?? '') + piece;
      this.size += piece.length;
    }
  }

  #addToCall({ index, id = '', type, function: fn, custom }: ToolCallDelta): void {
    if (type === 'function') this.#toolCalls[index] = { id, type, function: { name: fn?.name ?? '', arguments: '' } };
    else if (type === 'custom') this.#toolCalls[index] = { id, type, custom: { name: custom?.name ?? '', input: '' } };
    const call = this.#toolCalls[index];
    if (call?.type === 'function') call.function.arguments += fn?.arguments ?? '';
    else if (call) call.custom.input += custom?.input ?? '';
    this.size += (fn?.arguments ?? custom?.input ?? '').length;
  }
}
