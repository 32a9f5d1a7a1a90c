import { isDescriptorErrno } from '../../lib/descriptors/systemDescriptors.ts';
import { ProxyFailure } from '../../provider/outgoingProxy/proxyFailure.ts';
import type { Failure } from '../providerResponse/failure.ts';
import { errnoOf } from '../upstream/errnoOf.ts';
import type { Descriptors } from './ports.ts';

const LOST_BY_PROXY = {
  kind: 'proxyFailed',
  code: 'proxy_closed',
  problem: 'closed the connection before the response began',
} as const;

export interface BrokenConnection {
  /** The connection leads through a proxy. */
  readonly isProxied: boolean;
  /** A response was arriving. */
  readonly hasBegun: boolean;
  readonly descriptors: Descriptors | undefined;
}

/** @returns how an attempt failed whose connection to the provider broke, or could not be opened */
export function connectionFailure(
  error: NodeJS.ErrnoException,
  { isProxied, hasBegun, descriptors }: BrokenConnection,
): Failure {
  if (error instanceof ProxyFailure) {
    return { kind: 'proxyFailed', code: error.code, problem: error.problem, errno: error.errno };
  }
  const errno = errnoOf(error);
  if (isDescriptorErrno(errno)) {
    descriptors?.onRefused(errno);
    return { kind: 'outOfDescriptors', errno };
  }
  // The C library names another error when it has no descriptor for its question.
  if (error.syscall === 'getaddrinfo' && descriptors?.mayConnect() === false) return { kind: 'outOfDescriptors' };
  const isLostConnection = isProxied && errno !== 'EPROTO';
  const { message } = error;
  if (hasBegun) return { kind: 'cut', message, errno, isProxied: isLostConnection };
  return isLostConnection ? { ...LOST_BY_PROXY, errno } : { kind: 'unreachable', message, errno };
}
