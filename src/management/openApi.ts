import { z } from 'zod';
import type { ErrorCode } from '../domain/errorCodes.ts';
import type { PlacedEndpoint, Surface } from '../http/endpoint.ts';
import { openApi } from '../http/openApi.ts';
import { wireOf } from './answers.ts';
import { newRouter } from './context.ts';
import { documented } from './documented.ts';

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
  refusesAlways: (endpoint) => [
    ...always(endpoint),
    ...(isWrite(endpoint)
      ? ([
          'cross_origin',
          'conflict',
          'log_unavailable',
          ...(isPublic(endpoint) ? [] : (['idempotency_key_reused'] as const)),
        ] as const)
      : []),
    'internal_error',
  ],
  headers: (endpoint) => (isWrite(endpoint) && !isPublic(endpoint) ? { 'Idempotency-Key': IDEMPOTENCY_KEY } : {}),
});

const IDEMPOTENCY_KEY = 'A repeat with the same key writes nothing and answers the present state without secrets.';

function always({ path }: PlacedEndpoint): ErrorCode[] {
  if (path === '/health' || path.startsWith('/api/dashboard-auth/')) return [];
  return [path === '/api/settings' ? 'unauthorized' : 'authentication_required', 'totp_required'];
}
const isWrite = ({ method }: PlacedEndpoint) => method !== 'get';
const isPublic = ({ path }: PlacedEndpoint) => path === '/health' || path.startsWith('/api/dashboard-auth/');
