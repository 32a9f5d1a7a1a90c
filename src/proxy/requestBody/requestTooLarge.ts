import { ProxyError } from '../errors/proxyError.ts';

export const requestTooLarge = (maxBytes: number): ProxyError =>
  new ProxyError('request_too_large', { limit: `${Math.floor(maxBytes / 1_048_576)} MiB` });
