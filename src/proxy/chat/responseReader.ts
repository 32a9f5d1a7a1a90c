import { type ProviderError, providerErrorFrom } from '../providerResponse/failure.ts';
import { parseUsage } from '../providerResponse/parseUsage.ts';
import type { SseEvent } from '../providerResponse/sse.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import { annotationFrom, logprobsFrom } from './annotationsAndLogprobs.ts';
import { ToolCallReader } from './toolCallReader.ts';
import type { Delta, FinishReason, Logprobs, Usage } from './wire.ts';

/** What an event adds to the message. */
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
 * Reads the events of an answer as what a chat client is told of it. The provider says everything up to four times (as
 * deltas, whole at their end, in the finished item, in the ending): each piece is told once, from whichever comes first.
 */
export class ResponseReader {
  readonly #calls = new ToolCallReader();
  /** Parts of items that were told already. */
  readonly #told = new Set<string>();
  #lastReasoning: string | undefined;
  #hasSaid = false;
  /** Set by the event that ends the answer; what follows it is not read. */
  finish: Finish | undefined;

  /** Events that are no business of a chat client, and those that cannot be read, say nothing. */
  read({ type, data }: Pick<SseEvent, 'type' | 'data'>): readonly MessageDelta[] {
    if (this.finish || type === undefined || !READ.has(type)) return [];
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return [];
    }
    if (!isObject(event)) return [];
    const said = this.#said(type, event);
    this.#hasSaid ||= said.length > 0;
    return said;
  }

  #said(type: string, event: JsonObject): MessageDelta[] {
    switch (type) {
      case 'response.output_text.delta':
        return this.#piece('text', event, event.delta, logprobsFrom(event.logprobs));
      case 'response.output_text.done':
        return this.#whole('text', event, event.text, logprobsFrom(event.logprobs));
      case 'response.refusal.delta':
        return this.#piece('refusal', event, event.delta);
      case 'response.refusal.done':
        return this.#whole('refusal', event, event.refusal);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#piece('reasoning', event, event.delta);
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_text.done':
        return this.#whole('reasoning', event, event.text);
      case 'response.output_text.annotation.added':
        return annotationFrom(event.annotation).map((annotation) => ({ delta: { annotations: [annotation] } }));
      case 'response.output_item.added':
        return calls(this.#calls.begin(event));
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return calls(this.#calls.add(event, event.delta));
      case 'response.function_call_arguments.done':
        return calls(this.#calls.complete(event, event.arguments));
      case 'response.custom_tool_call_input.done':
        return calls(this.#calls.complete(event, event.input));
      case 'response.output_item.done':
        return this.#item(event);
      default:
        return this.#end(type, isObject(event.response) ? event.response : {});
    }
  }

  #piece(kind: PartKind, at: JsonObject, text: unknown, logprobs?: Logprobs): MessageDelta[] {
    if (typeof text !== 'string' || text === '') return [];
    const part = partOf(kind, at);
    this.#told.add(part);
    if (kind === 'text') return [{ delta: { content: text }, ...(logprobs && { logprobs }) }];
    if (kind === 'refusal') return [{ delta: { refusal: text } }];
    // Paragraphs of the reasoning come as parts, without the space between them.
    const isNext = this.#lastReasoning !== undefined && this.#lastReasoning !== part;
    this.#lastReasoning = part;
    return [{ delta: { reasoning_content: isNext ? `\n\n${text}` : text } }];
  }

  #whole(kind: PartKind, at: JsonObject, text: unknown, logprobs?: Logprobs): MessageDelta[] {
    return this.#told.has(partOf(kind, at)) ? [] : this.#piece(kind, at, text, logprobs);
  }

  /** A finished item: whatever of it was not told while it was made. */
  #item(event: JsonObject): MessageDelta[] {
    const { item } = event;
    if (!isObject(item)) return [];
    const said: MessageDelta[] = [];
    const parts = item.type === 'reasoning' ? item.summary : item.type === 'message' ? item.content : undefined;
    for (const [index, part] of Array.isArray(parts) ? parts.entries() : []) {
      if (!isObject(part)) continue;
      const at = { output_index: event.output_index, item_id: item.id, content_index: index, summary_index: index };
      if (part.type === 'summary_text') said.push(...this.#whole('reasoning', at, part.text));
      else if (part.type === 'output_text') said.push(...this.#whole('text', at, part.text));
      else if (part.type === 'refusal') said.push(...this.#whole('refusal', at, part.refusal));
    }
    return [...said, ...calls(this.#calls.finish(event))];
  }

  #end(type: string, response: JsonObject): MessageDelta[] {
    // Positions in the ending need not be those of the stream, so it is read only when it is all that came.
    const items = this.#hasSaid || !Array.isArray(response.output) ? [] : response.output;
    const said = items.flatMap((item: unknown, index) => this.#item({ item, output_index: index }));
    if (type === 'response.failed') {
      this.finish = { kind: 'failed', error: providerErrorFrom(response) };
      return [];
    }
    this.finish = {
      kind: 'finished',
      reason: type === 'response.incomplete' ? reasonOf(response) : this.#calls.count > 0 ? 'tool_calls' : 'stop',
      usage: chatUsage(response.usage),
      serviceTier: typeof response.service_tier === 'string' ? response.service_tier : undefined,
    };
    return said;
  }
}

type PartKind = 'text' | 'refusal' | 'reasoning';

/** Everything else is neither parsed nor told. An `error` event is followed by an ending of ours. */
const READ: ReadonlySet<string> = new Set([
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

const partOf = (kind: PartKind, at: JsonObject): string =>
  `${kind} ${String(at.output_index ?? at.item_id)} ${String(at.content_index ?? at.summary_index ?? 0)}`;

const calls = (deltas: NonNullable<Delta['tool_calls']>): MessageDelta[] =>
  deltas.map((call) => ({ delta: { tool_calls: [call] } }));

/** An answer that was cut short says so, even if it called a tool: the arguments may be half. */
const reasonOf = ({ incomplete_details: details }: JsonObject): FinishReason =>
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
