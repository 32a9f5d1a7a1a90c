import createClient from 'openapi-fetch';
import { ApiError } from './apiError.ts';
import type { components, paths } from './openapi.d.ts';

export type Schemas = components['schemas'];

/** Told of every answer that says that nobody is signed in. */
let onSignedOut: (error: ApiError) => void = () => {};
export const whenSignedOut = (listener: (error: ApiError) => void): void => {
  onSignedOut = listener;
};

const client = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' });

type Outcome<Data> = { data?: Data | undefined; error?: unknown; response: Response };

/**
 * What the service answered.
 * @throws ApiError with what to tell a person, also when the service could not be reached
 */
export async function answerOf<Data>(asked: Promise<Outcome<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await asked.catch((reason: unknown) => {
    throw ApiError.unreachable(reason);
  });
  if (response.ok) return data as NonNullable<Data>;
  const refused = ApiError.from(response, error);
  if (refused.isSignedOut) onSignedOut(refused);
  throw refused;
}

/** The API of the service, typed by its OpenAPI document; wrap calls in `answerOf`. */
export const api = client;
