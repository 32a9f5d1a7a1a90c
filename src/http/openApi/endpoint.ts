import type { z } from 'zod';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';

/** What clients of a route may send and get, in the zod schemas that validate it: the OpenAPI document is made from it. */
export interface Endpoint {
  /** One sentence. */
  readonly summary: string;
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** JSON. */
  readonly body?: z.ZodType;
  /** Fields of multipart/form-data. */
  readonly form?: z.ZodType;
  /** The JSON of a 200; `noContent` is a 204, `stream` has no JSON. */
  readonly answer: z.ZodType | 'noContent' | 'stream';
  /** What may come instead of JSON: each event of a text/event-stream. */
  readonly stream?: z.ZodType;
  /** Beyond what every route of the surface may refuse with. */
  readonly refuses?: readonly ErrorCode[];
}

/** An endpoint at its place. */
export interface PlacedEndpoint extends Endpoint {
  readonly method: string;
  /** With parameters in braces, e.g. `/api/api-keys/{id}`. */
  readonly path: string;
  readonly tag: string;
}

/** What all endpoints of one surface have in common. */
export interface Surface {
  readonly endpoints: readonly PlacedEndpoint[];
  readonly security: 'session' | 'apiKey';
  readonly refusesAlways: (endpoint: PlacedEndpoint) => readonly ErrorCode[];
  readonly error: z.ZodType;
  /** Status and code of a refusal as clients of this surface see it. */
  readonly wireOf: (code: ErrorCode) => { readonly status: number; readonly code: string };
  /** Names of headers that a request may carry, with what they do. */
  readonly headers?: (endpoint: PlacedEndpoint) => Readonly<Record<string, string>>;
  readonly isPublic?: (endpoint: PlacedEndpoint) => boolean;
}
