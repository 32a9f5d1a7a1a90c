import type { Ending } from '../providerResponse/ending.ts';
import { responseIdIn } from './frames.ts';

/** What the next request on a socket can continue: the context of the last response, which the provider keeps with its socket. */
export class ResponseContext {
  /** The last response may be continued on the provider's socket. Set to false when a request begins. */
  isComplete = false;
  /** Of the last response: what a request that continues it stands for. */
  totalTokens = 0;
  /** Of the last request, until its response is complete. */
  isEmptyPrewarm = false;
  /** The id of the last response if it was an empty prewarm. */
  emptyPrewarmId: string | undefined;

  /** Called with the last frame of a response. */
  onEnding({ usage, error }: Ending, frame: Buffer): void {
    if (error) return;
    this.isComplete = true;
    if (usage) this.totalTokens = usage.inputTokens + usage.outputTokens;
    this.emptyPrewarmId = this.isEmptyPrewarm ? responseIdIn(frame) : undefined;
  }
}
