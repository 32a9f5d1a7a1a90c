import { type Command, parsedCommand } from '../commandLine/command.ts';

/** Commands that read the log, also beside the service, and change nothing. In the order of the usage. */
export const readingCommands: readonly Command[] = [
  {
    name: 'verify',
    usage: [
      [
        'verify [FILE]',
        'Verify the event log, an export or an evidence bundle: hashes, chains, positions, the fold and the read models. Works beside the service and writes nothing. --from N, --to N: only these positions; --unsealed: of archived days only what remains in the log; --checkpoints DIR: compare with published checkpoints; --public-key KEY: the key of the log, or a file with it; --json: print one JSON object. Exit code 0 intact, 1 something was found, 2 it could not be verified.',
      ],
    ],
    failureCode: 2,
    async load() {
      const { parseVerifyArguments, runVerify } = await import('../commands/verifyCommand.ts');
      return parsedCommand(parseVerifyArguments, runVerify);
    },
  },
  {
    name: 'explain',
    usage: [
      [
        'explain REQUEST',
        'Say why a request went where it went, or why it was refused: key, limits, accounts, attempts, cost. Works beside the service and changes nothing. --json: print one JSON object.',
      ],
    ],
    failureCode: 2,
    async load() {
      const { parseExplainArguments, runExplain } = await import('../commands/explainCommand.ts');
      return parsedCommand(parseExplainArguments, runExplain);
    },
  },
  {
    name: 'replay',
    usage: [
      [
        'replay',
        'Repeat every decision about requests from the log alone, and name those that give another result. Works beside the service and changes nothing. --since TIME, --until TIME: only requests made then, a day (UTC) counts whole; --json: print one JSON object; --csv: one figure a line. Exit code 0 all repeat, 1 some do not, 2 it could not run. What if: --strategy NAME, --settings FILE, --limits FILE, --prices FILE, --without-account ID, --plus-account PLAN or FILE (both also several times): play the period again with these, and print what would have happened beside what did. No provider is called.',
      ],
    ],
    failureCode: 2,
    async load() {
      const { parseReplayArguments, runReplay } = await import('../commands/replayCommand.ts');
      return parsedCommand(parseReplayArguments, runReplay);
    },
  },
  {
    name: 'show',
    usage: [
      [
        'show SUBJECT',
        'Print a resource as the API shows it. --at MOMENT: as it was then, a position of the log or a time; --json: print one JSON object. SUBJECT is a name of History, such as account-<id>, apiKey-<id>, settings, firewall, pricing or request-<id>; an API key also by its name or prefix. Like diff, blame and step it works beside the service, on a stopped folder and on a log whose start is refused, and changes nothing. Exit code 0, or 2 when it could not run.',
      ],
    ],
    failureCode: 2,
    async load() {
      const { parseShowArguments, runShow } = await import('../past/showCommand.ts');
      return parsedCommand(parseShowArguments, runShow);
    },
  },
  {
    name: 'diff',
    usage: [
      [
        'diff SUBJECT --from MOMENT [--to MOMENT]',
        'Print which fields of a resource differ between two moments; --json: print one JSON object. Exit code 0, also when there are differences, or 2 when it could not run.',
      ],
    ],
    failureCode: 2,
    async load() {
      const { parseDiffArguments, runDiff } = await import('../past/diffCommand.ts');
      return parsedCommand(parseDiffArguments, runDiff);
    },
  },
  {
    name: 'blame',
    usage: [
      [
        'blame SUBJECT',
        'Print each field of a resource with the event that set it last, its actor and its time. --at MOMENT: of the fields as they were then; --json: print one JSON object.',
      ],
    ],
    failureCode: 2,
    async load() {
      const { parseBlameArguments, runBlame } = await import('../past/blameCommand.ts');
      return parsedCommand(parseBlameArguments, runBlame);
    },
  },
  {
    name: 'step',
    usage: [
      [
        'step --from MOMENT [--to MOMENT] [--subject SUBJECT]',
        'Go through events one by one, with the state before, after and what differs: forward and back by keys at a terminal, else as a list; --json: print one JSON object per line.',
      ],
    ],
    failureCode: 2,
    load: async () => (await import('../past/stepAtTerminal.ts')).stepAtTerminal,
  },
  {
    name: 'evidence',
    usage: [
      [
        'evidence FILE',
        'Write events with the proof that they were recorded to a new file, which "svc verify FILE" and any browser check without this machine. Which events: --since TIME, --until TIME, with --request ID or --subject SUBJECT if wanted; --incident: also what the state before the period depends on. TIME is a day (UTC) or like 2026-01-31T12:00:00Z. Works beside the service.',
      ],
    ],
    failureCode: 1,
    async load() {
      const { parseEvidenceArguments, runEvidence } = await import('../commands/evidenceCommand.ts');
      return parsedCommand(parseEvidenceArguments, runEvidence);
    },
  },
  {
    name: 'open',
    usage: [
      [
        'open BUNDLE',
        'Verify an evidence bundle and serve what is in it, read-only, on the loopback interface: dashboard and API as they were, at any position within it. --port N; default: a free one. Needs no data folder; what it writes is in the temporary folder and removed at the end.',
      ],
    ],
    failureCode: 2,
    load: async () => (await import('../open/openUntilSignal.ts')).openUntilSignal,
  },
];
