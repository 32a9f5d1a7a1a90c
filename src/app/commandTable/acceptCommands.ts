import { type Command, plainCommand } from '../commandLine/command.ts';

/** Commands by which an operator accepts that something is lost or was wrong, so that svc starts again. In the order of the usage. */
export const acceptCommands: readonly Command[] = [
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
      const { acceptClockOfMachine, acceptClockUnseen } = await import('../commands/accept/acceptCommand.ts');
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
        '../commands/accept/acceptCommand.ts'
      );
      return plainCommand({
        '': acceptLostEvents,
        '--vault': acceptLostVault,
        '--checkpoint-key': acceptLostCheckpointKey,
      });
    },
  },
];
