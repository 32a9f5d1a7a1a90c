import type { z } from 'zod';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import type { Role } from '../../domain/operator/role.ts';

/** The roles that may use a route; at least one. */
export type RoleSet = readonly [Role, ...Role[]];
/** Whether a GET can show what it returned at an earlier moment (`?at=`), or why it cannot. `none`: the end of a sentence "has no past: ...". */
export type PastOfRoute = 'past' | { readonly none: string };

/** The requests and responses of a route, as zod schemas. `openApi` generates the OpenAPI document from them. */
export interface Endpoint {
  /** One sentence. */
  readonly summary: string;
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** Another program makes the query, with parameters of its own: those that are not declared are not refused. */
  readonly isQueryOpen?: boolean;
  /** A JSON body. */
  readonly body?: z.ZodType;
  /** Fields of multipart/form-data. */
  readonly form?: z.ZodType;
  /**
   * The JSON of a response with `status`. `noContent`: status 204. `stream`: no JSON, see the next field. `text` and `bytes`:
   * text/plain and application/octet-stream. `redirect`: status 302 to another page, for navigations of a browser.
   */
  readonly response: z.ZodType | 'noContent' | 'stream' | 'text' | 'bytes' | 'redirect';
  /** 202: the work has begun and goes on. Default 200. */
  readonly status?: 200 | 202;
  /** Its id in the OpenAPI document, where the one that follows from method and path is taken. */
  readonly operationId?: string;
  /** A response with another status that is no error of the catalogue. */
  readonly otherResponse?: { readonly status: number; readonly body: z.ZodType };
  /** Each event of a text/event-stream, if the response can be one. */
  readonly stream?: z.ZodType;
  /** In addition to the errors that all routes of the surface share. */
  readonly errors?: readonly ErrorCode[];
  /** Whether an API key can stand in for a session. */
  readonly acceptsApiKey?: boolean;
  /** Who may use it. Required of routes of management (`describeRoute`). */
  readonly roles?: RoleSet;
  /** It cannot be undone: a session must have signed in within 10 minutes, and a token needs the scope. */
  readonly isIrreversible?: boolean;
  /** Whether a GET returns what opens something, for example a code of a sign-in: such a response is never compressed. */
  readonly carriesSecret?: boolean;
  /** Required of every GET of management (`describeRoute`). */
  readonly at?: PastOfRoute;
}

/** An endpoint with its method and path. */
export interface PlacedEndpoint extends Endpoint {
  readonly method: string;
  /** With parameters in braces, e.g. `/api/api-keys/{id}`. */
  readonly path: string;
  readonly tag: string;
}

/** The endpoints of the proxy or of management, and what they have in common. */
export interface Surface {
  readonly endpoints: readonly PlacedEndpoint[];
  readonly security: 'session' | 'apiKey';
  /** Errors that an endpoint can respond with besides its own. */
  readonly commonErrors: (endpoint: PlacedEndpoint) => readonly ErrorCode[];
  /** The body of error responses. */
  readonly error: z.ZodType;
  /** @returns status and code of an error as sent to clients of this surface */
  readonly toWire: (code: ErrorCode) => { readonly status: number; readonly code: string };
  /** Optional request headers and their descriptions. */
  readonly headers?: (endpoint: PlacedEndpoint) => Readonly<Record<string, string>>;
  /** Whether the endpoint needs no authentication. */
  readonly isPublic?: (endpoint: PlacedEndpoint) => boolean;
}
