import type { PathHandler } from '../../http/server.ts';
import type { OperatorSurface } from './operatorSurface.ts';

/** A surface that is started once the service listens. Its requests wait for it. */
export interface LateSurface extends OperatorSurface {
  /** Called once the service listens. */
  start(): void;
}

/**
 * Keeps what operators use out of the way of a start: the modules of management take a third of the time until a service listens, and model
 * requests need none of them.
 * @param start loads and starts the surface
 * @param onFailure called with what `start` rejects with
 */
export function createLateSurface(
  start: () => Promise<OperatorSurface>,
  onFailure: (error: Error) => void,
): LateSurface {
  let running: OperatorSurface | undefined;
  let starting: Promise<OperatorSurface> | undefined;
  let isEnding = false;
  const waiting: Parameters<PathHandler>[] = [];

  return {
    start() {
      // After the parts that wait for the service to listen, which are notified first.
      setImmediate(() => {
        if (isEnding) return;
        starting = start();
        starting.then((surface) => {
          running = surface;
          if (isEnding) surface.endLive();
          for (const request of waiting.splice(0)) surface.serve(...request);
        }, onFailure);
      });
    },
    serve(...request) {
      if (running) running.serve(...request);
      else waiting.push(request);
    },
    endLive() {
      isEnding = true;
      running?.endLive();
    },
    async stop() {
      // What it failed with was reported.
      const surface = await starting?.catch(() => undefined);
      await surface?.stop();
    },
  };
}
