import type { CommandIo } from '../commandLine/command.ts';
import { readConfig } from '../config/config.ts';
import { resetPassword } from './resetPassword.ts';

/** `svc reset-password` */
export async function resetAndPrint(
  { print }: CommandIo,
  { keepsTotp }: { readonly keepsTotp: boolean },
): Promise<void> {
  const { password, isTotpRequired } = await resetPassword(readConfig(), { keepsTotp, print });
  print(`The dashboard password is now ${password}`);
  print('Every session has ended. Sign in with it, then change it.');
  if (isTotpRequired)
    print('Signing in still requires a two-factor code; if the authenticator is lost, use reset-password --totp.');
}
