import { type Post, PostFailed, type PostResponse } from '../../lib/outgoing/post.ts';
import { PublishFailed } from './target.ts';

/** Posts a note. @throws PublishFailed when there is no response */
export async function postNote(post: Post, url: URL, note: string, signal: AbortSignal): Promise<PostResponse> {
  try {
    return await post({ url, body: note, headers: { 'content-type': 'text/plain; charset=utf-8' }, signal });
  } catch (error) {
    if (!(error instanceof PostFailed)) throw error;
    throw new PublishFailed(
      error.message,
      'svc tries again by itself and sends what was missed. Check the URL and the network.',
    );
  }
}
