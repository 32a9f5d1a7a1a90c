import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import type { ToolCallDelta } from './wire.ts';

type Kind = 'function' | 'custom';

interface ToolCallProgress {
  readonly index: number;
  readonly kind: Kind;
  hasArguments: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = { function_call: 'function', custom_tool_call: 'custom' };

/**
 * Reads the tool calls of one response. The arguments of several calls may be interleaved. Pieces are assigned to calls by
 * the position of the item, because call ids may be missing or repeated.
 */
export class ToolCallReader {
  readonly #calls = new Map<unknown, ToolCallProgress>();

  get count(): number {
    return this.#calls.size;
  }

  /** Reads a new item; ignored unless it is a tool call. */
  begin(event: JsonObject): ToolCallDelta[] {
    const { item } = event;
    const key = keyOf(event);
    const kind = isObject(item) ? KINDS[String(item.type)] : undefined;
    if (!isObject(item) || !kind || this.#calls.has(key)) return [];
    const { call_id: callId, id, name } = item;
    const call: ToolCallProgress = { index: this.#calls.size, kind, hasArguments: false };
    this.#calls.set(key, call);
    const named = { name: typeof name === 'string' ? name : '' };
    return [{ ...piece(call, '', named), id: String(callId ?? id), type: kind }];
  }

  /** Reads a piece of the arguments; ignored if its call has not begun: the finished item contains all pieces. */
  add(event: JsonObject, text: unknown): ToolCallDelta[] {
    const call = this.#calls.get(keyOf(event));
    if (!call || typeof text !== 'string' || text === '') return [];
    call.hasArguments = true;
    return [piece(call, text)];
  }

  /** Reads the complete arguments; ignored if their pieces were passed on. */
  complete(event: JsonObject, text: unknown): ToolCallDelta[] {
    return this.#calls.get(keyOf(event))?.hasArguments ? [] : this.add(event, text);
  }

  /** Reads a finished item; returns only the parts that were not passed on before. */
  finish(event: JsonObject): ToolCallDelta[] {
    const { item } = event;
    const first = this.begin(event);
    if (!isObject(item)) return first;
    return [...first, ...this.complete(event, item.type === 'custom_tool_call' ? item.input : item.arguments)];
  }
}

/** Events contain the position of their item, or only its id. */
const keyOf = ({ output_index: index, item_id: id, item }: JsonObject): unknown =>
  index ?? id ?? (isObject(item) ? item.id : undefined);

const piece = ({ index, kind }: ToolCallProgress, text: string, named: { name?: string } = {}): ToolCallDelta =>
  kind === 'function'
    ? { index, function: { ...named, arguments: text } }
    : { index, custom: { ...named, input: text } };
