import { type ProviderError, providerErrorFrom } from '../providerResponse/failure.ts';
import { parseUsage } from '../providerResponse/parseUsage.ts';
import type { SseEvent } from '../providerResponse/sse.ts';
import { ByteStringMap } from '../requestBody/byteStringMap.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import { toAnnotations, toLogprobs } from './annotationsAndLogprobs.ts';
import { ITEM_ADDED, ITEM_DONE, TEXT_DONE, textsRepeatedBy } from './repeatedTexts.ts';
import { ToolCallReader } from './toolCallReader.ts';
import type { Delta, FinishReason, Logprobs, Usage } from './wire.ts';

/** The part of the message that an event of the provider adds. */
export interface MessageDelta {
  readonly delta: Delta;
  readonly logprobs?: Logprobs | undefined;
}

export type Finish =
  | {
      readonly kind: 'finished';
      readonly reason: FinishReason;
      readonly usage: Usage | undefined;
      readonly serviceTier: string | undefined;
    }
  | { readonly kind: 'failed'; readonly error: ProviderError };

/**
 * Maps the provider's events to deltas of a chat message. The provider sends every text up to four times (as deltas, in
 * full after them, in the finished item, in the terminal event); each is passed on once, from the first event with it.
 */
export class ResponseReader {
  readonly #calls = new ToolCallReader();
  /** Keys of the parts that were passed on already. */
  readonly #sentParts = new Set<string>();
  /** The part that `readText` has read last. */
  #lastOutputIndex = -1;
  #lastContentIndex = -1;
  #lastReasoning: string | undefined;
  #hasContent = false;
  /** Set by the terminal event; later events are ignored. */
  finish: Finish | undefined;

  /** @returns nothing for events that chat clients do not need, and for malformed ones */
  read({ type, data }: Pick<SseEvent, 'type' | 'data'>): readonly MessageDelta[] {
    if (this.finish || type === undefined || !READ_EVENTS.has(type)) return NO_DELTAS;
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return NO_DELTAS;
    }
    if (!isObject(event)) return NO_DELTAS;
    const deltas = this.#deltasOf(type, event);
    this.#hasContent ||= deltas.length > 0;
    return deltas;
  }

  /**
   * Does what `read` does for a piece of text that needs no parsing.
   * @returns whether it belongs to the message
   */
  readText(outputIndex: number, contentIndex: number): boolean {
    if (this.finish) return false;
    if (outputIndex !== this.#lastOutputIndex || contentIndex !== this.#lastContentIndex) {
      this.#sentParts.add(textKey(outputIndex, contentIndex));
      this.#lastOutputIndex = outputIndex;
      this.#lastContentIndex = contentIndex;
    }
    this.#hasContent = true;
    return true;
  }

  /**
   * Whether `read` would return nothing for an event because it only repeats texts that were passed on. If it is no JSON, `read`
   * returns nothing, either.
   */
  hasSent(type: string, { source, dataStart, dataEnd }: EventPayload): boolean {
    if (type !== ITEM_ADDED && type !== TEXT_DONE && type !== ITEM_DONE) return false;
    // The finished item of a call has its arguments, whatever its type is.
    if (this.#calls.count > 0) return false;
    const parts = textsRepeatedBy(type, source, dataStart, dataEnd);
    if (parts === undefined) return false;
    for (let index = 0; index < parts.count; index++) {
      if (!this.#sentParts.has(textKey(parts.outputIndex, parts.contentIndex + index))) return false;
    }
    return true;
  }

  #deltasOf(type: string, event: JsonObject): MessageDelta[] {
    switch (type) {
      case 'response.output_text.delta':
        return this.#textDelta('text', event, event.delta, toLogprobs(event.logprobs));
      case 'response.output_text.done':
        return this.#fullText('text', event, event.text, toLogprobs(event.logprobs));
      case 'response.refusal.delta':
        return this.#textDelta('refusal', event, event.delta);
      case 'response.refusal.done':
        return this.#fullText('refusal', event, event.refusal);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#textDelta('reasoning', event, event.delta);
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_text.done':
        return this.#fullText('reasoning', event, event.text);
      case 'response.output_text.annotation.added':
        return toAnnotations(event.annotation).map((annotation) => ({ delta: { annotations: [annotation] } }));
      case 'response.output_item.added':
        return toMessageDeltas(this.#calls.begin(event));
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return toMessageDeltas(this.#calls.add(event, event.delta));
      case 'response.function_call_arguments.done':
        return toMessageDeltas(this.#calls.complete(event, event.arguments));
      case 'response.custom_tool_call_input.done':
        return toMessageDeltas(this.#calls.complete(event, event.input));
      case 'response.output_item.done':
        return this.#finishedItem(event);
      default:
        return this.#end(type, isObject(event.response) ? event.response : {});
    }
  }

  #textDelta(kind: PartKind, at: JsonObject, text: unknown, logprobs?: Logprobs): MessageDelta[] {
    if (typeof text !== 'string' || text === '') return [];
    const part = partKey(kind, at);
    this.#sentParts.add(part);
    if (kind === 'text') return [{ delta: { content: text }, ...(logprobs && { logprobs }) }];
    if (kind === 'refusal') return [{ delta: { refusal: text } }];
    // The paragraphs of the reasoning are parts, without the blank lines between them.
    const startsParagraph = this.#lastReasoning !== undefined && this.#lastReasoning !== part;
    this.#lastReasoning = part;
    return [{ delta: { reasoning_content: startsParagraph ? `\n\n${text}` : text } }];
  }

  #fullText(kind: PartKind, at: JsonObject, text: unknown, logprobs?: Logprobs): MessageDelta[] {
    return this.#sentParts.has(partKey(kind, at)) ? [] : this.#textDelta(kind, at, text, logprobs);
  }

  /** Reads a finished item; returns only the parts that its deltas did not contain. */
  #finishedItem(event: JsonObject): MessageDelta[] {
    const { item } = event;
    if (!isObject(item)) return [];
    const deltas: MessageDelta[] = [];
    const parts = item.type === 'reasoning' ? item.summary : item.type === 'message' ? item.content : undefined;
    for (const [index, part] of Array.isArray(parts) ? parts.entries() : []) {
      if (!isObject(part)) continue;
      const at = { output_index: event.output_index, item_id: item.id, content_index: index, summary_index: index };
      if (part.type === 'summary_text') deltas.push(...this.#fullText('reasoning', at, part.text));
      else if (part.type === 'output_text') deltas.push(...this.#fullText('text', at, part.text));
      else if (part.type === 'refusal') deltas.push(...this.#fullText('refusal', at, part.refusal));
    }
    return [...deltas, ...toMessageDeltas(this.#calls.finish(event))];
  }

  #end(type: string, response: JsonObject): MessageDelta[] {
    // Positions in the terminal event may differ from those in the stream, so its items are read only if nothing else came.
    const items = this.#hasContent || !Array.isArray(response.output) ? [] : response.output;
    const deltas = items.flatMap((item: unknown, index) => this.#finishedItem({ item, output_index: index }));
    if (type === 'response.failed') {
      this.finish = { kind: 'failed', error: providerErrorFrom(response) };
      return [];
    }
    this.finish = {
      kind: 'finished',
      reason:
        type === 'response.incomplete' ? incompleteReason(response) : this.#calls.count > 0 ? 'tool_calls' : 'stop',
      usage: chatUsage(response.usage),
      serviceTier: typeof response.service_tier === 'string' ? response.service_tier : undefined,
    };
    return deltas;
  }
}

/** Where the payload of an event is. */
interface EventPayload {
  readonly source: Buffer;
  readonly dataStart: number;
  readonly dataEnd: number;
}

const NO_DELTAS: readonly never[] = [];

type PartKind = 'text' | 'refusal' | 'reasoning';

/** Other events are not parsed. After an `error` event the proxy ends the stream itself. */
const READ_EVENTS: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.output_text.done',
  'response.refusal.delta',
  'response.refusal.done',
  'response.reasoning_summary_text.delta',
  'response.reasoning_summary_text.done',
  'response.reasoning_text.delta',
  'response.reasoning_text.done',
  'response.output_text.annotation.added',
  'response.output_item.added',
  'response.output_item.done',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.delta',
  'response.custom_tool_call_input.done',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

const READ_TYPES = new ByteStringMap([...READ_EVENTS].map((type) => [type, type]));

/** @returns the type of an event between two offsets; undefined unless `ResponseReader` reads such events */
export const readTypeAt = (bytes: Buffer, start: number, end: number): string | undefined =>
  READ_TYPES.get(bytes, start, end);

const partKey = (kind: PartKind, at: JsonObject): string =>
  `${kind} ${String(at.output_index ?? at.item_id)} ${String(at.content_index ?? at.summary_index ?? 0)}`;

/** `partKey` of a text at a position. */
const textKey = (outputIndex: number, contentIndex: number): string => `text ${outputIndex} ${contentIndex}`;

const toMessageDeltas = (deltas: NonNullable<Delta['tool_calls']>): MessageDelta[] =>
  deltas.map((call) => ({ delta: { tool_calls: [call] } }));

/** An incomplete response is reported as such even if it contains a tool call: the arguments may be incomplete. */
const incompleteReason = ({ incomplete_details: details }: JsonObject): FinishReason =>
  isObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';

function chatUsage(value: unknown): Usage | undefined {
  const usage = parseUsage(value);
  return (
    usage && {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
      prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
      completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    }
  );
}
