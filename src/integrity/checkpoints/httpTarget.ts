import { hash } from 'node:crypto';
import { type Post, shownUrl } from '../../lib/outgoing/post.ts';
import { postNote } from './postNote.ts';
import { PublishFailed, type Target } from './target.ts';

/** Publishes notes to an HTTP endpoint: one POST each, in order; any status of 200 to 299 says that it was taken. */
export function createHttpTarget(address: string, post: Post): Target {
  const url = new URL(address);
  const target = shownUrl(url);
  return {
    kind: 'http',
    target,
    // The query may be a secret, and may tell two endpoints apart.
    id: `http ${target} ${hash('sha256', address).slice(0, 16)}`,
    begin: () => 0,
    async publish(_, note, signal) {
      const { status } = await postNote(post, url, note, signal);
      if (status >= 200 && status < 300) return;
      throw new PublishFailed(
        `${target} responded with status ${status}.`,
        'It must take a checkpoint with a status of 200 to 299.',
      );
    },
  };
}
