import createClient from 'openapi-fetch';
import { atOfUrl } from '../past/atOfUrl.ts';
import { reauthentication } from '../session/reauthentication.svelte.ts';
import { ApiError, codeOf } from './apiError.ts';
import type { components, paths } from './openapi.d.ts';

export type Schemas = components['schemas'];

/** Called with every error that says that this browser is not signed in. */
let signedOutHandler: (error: ApiError) => void = () => {};
export const setSignedOutHandler = (handler: (error: ApiError) => void): void => {
  signedOutHandler = handler;
};

/** Called with every error that says that the role of this session does not suffice, which may have changed. */
let forbiddenHandler: () => void = () => {};
export const setForbiddenHandler = (handler: () => void): void => {
  forbiddenHandler = handler;
};

/** Sends a request, and again once the person has proved who they are, if that is asked. */
async function send(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetch(request);
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== 401 || (await codeOf(response.clone())) !== 'reauthentication_required') return response;
  return (await reauthentication.ask()) ? fetch(again) : response;
}

const client = createClient<paths>({ baseUrl: '/', credentials: 'same-origin', fetch: send });

client.use({
  /** Asks for the moment that the page shows, and changes nothing while it is an earlier one. */
  onRequest({ request, schemaPath }) {
    const at = atOfUrl(new URL(location.href));
    if (at === null) return undefined;
    if (request.method !== 'GET') {
      if (schemaPath === '/api/dashboard-auth/logout') return undefined;
      throw new ApiError(400, 'earlier_moment', 'This page shows an earlier moment, at which nothing can be changed');
    }
    const url = new URL(request.url);
    if (url.searchParams.has('at') || WITHOUT_MOMENT.test(schemaPath)) return undefined;
    url.searchParams.set('at', at);
    return new Request(url, request);
  },
});

/** The sign-in state of this browser is that of now. */
const WITHOUT_MOMENT = /^\/api\/dashboard-auth\//;

type Outcome<Data> = { data?: Data | undefined; error?: unknown; response: Response };

/**
 * Resolves to the body of a successful response.
 * @throws ApiError for any other status, and when the service is unreachable
 */
export async function unwrap<Data>(call: Promise<Outcome<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call.catch((reason: unknown) => {
    throw ApiError.unreachable(reason);
  });
  if (response.ok) return data as NonNullable<Data>;
  const apiError = ApiError.from(response, error);
  if (apiError.isSignedOut) signedOutHandler(apiError);
  if (apiError.code === 'insufficient_permissions') forbiddenHandler();
  throw apiError;
}

/** The API of the service, typed by its OpenAPI document; wrap each call in `unwrap`. */
export const api = client;
