import { z } from 'zod';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import type { PlacedEndpoint, Surface } from '../../http/openApi/endpoint.ts';
import { openApi } from '../../http/openApi/openApi.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { toWireError } from '../http/respond.ts';
import { EVERYONE } from '../http/roles.ts';

const OpenApiDocument = z.looseObject({ openapi: z.literal('3.1.0'), paths: z.record(z.string(), z.unknown()) });

const ManagementError = z
  .object({ error: z.object({ code: z.string(), message: z.string() }) })
  .meta({ id: 'ManagementError' });

const routes = {
  get: describeRoute({
    roles: EVERYONE,
    at: { none: 'it describes the version of svc that is running' },
    summary: 'Get the OpenAPI document of this service',
    response: OpenApiDocument,
  }),
};

interface OpenApiOptions {
  /** Lists the endpoints of management. Called after all routes are mounted. */
  readonly endpoints: () => readonly PlacedEndpoint[];
  /** The other surfaces that the document describes. */
  readonly otherSurfaces: readonly Surface[];
}

/** The OpenAPI document of all surfaces, built at the first request. */
export const openApiRoutes = ({ endpoints, otherSurfaces }: OpenApiOptions) => {
  let document: unknown;
  return newRouter('/api')
    .get('/openapi.json', routes.get, () => {
      document ??= openApi([managementSurface(endpoints()), ...otherSurfaces]);
      return document;
    })
    .routes();
};

const managementSurface = (endpoints: readonly PlacedEndpoint[]): Surface => ({
  endpoints,
  security: 'session',
  error: ManagementError,
  toWire: toWireError,
  isPublic,
  commonErrors,
  headers: (endpoint) => (takesIdempotencyKey(endpoint) ? { 'Idempotency-Key': IDEMPOTENCY_KEY } : {}),
});

const IDEMPOTENCY_KEY =
  'A repeated request with the same key changes nothing and returns the current state without secrets.';

/** Errors that do not depend on the route itself. */
function commonErrors(endpoint: PlacedEndpoint): ErrorCode[] {
  const isSettings = endpoint.path === '/api/settings';
  return [
    ...codesIf(
      !isPublic(endpoint),
      isSettings ? 'unauthorized' : 'authentication_required',
      'totp_required',
      'insufficient_permissions',
    ),
    // Of a management token that is unknown.
    ...codesIf(!isPublic(endpoint), 'rate_limit_exceeded'),
    ...codesIf(endpoint.isIrreversible === true, 'reauthentication_required', 'scope_required'),
    ...codesIf(isWrite(endpoint), 'cross_origin', 'conflict', 'change_refused', 'log_unavailable', 'sink_unavailable'),
    ...codesIf(takesIdempotencyKey(endpoint), 'idempotency_key_reused'),
    // Of its query.
    'validation_error',
    ...codesIf(endpoint.at === 'past', 'archived'),
    'internal_error',
  ];
}

const codesIf = (condition: boolean, ...codes: readonly ErrorCode[]) => (condition ? codes : []);
const isWrite = ({ method }: PlacedEndpoint) => method !== 'get';
const PROBES: ReadonlySet<string> = new Set(['/health', '/live', '/ready']);
const isPublic = ({ path }: PlacedEndpoint) => PROBES.has(path) || path.startsWith('/api/dashboard-auth/');
const takesIdempotencyKey = (endpoint: PlacedEndpoint) => isWrite(endpoint) && !isPublic(endpoint);
