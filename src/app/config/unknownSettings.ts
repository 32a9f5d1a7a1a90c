import { nearestName } from '../../lib/nearestName.ts';

const PREFIX = 'SVC_';
const withoutPrefix = (name: string): string => name.slice(PREFIX.length);

/** Variables for programs beside svc: the key of its clients, and what its tests read. */
const OF_OTHERS = /^SVC_(API_KEY$|TEST_)/;

const PROTOCOL = '(TCP|UDP|SCTP)';
/** Of a service called `svc`, or `svc-` and more. */
const KUBERNETES = new RegExp(
  `^SVC_(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT_\\d+_${PROTOCOL}(_(PROTO|PORT|ADDR))?)$`,
);

/**
 * Whether Kubernetes sets a variable, in every pod of the namespace, for a Service whose name begins with `svc`. One of them
 * has the name of a setting: `SVC_PORT=tcp://10.0.0.7:2455`.
 */
export const isOfKubernetes = (name: string, value = ''): boolean =>
  KUBERNETES.test(name) || (/^SVC_(\w+_)?PORT$/.test(name) && new RegExp(`^${PROTOCOL}://`, 'i').test(value));

/** @returns a line for each variable that begins with `SVC_` and is no setting. It has no effect, so the operator mistyped it */
export const unknownSettings = (names: readonly string[], settings: readonly string[]): string[] =>
  names
    .filter((name) => name.startsWith(PREFIX) && !settings.includes(name) && !OF_OTHERS.test(name))
    .map((name) => {
      const nearest = nearestName(withoutPrefix(name), settings.map(withoutPrefix));
      const hint = nearest === undefined ? 'docs/settings.md lists all.' : `The nearest one is ${PREFIX}${nearest}.`;
      return `${name}: is not a setting of svc. ${hint}`;
    });
