import { exactTime } from '#lib/format/times.ts';
import { LIMIT_TYPES, LIMIT_WINDOWS } from '../api-keys/limits.ts';
import { EVENT_SETTING_LABELS, storedLimitText, valueLabel } from './labels.ts';

interface Names {
  readonly account: (id: string) => string;
  readonly key: (id: string) => string;
  readonly team: (id: string) => string;
}

/** Describes the subject of an event: an account by its e-mail address, a key by its name. */
export function subjectText(subject: string, names: Names): string {
  const dash = subject.indexOf('-');
  const [kind, id] = [subject.slice(0, dash), subject.slice(dash + 1)];
  switch (kind) {
    case 'account':
      return names.account(id);
    case 'accountTokens':
      return `Tokens of ${names.account(id)}`;
    case 'accountUsage':
      return `Usage of ${names.account(id)}`;
    case 'accountCoolDown':
      return id === 'several' ? 'Cool-downs' : `Cool-down of ${names.account(id)}`;
    case 'accountLink':
      return `Sign-in ${id.slice(0, 8)}`;
    case 'apiKey':
      return `Key ${names.key(id)}`;
    case 'team':
      return `Team ${names.team(id)}`;
    case 'owner':
      return `Owner ${ownerText(id)}`;
    case 'firewall':
      return 'Firewall';
    case 'settings':
      return 'Settings';
    case 'modelCatalogue':
      return 'Models';
    case 'pricing':
      return 'Prices';
    case 'holds':
      return 'Legal holds';
    case 'node':
      return `Node ${id}`;
    case 'audit':
      return 'Audit';
    case 'session':
      return `Session ${id.slice(0, 8)}`;
    case 'address':
      return `Address ${id}`;
    case 'request':
      return `Request ${id.slice(0, 12)}…`;
    default:
      return subject;
  }
}

/** The owner whose limits a stream has: it is percent-encoded in its name. */
function ownerText(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Describes an actor as the filter encodes it, e.g. `operator:10.0.0.1`. */
export function actorText(actor: string, names: Pick<Names, 'key'>): string {
  const colon = actor.indexOf(':');
  const [kind, id] = colon === -1 ? [actor, ''] : [actor.slice(0, colon), actor.slice(colon + 1)];
  switch (kind) {
    case 'operator':
      return id === '' ? 'Any operator' : `Operator at ${id}`;
    case 'session':
      return `Session ${id.slice(0, 8)}`;
    case 'apiKey':
      return `Key ${names.key(id)}`;
    case 'anonymous':
      return 'Client without a key';
    case 'cli':
      return 'Command line';
    case 'system':
      return 'System';
    default:
      return actor;
  }
}

const SETTING_CHANGE = new RegExp(
  `\\b(${Object.keys(EVENT_SETTING_LABELS).join('|')}) changed from (\\w+) to (\\w+)`,
  'g',
);
const oneOf = (options: readonly { value: string }[]) => options.map(({ value }) => value).join('|');
const LIMIT = new RegExp(`\\b(\\d+) (${oneOf(LIMIT_TYPES)}) (${oneOf(LIMIT_WINDOWS)})\\b`, 'g');

const SIGN_IN_METHODS: Readonly<Record<string, string>> = {
  password: 'the password',
  totp: 'a two-factor code',
  setup_token: 'the set-up token',
};

/**
 * Rewrites a sentence of the log for display: accounts by e-mail address, settings, limits and sign-in methods by label,
 * times in the viewer’s time zone, with a capital first letter.
 * @param emails e-mail addresses by account ID
 */
export function readableSentence(sentence: string, emails: ReadonlyMap<string, string>): string {
  const text = sentence
    .replace(/\baccount ([\w.@+-]+)/g, (match, id) => (emails.has(id) ? `account ${emails.get(id)}` : match))
    .replace(
      SETTING_CHANGE,
      (_, name, from, to) =>
        `“${EVENT_SETTING_LABELS[name]}” changed from ${settingValue(from)} to ${settingValue(to)}`,
    )
    .replace(LIMIT, (_, amount, limitType, limitWindow) =>
      storedLimitText({ maxValue: Number(amount), limitType, limitWindow }),
    )
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => exactTime(Date.parse(time)))
    .replace(
      /\ba sign-in with (\w+) from/,
      (match, method) => `a sign-in with ${SIGN_IN_METHODS[method] ?? match} from`,
    );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const settingValue = (value: string) => ({ true: 'on', false: 'off' })[value] ?? valueLabel(value);
