import { type Command, operandCommand, parsedCommand } from '../commandLine/command.ts';

/** Commands that write the whole log to a file, or read it from one. In the order of the usage. */
export const transferCommands: readonly Command[] = [
  {
    name: 'export',
    usage: [['export FILE', 'Export all events and keys to a file. Stop the service first.']],
    failureCode: 1,
    async load() {
      const { exportTo } = await import('../commands/transferCommand.ts');
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
      const { importFrom } = await import('../commands/transferCommand.ts');
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
      const { parseImportFromArguments, runImportFrom } = await import('../importFrom/importFromCommand.ts');
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
      const { parseBackupArguments, runBackup } = await import('../commands/backup/backupCommand.ts');
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
      const { parseRestoreArguments, runRestore } = await import('../commands/backup/restoreCommand.ts');
      return parsedCommand(parseRestoreArguments, runRestore);
    },
  },
];
