import { type Post, PostFailed, shownUrl } from '../lib/outgoing/post.ts';
import { SinkFailed, type SinkFormat } from './sink.ts';

/** The media type of a batch: a JSON array of events (https://github.com/cloudevents/spec, JSON batch format). */
const CONTENT_TYPES: Readonly<Record<SinkFormat, string>> = {
  cloudevents: 'application/cloudevents-batch+json; charset=utf-8',
  ocsf: 'application/json; charset=utf-8',
};

export interface UrlTargetOptions {
  readonly url: string;
  readonly format: SinkFormat;
  /** Sent as `Authorization`. */
  readonly authorization: string | undefined;
  readonly post: Post;
}

/** Posts a batch of lines; any status of 200 to 299 says that it was taken. @throws SinkFailed */
export type PostLines = (lines: readonly string[], signal: AbortSignal) => Promise<void>;

export function createUrlTarget({ url: address, format, authorization, post }: UrlTargetOptions): PostLines {
  const url = new URL(address);
  const headers = {
    'content-type': CONTENT_TYPES[format],
    ...(authorization !== undefined && { authorization }),
  };
  return async (lines, signal) => {
    const { status } = await post({ url, body: `[${lines.join(',')}]`, headers, signal }).catch((error) => {
      if (!(error instanceof PostFailed)) throw error;
      throw new SinkFailed(error.message, 'Check SVC_SINK_URL and the network.');
    });
    if (status >= 200 && status < 300) return;
    throw new SinkFailed(`${shownUrl(url)} responded with status ${status}.`, remedies[status] ?? DEFAULT_REMEDY, {
      isTooLarge: status === 413,
    });
  };
}

const DEFAULT_REMEDY = 'It must take a batch of events with a status of 200 to 299.';
const remedies: Readonly<Record<number, string>> = {
  401: 'Check SVC_SINK_URL_AUTHORIZATION.',
  403: 'Check SVC_SINK_URL_AUTHORIZATION.',
  413: 'It must take bodies of 1 MB, or at least a single event.',
};
