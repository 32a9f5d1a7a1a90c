import { completedRequestVersions, RequestCompleted, RequestRefused } from '../domain/request/events.ts';
import { createFieldReader } from '../eventLog/storedJson/fieldReader.ts';
import { jsonShapeOf } from '../eventLog/storedJson/jsonShape.ts';

/** What an event about a request says about the log. */
export interface RequestFacts {
  /** Undefined for an event that does not end the request. */
  readonly endedId: string | undefined;
  readonly keyId: string | undefined;
  readonly accountId: string | undefined;
  /** The last position that a decision was based on; 0 when there was none. */
  readonly decidedAt: number;
}

/** Types of events with which a request ends: writers append one of them for each request. */
const ENDS: ReadonlySet<string> = new Set([RequestCompleted.type, RequestRefused.type]);

/** Whether a request ends with an event of this type. */
export const isRequestEnd = (type: string): boolean => ENDS.has(type);

const captures = ['requestId', 'keyId', 'accountId'] as const;
const readers: Readonly<Record<number, ReturnType<typeof createFieldReader> | undefined>> = Object.fromEntries(
  Object.entries(completedRequestVersions).map(([version, schema]) => [
    version,
    createFieldReader(jsonShapeOf(schema), { captures }),
  ]),
);

const DECIDED_AT = '"decidedAt":';

/**
 * Reads a completed request without parsing it. What it accepts is spelled as svc writes it: a match has every field at its
 * place, without escapes, white space and repeated names.
 * @returns undefined when the JSON has to be parsed
 */
export function readCompleted(type: string, version: number, json: string): RequestFacts | undefined {
  if (type !== RequestCompleted.type) return undefined;
  const parts = readers[version]?.(json);
  if (!parts) return undefined;
  const at = json.lastIndexOf(DECIDED_AT);
  return {
    endedId: parts[1],
    keyId: parts[2],
    accountId: parts[3],
    decidedAt: at < 0 ? 0 : naturalAt(json, at + DECIDED_AT.length),
  };
}

/** The number whose digits begin at this place; several times as fast as parsing a slice. */
function naturalAt(json: string, start: number): number {
  let value = 0;
  for (let at = start; ; at += 1) {
    const digit = json.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return value;
    value = value * 10 + digit;
  }
}

interface RequestData {
  readonly requestId?: unknown;
  readonly keyId?: unknown;
  readonly accountId?: unknown;
  readonly admission?: { readonly decidedAt?: unknown };
  readonly attempts?: unknown;
}

/** The same from parsed data, of any event about a request. */
export function requestFacts(type: string, data: unknown): RequestFacts {
  const { requestId, keyId, accountId, admission, attempts } = (data ?? {}) as RequestData;
  const bases = [admission, ...(Array.isArray(attempts) ? attempts : [])] as RequestData['admission'][];
  return {
    endedId: isRequestEnd(type) ? textOf(requestId) : undefined,
    keyId: textOf(keyId),
    accountId: textOf(accountId),
    decidedAt: Math.max(0, ...bases.map((basis) => (typeof basis?.decidedAt === 'number' ? basis.decidedAt : 0))),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
