import { ProxyError } from '../errors/proxyError.ts';
import type { Delivery } from '../relay/delivery.ts';
import type { Settle, Settlement } from '../settlement/settlement.ts';
import type { AdmittedRequest } from './admittedRequest.ts';

export interface SettleServices {
  /** Writes the outcome of a request to the log. */
  readonly settle: Settle;
  /** Called with unexpected exceptions: bugs in svc. */
  readonly report: (error: Error, about?: { readonly request: string }) => void;
}

/** The request that is settled. */
export interface Settled {
  readonly request: Pick<AdmittedRequest, 'requestId'>;
  /**
   * Called when the client has been sent the end of its response, or cannot be.
   * @param isDurable whether the outcome is in the log
   * @param status of the response as text, or `error`
   */
  onSettled(isDurable: boolean, settlement: Settlement, status: string): void;
}

/**
 * Responds only after the outcome is in the log (docs/decisions/0002-promises.md#nothing-answered-is-missing); when the log
 * cannot take it, with that error.
 * @param respond sends the end of the response
 */
export function settleThenRespond(
  settled: Settled,
  settlement: Settlement,
  delivery: Delivery,
  { settle, report }: SettleServices,
  respond: () => void,
): void {
  settle(settlement)
    .then(
      () => {
        respond();
        settled.onSettled(true, settlement, settlement.outcome.status);
      },
      () => {
        const error = new ProxyError('log_unavailable');
        const status = delivery.hasBegun ? 'error' : String(error.status);
        delivery.fail(error);
        settled.onSettled(false, settlement, status);
      },
    )
    .catch((error: Error) => {
      // A bug in svc must break only this client's connection.
      report(error, { request: settled.request.requestId });
      delivery.destroy();
      settled.onSettled(false, settlement, 'error');
    });
}
