import type { ServerResponse } from 'node:http';
import { ProxyError } from '../errors/proxyError.ts';
import type { ResponseHead } from '../relay/responseHead.ts';
import { sendBytes, sendJson } from '../relay/sendJson.ts';
import type { ProxyState } from '../routes/proxyState.ts';
import type { ModelList } from './modelList.ts';

export interface ModelsOptions {
  readonly models: ModelList;
  /** Resolves when no model poll is in progress, or after `withinMs`. */
  readonly waitForModels: (withinMs: number) => Promise<void>;
}

/**
 * Right after the first import the first poll is still in progress. Shorter than the time-out of Codex.
 * (docs/clients.md#codex-waits-five-seconds-for-the-models-list)
 */
const MAX_WAIT_MS = 3_000;

/** Serves `GET .../models` and `GET /v1/models/{id}` from memory, whether or not the provider is reachable. */
export function createModelsHandler({ models, waitForModels }: ModelsOptions) {
  return {
    async list(response: ServerResponse, { key }: ProxyState, head: ResponseHead): Promise<void> {
      if (models.isEmpty) await waitForModels(MAX_WAIT_MS);
      const { json, etag } = models.bodyFor(key);
      sendBytes(response, 200, json, head, etag === undefined ? {} : { etag });
    },

    /** @throws ProxyError `model_not_found` */
    async one(response: ServerResponse, slug: string, { key }: ProxyState, head: ResponseHead): Promise<void> {
      if (models.isEmpty) await waitForModels(MAX_WAIT_MS);
      const model = models.find(slug, key);
      if (!model) throw new ProxyError('model_not_found', { model: slug });
      sendJson(response, 200, model.listed, head);
    },
  };
}
