import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import type { ToolCallDelta } from './wire.ts';

type Kind = 'function' | 'custom';

interface Call {
  readonly index: number;
  readonly kind: Kind;
  hasArguments: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = { function_call: 'function', custom_tool_call: 'custom' };

/**
 * The tool calls of one answer. Their arguments come interleaved when there are several, and which call a piece belongs to
 * is said by the position of its item: call ids need not be there, nor differ.
 */
export class ToolCallReader {
  readonly #calls = new Map<unknown, Call>();

  get count(): number {
    return this.#calls.size;
  }

  /** An item appeared; nothing is said of any that is no tool call. */
  begin(event: JsonObject): ToolCallDelta[] {
    const { item } = event;
    const key = keyOf(event);
    const kind = isObject(item) ? KINDS[String(item.type)] : undefined;
    if (!isObject(item) || !kind || this.#calls.has(key)) return [];
    const { call_id: callId, id, name } = item;
    const call: Call = { index: this.#calls.size, kind, hasArguments: false };
    this.#calls.set(key, call);
    const named = { name: typeof name === 'string' ? name : '' };
    return [{ ...piece(call, '', named), id: String(callId ?? id), type: kind }];
  }

  /** A piece of the arguments. One for a call that has not appeared waits for the finished item, which has them all. */
  add(event: JsonObject, text: unknown): ToolCallDelta[] {
    const call = this.#calls.get(keyOf(event));
    if (!call || typeof text !== 'string' || text === '') return [];
    call.hasArguments = true;
    return [piece(call, text)];
  }

  /** The arguments as a whole: told unless their pieces were. */
  complete(event: JsonObject, text: unknown): ToolCallDelta[] {
    return this.#calls.get(keyOf(event))?.hasArguments ? [] : this.add(event, text);
  }

  /** A finished item: whatever of the call was not told before. */
  finish(event: JsonObject): ToolCallDelta[] {
    const { item } = event;
    const begun = this.begin(event);
    if (!isObject(item)) return begun;
    return [...begun, ...this.complete(event, item.type === 'custom_tool_call' ? item.input : item.arguments)];
  }
}

/** Events of an item carry its position, those of some providers only its id. */
const keyOf = ({ output_index: index, item_id: id, item }: JsonObject): unknown =>
  index ?? id ?? (isObject(item) ? item.id : undefined);

const piece = ({ index, kind }: Call, text: string, named: { name?: string } = {}): ToolCallDelta =>
  kind === 'function'
    ? { index, function: { ...named, arguments: text } }
    : { index, custom: { ...named, input: text } };
