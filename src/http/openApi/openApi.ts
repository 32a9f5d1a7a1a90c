import { z } from 'zod';
import type { PlacedEndpoint, Surface } from './endpoint.ts';

type Json = Record<string, unknown>;

const SECURITY = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'dashboard_session',
    description: 'Set by signing in. Not needed on the same machine while no password is set.',
  },
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key. Not checked while api_key_auth_enabled is off.' },
} as const;

/** @returns the OpenAPI 3.1 document of these surfaces, generated from the schemas that validate */
export function openApi(surfaces: readonly Surface[]): Json {
  const components = new Map<string, unknown>();
  const paths: Record<string, Json> = {};
  for (const surface of surfaces) {
    for (const endpoint of surface.endpoints) {
      paths[endpoint.path] ??= {};
      Object.assign(paths[endpoint.path] as Json, { [endpoint.method]: operation(endpoint, surface, components) });
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version: '1', description: 'A gateway that pools provider accounts: proxy and management.' },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: Object.fromEntries([...components].sort()), securitySchemes: SECURITY },
  };
}

function operation(endpoint: PlacedEndpoint, surface: Surface, components: Map<string, unknown>): Json {
  const {
    method,
    path,
    tag,
    summary,
    query = {},
    body,
    form,
    response,
    status = 200,
    stream,
    roles,
    otherResponse,
  } = endpoint;
  const schema = (of: z.ZodType, io: 'input' | 'output') => jsonSchema(of, io, components);
  const parameters = [
    ...[...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(query).map(([name, type]) => ({
      name,
      in: 'query',
      required: !type.safeParse(undefined).success,
      schema: schema(type, 'input'),
    })),
    ...Object.entries(surface.headers?.(endpoint) ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    })),
  ];
  const requestContent = body
    ? { 'application/json': { schema: schema(body, 'input') } }
    : form && { 'multipart/form-data': { schema: schema(form, 'input') } };
  const content = response !== 'noContent' &&
    response !== 'redirect' && {
      ...(typeof response !== 'string' && { 'application/json': { schema: schema(response, 'output') } }),
      ...(response === 'text' && { 'text/plain': { schema: { type: 'string' } } }),
      ...(response === 'bytes' && { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }),
      ...(stream && { 'text/event-stream': { schema: schema(stream, 'output') } }),
    };
  return {
    operationId: endpoint.operationId ?? operationId(method, path),
    tags: [tag],
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(requestContent && { requestBody: { required: true, content: requestContent } }),
    responses: {
      ...(content
        ? { [status]: { description: status === 202 ? 'Accepted' : 'Success', content } }
        : response === 'redirect'
          ? { 302: { description: 'The address of the next page is in Location' } }
          : { 204: { description: 'Success without content' } }),
      ...errorResponses(endpoint, surface, schema(surface.error, 'output')),
      ...(otherResponse && {
        [otherResponse.status]: {
          description: 'See the reasons',
          content: { 'application/json': { schema: schema(otherResponse.body, 'output') } },
        },
      }),
    },
    security: surface.isPublic?.(endpoint)
      ? []
      : [{ [surface.security]: [] }, ...(endpoint.acceptsApiKey ? [{ apiKey: [] }] : [])],
    ...(roles && { 'x-svc-roles': roles }),
    ...(endpoint.isIrreversible && { 'x-svc-irreversible': true }),
  };
}

/** Groups errors by status, because OpenAPI allows one response for each status. */
function errorResponses(endpoint: PlacedEndpoint, surface: Surface, schema: unknown): Json {
  const byStatus = new Map<number, Set<string>>();
  for (const error of [...(endpoint.errors ?? []), ...surface.commonErrors(endpoint)]) {
    const { status, code } = surface.toWire(error);
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: [...codes].join(', '), content: { 'application/json': { schema } } },
    ]),
  );
}

/** @returns a name for generated clients, e.g. `getApiKeys` or `patchApiKeysId` */
const operationId = (method: string, path: string) =>
  method +
  path
    .replace(/^\/api(?=\/)/, '')
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/** Turns schemas with an `id` into components and references to them. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Map<string, unknown>): unknown {
  const {
    $schema: _,
    $defs = {},
    ...json
  } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' });
  for (const [name, component] of Object.entries($defs)) {
    const { id: _id, ...rest } = component as Json;
    components.set(name, withComponentRefs(rest));
  }
  return withComponentRefs(json);
}

const withComponentRefs = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'));
