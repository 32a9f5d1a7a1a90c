import type { ServerResponse } from 'node:http';
import { ProxyError } from '../errors/proxyError.ts';
import type { ResponseHead } from '../relay/responseHead.ts';
import { sendBytes, sendJson } from '../relay/sendJson.ts';
import type { ProxyState } from '../routes/proxyState.ts';
import type { ModelList } from './modelList.ts';

export interface ModelsOptions {
  readonly models: ModelList;
  /** Resolves when nobody is being asked for models any more, or after so many milliseconds. */
  readonly waitForModels: (withinMs: number) => Promise<void>;
}

/** Right after the first import nothing is known yet, but will be in a moment. Codex waits for 5 s (clients.md 1.5). */
const MAX_WAIT_MS = 3_000;

/** What `GET .../models` and `GET /v1/models/{id}` answer; from memory, whether or not the provider is there. */
export function createModelsHandler({ models, waitForModels: whenAsked }: ModelsOptions) {
  return {
    async list(response: ServerResponse, { key }: ProxyState, head: ResponseHead): Promise<void> {
      if (models.isEmpty) await whenAsked(MAX_WAIT_MS);
      const { json, etag } = models.bodyFor(key);
      sendBytes(response, 200, json, head, etag === undefined ? {} : { etag });
    },

    /** @throws ProxyError `model_not_found` */
    async one(response: ServerResponse, slug: string, { key }: ProxyState, head: ResponseHead): Promise<void> {
      if (models.isEmpty) await whenAsked(MAX_WAIT_MS);
      const model = models.find(slug, key);
      if (!model) throw new ProxyError('model_not_found', { model: slug });
      sendJson(response, 200, model.listed, head);
    },
  };
}
