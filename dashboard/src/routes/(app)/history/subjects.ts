import { exactTime } from '#lib/format/times.ts';
import { LIMIT_TYPES, LIMIT_WINDOWS } from '../api-keys/limits.ts';
import { EVENT_SETTING_LABELS, storedLimitText, valueLabel } from './labels.ts';
import { SIGN_IN_METHODS } from './signInMethods.ts';

interface Names {
  readonly account: (id: string) => string;
  readonly key: (id: string) => string;
  readonly team: (id: string) => string;
  /** Undefined for what is no operator, such as an owner that is a free text. */
  readonly person: (id: string) => string | undefined;
  readonly token: (id: string) => string;
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
      return `Owner ${names.person(ownerText(id)) ?? ownerText(id)}`;
    case 'operator':
    case 'operators':
      return id === 'main' ? 'Operators' : `Operator ${personText(id, names)}`;
    case 'managementToken':
    case 'managementTokens':
      return id === 'main' ? 'Management tokens' : `Token ${names.token(id)}`;
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

/** A person by name; the start of the id of one that is unknown here. */
const personText = (id: string, names: Pick<Names, 'person'>) => names.person(id) ?? id.slice(0, 8);

/** The owner whose limits a stream has: it is percent-encoded in its name. */
function ownerText(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Describes an actor as the filter encodes it, e.g. `operator:10.0.0.1`. */
export function actorText(actor: string, names: Pick<Names, 'key' | 'person' | 'token'>): string {
  const colon = actor.indexOf(':');
  const [kind, id] = colon === -1 ? [actor, ''] : [actor.slice(0, colon), actor.slice(colon + 1)];
  switch (kind) {
    case 'operator':
      return id === '' ? 'Any operator' : `Operator at ${id}`;
    case 'person':
      return id === 'unknown' ? 'Not signed in' : personText(id, names);
    case 'token':
      return `Token ${names.token(id)}`;
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

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PERSON = new RegExp(`\\b(operator |owner "|created for )(${UUID}|administrator\\b)`, 'g');
const TOKEN = new RegExp(`\\bmanagement token (${UUID})`, 'g');

/**
 * Rewrites a sentence of the log for display: accounts by e-mail address, settings, limits and sign-in methods by label,
 * times in the viewer’s time zone, with a capital first letter.
 * @param emails e-mail addresses by account ID
 * @param people names of people and tokens, where they are known
 */
export function readableSentence(
  sentence: string,
  emails: ReadonlyMap<string, string>,
  people?: Pick<Names, 'person' | 'token'>,
): string {
  const text = sentence
    .replace(/\baccount ([\w.@+-]+)/g, (match, id) => (emails.has(id) ? `account ${emails.get(id)}` : match))
    .replace(PERSON, (match, before, id) => {
      const name = people?.person(id);
      return name === undefined ? match : `${before}${name}`;
    })
    .replace(TOKEN, (match, id) => (people ? `management token “${people.token(id)}”` : match))
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
      /\ba sign-in (of .+ )?with (\w+) (from|failed)/,
      (_, of = '', method, rest) => `a sign-in ${of}with ${SIGN_IN_METHODS[method] ?? method} ${rest}`,
    );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const settingValue = (value: string) => ({ true: 'on', false: 'off' })[value] ?? valueLabel(value);
