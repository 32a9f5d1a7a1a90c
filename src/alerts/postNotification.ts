import { ForbiddenAddress } from '../lib/outgoing/forbiddenAddresses.ts';
import type { Post } from '../lib/outgoing/post.ts';

export interface NotificationToPost {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @returns the status, of 200 to 299 @throws NotTaken */
export type PostNotification = (notification: NotificationToPost, signal: AbortSignal) => Promise<number>;

/** A webhook did not take a notification; the message says why, without the path of its URL and without what it responded. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/** Creates the function that posts notifications. The path of a webhook's URL is a secret, so no message contains it. */
export const createPostNotification =
  (post: Post): PostNotification =>
  async ({ url, body, headers }, signal) => {
    const { status } = await post({ url: new URL(url), body, headers, signal }).catch((error: Error) => {
      throw new NotTaken(reasonOf(error.cause));
    });
    if (status >= 200 && status < 300) return status;
    const isRedirect = status >= 300 && status < 400;
    throw new NotTaken(`it responded with status ${status}${isRedirect ? ', a redirect, which is not followed' : ''}`);
  };

function reasonOf(cause: unknown): string {
  if (cause instanceof ForbiddenAddress) return cause.message;
  const { name, message, code } = cause as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return 'it did not respond in time';
  return code === undefined ? message : `it cannot be reached (${code})`;
}
