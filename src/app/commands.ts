import { type Command, plainCommand } from './commandLine/command.ts';
import { acceptCommands } from './commandTable/acceptCommands.ts';
import { maintenanceCommands } from './commandTable/maintenanceCommands.ts';
import { readingCommands } from './commandTable/readingCommands.ts';
import { transferCommands } from './commandTable/transferCommands.ts';

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
  ...readingCommands,
  ...transferCommands,
  ...maintenanceCommands,
  ...acceptCommands,
];
