import { z } from 'zod';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import type { PlacedEndpoint, Surface } from '../../http/openApi/endpoint.ts';
import { openApi } from '../../http/openApi/openApi.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';
import { wireOf } from '../http/respond.ts';

const ManagementError = z
  .object({ error: z.object({ code: z.string(), message: z.string() }) })
  .meta({ id: 'ManagementError' });

const OpenApiDocument = z.looseObject({ openapi: z.literal('3.1.0'), paths: z.record(z.string(), z.unknown()) });

/** The document of everything that this build answers, made when it is first asked for. */
export const openApiRoutes = (endpoints: () => readonly PlacedEndpoint[], others: readonly Surface[]) => {
  let document: unknown;
  return newRouter('/api')
    .get('/openapi.json', documented({ summary: 'This document', answer: OpenApiDocument }), () => {
      document ??= openApi([managementSurface(endpoints()), ...others]);
      return document;
    })
    .routes();
};

const managementSurface = (endpoints: readonly PlacedEndpoint[]): Surface => ({
  endpoints,
  security: 'session',
  error: ManagementError,
  wireOf,
  isPublic,
  refusesAlways,
  headers: (endpoint) => (takesIdempotencyKey(endpoint) ? { 'Idempotency-Key': IDEMPOTENCY_KEY } : {}),
});

const IDEMPOTENCY_KEY = 'A repeat with the same key writes nothing and answers the present state without secrets.';

function refusesAlways(endpoint: PlacedEndpoint): ErrorCode[] {
  const isSettings = endpoint.path === '/api/settings';
  return [
    ...only(!isPublic(endpoint), isSettings ? 'unauthorized' : 'authentication_required', 'totp_required'),
    ...only(isWrite(endpoint), 'cross_origin', 'conflict', 'log_unavailable'),
    ...only(takesIdempotencyKey(endpoint), 'idempotency_key_reused'),
    ...only(takesIdempotencyKey(endpoint) || endpoint.query !== undefined, 'validation_error'),
    'internal_error',
  ];
}

const only = (applies: boolean, ...codes: readonly ErrorCode[]) => (applies ? codes : []);
const isWrite = ({ method }: PlacedEndpoint) => method !== 'get';
const isPublic = ({ path }: PlacedEndpoint) => path === '/health' || path.startsWith('/api/dashboard-auth/');
const takesIdempotencyKey = (endpoint: PlacedEndpoint) => isWrite(endpoint) && !isPublic(endpoint);
