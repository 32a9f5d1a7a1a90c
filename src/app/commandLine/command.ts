import type { Config } from '../config/config.ts';

/** Where a command writes, a line at a time. */
export interface CommandIo {
  /** Its result: the standard output. */
  readonly print: (line: string) => void;
  /** Progress and remarks: the standard error output. */
  readonly printError: (line: string) => void;
}

/** Of a command that ran: 0 where the function returns nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a result is `Promise<void>`.
export type ExitCode = number | void;

/** What a command returns for arguments that it does not have, when its usage alone says what is wrong. */
export const NOT_UNDERSTOOD = Symbol('not understood');

/**
 * Carries out a command.
 * @returns the exit code
 * @throws ArgumentsRefused
 * @throws when it could not run; an error of an operator has one sentence that says what to do
 */
export type RunCommand = (args: readonly string[], io: CommandIo) => Promise<number | typeof NOT_UNDERSTOOD>;

/** A command of svc, as `svc help` lists it. */
export interface Command {
  readonly name: string;
  /** Each way to call it, without `svc`, and what that does. */
  readonly usage: readonly (readonly [call: string, description: string])[];
  /** The exit code when it could not run: 2 where 1 is a result. */
  readonly failureCode: 1 | 2;
  /** Imports what the command needs, so that none loads the modules of the others. */
  readonly load: () => Promise<RunCommand>;
}

/**
 * A command that reads its arguments before the settings.
 * @param parse throws ArgumentsRefused for arguments that the command does not have
 */
export const parsedCommand =
  <Arguments>(
    parse: (args: readonly string[]) => Arguments,
    run: (command: Arguments, config: Config, io: CommandIo) => Promise<ExitCode>,
  ): RunCommand =>
  async (args, io) => {
    const command = parse(args);
    // Only commands that read settings load zod, which declares them.
    const { readConfig } = await import('../config/config.ts');
    return (await run(command, readConfig(), io)) ?? 0;
  };

/** A command with one set of arguments: none, or a flag. */
export const plainCommand =
  (flags: Readonly<Record<string, (io: CommandIo) => Promise<ExitCode>>>): RunCommand =>
  async (args, io) => {
    const run = args.length <= 1 ? flags[args[0] ?? ''] : undefined;
    return run === undefined ? NOT_UNDERSTOOD : ((await run(io)) ?? 0);
  };

/** A command with one operand. */
export const operandCommand =
  (run: (operand: string, io: CommandIo) => Promise<ExitCode>): RunCommand =>
  async ([operand, ...more], io) =>
    operand === undefined || more.length > 0 ? NOT_UNDERSTOOD : ((await run(operand, io)) ?? 0);
