import { type Command, operandCommand, parsedCommand, plainCommand } from './commandLine/command.ts';

/** Every command of svc, in the order of its usage. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    usage: [['serve', 'Run the service. Settings come from the environment, see docs/settings.md.']],
    failureCode: 1,
    load: async () => plainCommand({ '': (await import('./serve.ts')).serve }),
  },
  {
    name: 'rebuild',
    usage: [
      ['rebuild', 'Rebuild read models and tree from the event log. Stop the service first, except with MongoDB.'],
      ['rebuild --compare', 'Rebuild them in a temporary copy and compare; exit code 1 if anything differs.'],
    ],
    failureCode: 1,
    async load() {
      const { compare, rebuild } = await import('./commands/rebuildCommand.ts');
      return plainCommand({ '': rebuild, '--compare': compare });
    },
  },
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
      const { parseVerifyArguments, runVerify } = await import('./commands/verifyCommand.ts');
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
      const { parseExplainArguments, runExplain } = await import('./commands/explainCommand.ts');
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
      const { parseReplayArguments, runReplay } = await import('./commands/replayCommand.ts');
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
      const { parseShowArguments, runShow } = await import('./past/showCommand.ts');
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
      const { parseDiffArguments, runDiff } = await import('./past/diffCommand.ts');
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
      const { parseBlameArguments, runBlame } = await import('./past/blameCommand.ts');
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
    load: async () => (await import('./past/stepAtTerminal.ts')).stepAtTerminal,
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
      const { parseEvidenceArguments, runEvidence } = await import('./commands/evidenceCommand.ts');
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
    load: async () => (await import('./open/openUntilSignal.ts')).openUntilSignal,
  },
  {
    name: 'export',
    usage: [['export FILE', 'Export all events and keys to a file. Stop the service first.']],
    failureCode: 1,
    async load() {
      const { exportTo } = await import('./commands/transferCommand.ts');
      return operandCommand(exportTo);
    },
  },
  {
    name: 'import',
    usage: [
      [
        'import FILE',
        'Import an export into an empty store: EventStoreDB if SVC_EVENTSTORE_URL is set, otherwise the data folder.',
      ],
    ],
    failureCode: 1,
    async load() {
      const { importFrom } = await import('./commands/transferCommand.ts');
      return operandCommand(importFrom);
    },
  },
  {
    name: 'import-from',
    usage: [
      [
        'import-from codex-lb --database FILE --key FILE',
        'Take over accounts, API keys with their limits and use, settings and the allowlist of codex-lb (SQLite). Its files stay unchanged. --dry-run: only report; --keep-active: also keys that svc cannot restrict as codex-lb did stay active; --requests: also its request log, marked as imported; --json: print one JSON object. Run again, it changes nothing more. Stop codex-lb and the service first.',
      ],
    ],
    failureCode: 1,
    async load() {
      const { parseImportFromArguments, runImportFrom } = await import('./importFrom/importFromCommand.ts');
      return parsedCommand(parseImportFromArguments, runImportFrom);
    },
  },
  {
    name: 'backup',
    usage: [
      [
        'backup FILE',
        'Write log, vault, checkpoints, node id, key files and settings to a new file, beside the service or without it, and read it back. --passphrase-file FILE: encrypt everything; --since FILE: only the events after an earlier backup. The last line names the position up to which the file has the log.',
      ],
    ],
    failureCode: 1,
    async load() {
      const { parseBackupArguments, runBackup } = await import('./commands/backup/backupCommand.ts');
      return parsedCommand(parseBackupArguments, runBackup);
    },
  },
  {
    name: 'restore',
    usage: [
      [
        'restore FILE [FILE ...]',
        'Make the data folder of a backup, and of those that continue it, in order. The folder must be missing or empty. --passphrase-file FILE; --accept-findings: also a log that is not intact.',
      ],
    ],
    failureCode: 1,
    async load() {
      const { parseRestoreArguments, runRestore } = await import('./commands/backup/restoreCommand.ts');
      return parsedCommand(parseRestoreArguments, runRestore);
    },
  },
  {
    name: 'doctor',
    usage: [
      [
        'doctor',
        'Check settings, data folder, permissions, vault, disk, clock, provider, proxy and servers: one line each, with what to do. --json: print one JSON object. Works beside the service and changes nothing. Exit code 0, 1 when something failed, 2 when it could not run.',
      ],
    ],
    failureCode: 2,
    async load() {
      const { runDoctor } = await import('./commands/doctor/doctorCommand.ts');
      return plainCommand({
        '': (io) => runDoctor({ isJson: false }, io),
        '--json': (io) => runDoctor({ isJson: true }, io),
      });
    },
  },
  {
    name: 'rotate-master-key',
    usage: [
      [
        'rotate-master-key',
        'Wrap the keys of the vault with SVC_ENCRYPTION_KEY_NEW, which then takes the place of SVC_ENCRYPTION_KEY or master.key. Stop the service first; with EventStoreDB one node, while the others run with both keys. Run again, it goes on, or says that nothing is left.',
      ],
    ],
    failureCode: 1,
    load: async () =>
      plainCommand({ '': (await import('./commands/rotateMasterKeyCommand.ts')).rotateConfiguredMasterKey }),
  },
  {
    name: 'reset-password',
    usage: [
      ['reset-password', 'Set a new dashboard password and end all sessions. Stop the service first.'],
      ['reset-password --totp', 'Disable two-factor authentication as well, if the authenticator is lost.'],
    ],
    failureCode: 1,
    async load() {
      const { resetAndPrint } = await import('./commands/resetPasswordCommand.ts');
      return plainCommand({
        '': (io) => resetAndPrint(io, { keepsTotp: true }),
        '--totp': (io) => resetAndPrint(io, { keepsTotp: false }),
      });
    },
  },
  {
    name: 'outbox',
    usage: [
      [
        'outbox list',
        'List the events that EventStoreDB will never take, which are parked in the outbox of this node.',
      ],
      ['outbox retry [ID ...]', 'Put them, or those with these ids, back to be drained. Stop the service first.'],
      [
        'outbox export FILE',
        'Write them to a new file, one line of JSON each; with --remove also take them out of the outbox (stop the service first).',
      ],
    ],
    failureCode: 1,
    load: async () => (await import('./commands/outboxArguments.ts')).outbox,
  },
  {
    name: 'archive',
    usage: [
      [
        'archive --until DAY',
        "Write closed days of requests up to DAY (2026-11-01, UTC) to files and remove them from the log, whose proofs, counters and charts stay. --days N: keep the last N days; default SVC_RETENTION_REQUEST_DAYS. --dir DIR: the folder of the files; --compact: make the log's file smaller. Stop the service first.",
      ],
    ],
    failureCode: 1,
    async load() {
      const { parseArchiveArguments, runArchive } = await import('./commands/archiveCommand.ts');
      return parsedCommand(parseArchiveArguments, runArchive);
    },
  },
  {
    name: 'restore-archive',
    usage: [
      [
        'restore-archive DAY',
        'Put an archived day back into the log, or that of an archive FILE. Stop the service first.',
      ],
    ],
    failureCode: 1,
    async load() {
      const { parseRestoreArguments, runRestore } = await import('./commands/archiveCommand.ts');
      return parsedCommand(parseRestoreArguments, runRestore);
    },
  },
  {
    name: 'hold',
    usage: [
      [
        'hold list',
        'List the legal holds and the deleted accounts whose data keys they keep. Stop the service first, or use /api/holds; so for the next two.',
      ],
      [
        'hold place --reason TEXT [--subject SUBJECT] [--from TIME] [--until TIME]',
        'Keep what matches from being archived and destroyed: events of a subject (apiKey-<id>, account-<id> or request-<id>), of a period, or everything.',
      ],
      ['hold lift ID --reason TEXT', 'End a legal hold, and destroy the data keys that no other hold keeps.'],
    ],
    failureCode: 1,
    async load() {
      const { parseHoldArguments, runHold } = await import('./commands/holdCommand.ts');
      return parsedCommand(parseHoldArguments, runHold);
    },
  },
  {
    name: 'accept-clock',
    usage: [
      [
        'accept-clock',
        'Let the windows of limits follow the clock of this machine again after it was wrong, also back. Stop the service first, or use "Accept clock" in the dashboard.',
      ],
      ['accept-clock --force', 'The same with EventStoreDB, without comparing the clock with those of other nodes.'],
    ],
    failureCode: 1,
    async load() {
      const { acceptClockOfMachine, acceptClockUnseen } = await import('./commands/accept/acceptCommand.ts');
      return plainCommand({ '': acceptClockOfMachine, '--force': acceptClockUnseen });
    },
  },
  {
    name: 'accept-loss',
    usage: [
      [
        'accept-loss',
        'Continue without events that the log or the outbox has lost, and record in the log that they are missing. svc refuses to start before. Stop the service first.',
      ],
      [
        'accept-loss --vault',
        'Continue without keys that the vault has lost: begin a new vault if there is none, and list the accounts that must sign in again. Stop the service first.',
      ],
      [
        'accept-loss --checkpoint-key',
        'Sign checkpoints with the key that svc has now although the one that signed the last is lost: begin a new origin. Stop the service first.',
      ],
    ],
    failureCode: 1,
    async load() {
      const { acceptLostCheckpointKey, acceptLostEvents, acceptLostVault } = await import(
        './commands/accept/acceptCommand.ts'
      );
      return plainCommand({
        '': acceptLostEvents,
        '--vault': acceptLostVault,
        '--checkpoint-key': acceptLostCheckpointKey,
      });
    },
  },
];
