import type { BundleVerification } from '../../check/bundleVerification.ts';
import { formatCount } from './dom.ts';
import type { SecondOpinion } from './webCrypto.ts';

export type Mark = 'holds' | 'fails' | 'open';

/** One thing that was checked, in plain words. */
export interface Statement {
  readonly mark: Mark;
  readonly title: string;
  readonly text: string;
}

export interface Verdict {
  readonly mark: Mark;
  readonly title: string;
  readonly text: string;
  readonly statements: readonly Statement[];
}

/** What a verification means for an auditor. */
export function verdictOf(result: BundleVerification, opinion: SecondOpinion): Verdict {
  if (!result.manifest) {
    return {
      mark: 'fails',
      title: 'This file is not an intact bundle',
      text: `${result.findings[0]?.found ?? 'It cannot be read'}. Nothing in it can be relied on. Get the file again, from its maker.`,
      statements: [],
    };
  }
  const statements = [fileStatement(result), treeStatement(result), signatureStatement(result, opinion)];
  if (result.ok) statements.push(dataStatement(result), extentStatement(result));
  const isWrong = !result.ok || opinion === 'disagrees';
  if (isWrong) {
    return {
      mark: 'fails',
      title: 'This bundle does not hold',
      text: 'It was changed, or it is not what it says. Do not rely on any event in it.',
      statements,
    };
  }
  if (!result.key?.isTrusted) {
    return {
      mark: 'open',
      title: 'Everything fits together, but nobody vouched for the key',
      text: 'Anybody can sign a bundle with a key of their own. Compare the key below with one that the operator of the log published before, or enter that key above.',
      statements,
    };
  }
  const recorded = `The log whose key you entered recorded ${formatCount(result.events, 'event')} of this bundle exactly at these positions.`;
  const unproved = result.events - result.recomputed;
  return unproved === 0
    ? { mark: 'holds', title: 'This bundle holds', text: `${recorded} What they say is proved.`, statements }
    : {
        mark: 'holds',
        title: 'The log recorded these events',
        text: `${recorded} What ${unproved === result.events ? 'they say' : `${formatCount(unproved, 'event')} of them say`} is not proved, because fields of them are hidden; they are marked below.`,
        statements,
      };
}

const FILE_KINDS = /file|directory|entr|manifest|header|digest/i;

function fileStatement({ findings }: BundleVerification): Statement {
  const wrong = findings.filter(
    ({ position, expected, found }) => position === null && (FILE_KINDS.test(expected) || FILE_KINDS.test(found)),
  );
  return wrong.length === 0
    ? { mark: 'holds', title: 'The file is complete', text: 'Every byte has the digest that the file names.' }
    : { mark: 'fails', title: 'The file was changed', text: wrong.map(({ found }) => found).join('; ') };
}

function treeStatement({ root, manifest, events, findings }: BundleVerification): Statement {
  const size = manifest?.treeSize ?? 0;
  const wrong = findings.filter(({ position }) => position !== null).length;
  if (root !== null && root === manifest?.root && wrong === 0) {
    return {
      mark: 'holds',
      title: 'The events are in the log',
      text: `${formatCount(events, 'event')} and the hashes of all others lead to the root of the Merkle tree over ${formatCount(size, 'event')}.`,
    };
  }
  const text =
    wrong > 0
      ? `${formatCount(wrong, 'event')} ${wrong === 1 ? 'was' : 'were'} changed: see below.`
      : 'The events and hashes lead to another root: an event or a hash was changed, added or left out.';
  return { mark: 'fails', title: 'The events are not those of the log', text };
}

function signatureStatement({ findings, checkpoints, key }: BundleVerification, opinion: SecondOpinion): Statement {
  const wrong = findings.filter(
    ({ kind, position }) => position === null && (kind === 'rehashed' || kind === 'forked'),
  );
  if (wrong.length > 0 || opinion === 'disagrees') {
    const text = wrong.map(({ expected, found }) => `Expected ${expected}; found ${found}.`).join(' ');
    return {
      mark: 'fails',
      title: 'The signatures do not hold',
      text: text || 'The browser and the code of svc do not agree about a signature.',
    };
  }
  const sizes = checkpoints.map(({ size }) => size.toLocaleString('en')).join(', ');
  const by = opinion === 'agrees' ? 'Both svc’s code in this page and this browser itself verified them.' : ONLY_PAGE;
  return {
    mark: key?.isTrusted ? 'holds' : 'open',
    title: key?.isTrusted ? 'Your key has signed' : 'A key has signed, for which nobody vouched',
    text: `${formatCount(checkpoints.length, 'signed checkpoint')} (after ${sizes} events); each one continues the one before. ${by}`,
  };
}

const ONLY_PAGE =
  'This browser does not know Ed25519, so only the code in this page verified them. Use a newer browser or svc verify for a second opinion.';

function dataStatement({ events, recomputed }: BundleVerification): Statement {
  const hidden = events - recomputed;
  if (hidden === 0) {
    return {
      mark: 'holds',
      title: 'What the events say is proved',
      text: 'The digest of each event’s data was computed from what is shown, and it is the one in the log.',
    };
  }
  return {
    mark: 'open',
    title: `What ${formatCount(hidden, 'event')} of ${events.toLocaleString('en')} say is not proved`,
    text: 'Fields with secrets were left out of them, so the digest of their data cannot be computed here. That each was recorded, where, when and with which digests is proved. Ask the operator of the log to show them if it matters.',
  };
}

function extentStatement({ isContiguous, first, last, events }: BundleVerification): Statement {
  const [from, to] = [first.toLocaleString('en'), last.toLocaleString('en')];
  return isContiguous
    ? {
        mark: 'holds',
        title:
          events === 1 ? `It has the event at position ${from}` : 'No event is missing between the first and the last',
        text: `Every position from ${from} to ${to} of the log is in the bundle.`,
      }
    : {
        mark: 'open',
        title: 'It is a selection',
        text: `Between positions ${from} and ${to} the log has other events that are not in the bundle. That no further one matches the selection is what its maker says.`,
      };
}
