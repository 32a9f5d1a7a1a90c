import { createNoProxy } from './noProxy.ts';
import { type OutgoingProxy, parseOutgoingProxy } from './outgoingProxy.ts';

/** The settings from the environment, checked. */
export interface ProxySettings {
  readonly SVC_PROXY_URL?: string | undefined;
  readonly HTTPS_PROXY?: string | undefined;
  readonly HTTP_PROXY?: string | undefined;
  readonly NO_PROXY?: string | undefined;
}

/** @returns the proxy for a destination; undefined: none. The same object each time. */
export type ChooseProxy = (destination: URL) => OutgoingProxy | undefined;

/**
 * Creates the choice from the environment. `SVC_PROXY_URL` holds for every destination; else `HTTPS_PROXY` for `https:` and
 * `HTTP_PROXY` for `http:`, except where `NO_PROXY` names the destination.
 */
export function createProxyChoice(settings: ProxySettings): ChooseProxy {
  const proxyIn = (address: string | undefined) => (address === undefined ? undefined : parseOutgoingProxy(address));
  const own = proxyIn(settings.SVC_PROXY_URL);
  if (own) return () => own;
  const [secure, plain] = [proxyIn(settings.HTTPS_PROXY), proxyIn(settings.HTTP_PROXY)];
  const isException = createNoProxy(settings.NO_PROXY ?? '');
  return (destination) => {
    const proxy = destination.protocol === 'https:' ? secure : plain;
    return proxy && !isException(destination) ? proxy : undefined;
  };
}
