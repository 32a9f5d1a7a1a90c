import { type Command, parsedCommand, plainCommand } from '../commandLine/command.ts';

/** Commands that look after an installation: its settings, keys, outbox, archives and legal holds. In the order of the usage. */
export const maintenanceCommands: readonly Command[] = [
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
      const { runDoctor } = await import('../commands/doctor/doctorCommand.ts');
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
      plainCommand({ '': (await import('../commands/rotateMasterKeyCommand.ts')).rotateConfiguredMasterKey }),
  },
  {
    name: 'reset-password',
    usage: [
      ['reset-password', 'Set a new dashboard password and end all sessions. Stop the service first.'],
      ['reset-password --totp', 'Disable two-factor authentication as well, if the authenticator is lost.'],
    ],
    failureCode: 1,
    async load() {
      const { resetAndPrint } = await import('../commands/resetPasswordCommand.ts');
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
    load: async () => (await import('../commands/outboxArguments.ts')).outbox,
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
      const { parseArchiveArguments, runArchive } = await import('../commands/archiveCommand.ts');
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
      const { parseRestoreArguments, runRestore } = await import('../commands/archiveCommand.ts');
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
      const { parseHoldArguments, runHold } = await import('../commands/holdCommand.ts');
      return parsedCommand(parseHoldArguments, runHold);
    },
  },
];
