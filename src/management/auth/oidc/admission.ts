import type { Sealed } from '../../../domain/core/brands.ts';
import { Refusal } from '../../../domain/core/refusal.ts';
import { isBuiltInAvailable } from '../../../domain/operator/access.ts';
import { hasOpenInvitation } from '../../../domain/operator/decide.ts';
import type { Role } from '../../../domain/operator/role.ts';
import { type RoleRule, roleByRules } from '../../../domain/operator/roleRules.ts';
import { type Operator, presentOperators, statusOf } from '../../../domain/operator/state.ts';
import type { Cause } from '../../../state/commands/commandHandler.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import type { Capabilities } from '../../http/capabilities.ts';
import { dataKeyOf } from '../../people/directory.ts';
import { emailIn, isEmailVerified, isSameAddress, nameIn, nameWithEmail, valuesIn } from './claims.ts';
import type { Confirmed } from './issuer.ts';
import { OidcSignInError } from './signInError.ts';

export interface AdmissionOptions
  extends Pick<Capabilities, 'views' | 'commands' | 'vault' | 'directory' | 'ids' | 'now'> {
  readonly roleRules: readonly RoleRule[];
  readonly roleClaim: string;
}

/** The cause of the events about an operator. */
type CauseOf = (operatorId: string) => Promise<Cause>;

/** Decides which operator a person is whom the OpenID provider has confirmed (docs/decisions/0088-oidc-sign-in.md). */
export interface Admission {
  /** The operator with this identity, whatever their status; undefined without one. */
  operatorOf(confirmed: Confirmed): Operator | undefined;
  /** The operator in whose name a person signs in: by identity, else by a verified address with an open invitation. */
  candidateOf(confirmed: Confirmed): Operator | undefined;
  /**
   * Accepts an invitation, adds whom a rule gives a role, and takes over the role of a rule.
   * @returns the id of the operator @throws OidcSignInError
   */
  admit(confirmed: Confirmed, causeOf: CauseOf): Promise<string>;
}

/** Another node may link the same identity, or an administrator may change operators, at the same time. */
const MAX_TRIES = 3;

export function createAdmission(options: AdmissionOptions): Admission {
  const { views, commands, vault, directory, ids, now, roleRules, roleClaim } = options;
  const operators = () => views.current.operators;
  const textOf = ({ issuer, subject }: Confirmed) => JSON.stringify([issuer, subject]);
  const isOf = (confirmed: Confirmed) => {
    const text = textOf(confirmed);
    return ({ identity }: Operator) => directory.open(identity) === text;
  };
  const roleOf = ({ claims }: Confirmed): Role | undefined => roleByRules(roleRules, valuesIn(claims, roleClaim));

  function operatorOf(confirmed: Confirmed): Operator | undefined {
    const matches = [...operators().byId.values()].filter(isOf(confirmed));
    return matches.find(({ removedAt }) => removedAt === null) ?? matches[0];
  }

  /** Operators with an open invitation to the address of a person, verified or not. */
  function inviteeOf({ claims }: Confirmed): Operator | undefined {
    const email = emailIn(claims);
    if (email === undefined) return undefined;
    return presentOperators(operators()).find(
      (operator) => hasOpenInvitation(operator, now()) && isSameAddress(directory.open(operator.email) ?? '', email),
    );
  }

  /** @throws OidcSignInError for a person who cannot act */
  function requireActive(operator: Operator): Operator {
    const status = statusOf(operator);
    if (status === 'disabled' || status === 'removed') throw new OidcSignInError('oidc_disabled', operator.id);
    return operator;
  }

  const seal = async (operatorId: string, texts: readonly string[]): Promise<Sealed[]> => {
    const subject = dataKeyOf(operatorId);
    const keyId = vault.currentKeyOf(subject) ?? (await vault.createKey(subject));
    return texts.map((text) => vault.seal(keyId, text));
  };

  async function accept({ id: operatorId }: Operator, confirmed: Confirmed, causeOf: CauseOf): Promise<void> {
    // Before the first `await`: `operatorOf` has just compared these.
    const compared = presentOperators(operators()).map(({ id }) => id);
    const [identity] = (await seal(operatorId, [textOf(confirmed)])) as [Sealed];
    const command = { type: 'AcceptByIdentity', operatorId, identity, compared } as const;
    await commands.handle(subjects.operator, 'main', command, await causeOf(operatorId));
  }

  async function register(confirmed: Confirmed, role: Role, causeOf: CauseOf): Promise<string> {
    const email = emailIn(confirmed.claims);
    const claimed = nameIn(confirmed.claims);
    if (email === undefined || claimed === undefined) throw new OidcSignInError('oidc_profile_incomplete');
    const first = directory.compare({ name: claimed, email });
    const name = first.taken === 'name' ? nameWithEmail(claimed, email) : claimed;
    const { taken, compared } = name === claimed ? first : directory.compare({ name, email });
    if (taken)
      throw new OidcSignInError(isEmailVerified(confirmed.claims) ? 'oidc_email_taken' : 'oidc_email_unverified');
    const operatorId = ids.newId();
    const texts = [name, email, textOf(confirmed)];
    const [sealedName, sealedEmail, identity] = (await seal(operatorId, texts)) as [Sealed, Sealed, Sealed];
    const profile = { name: sealedName, email: sealedEmail, compared };
    const command = { type: 'Register', operatorId, role, identity, ...profile } as const;
    await commands.handle(subjects.operator, 'main', command, await causeOf(operatorId));
    return operatorId;
  }

  async function takeRole({ id: operatorId, role: before }: Operator, role: Role, cause: Cause): Promise<void> {
    if (role === before) return;
    const isBuiltIn = isBuiltInAvailable(operators(), views.current.dashboardAuth);
    const command = { type: 'TakeRole', operatorId, role, isBuiltInAvailable: isBuiltIn } as const;
    try {
      await commands.handle(subjects.operator, 'main', command, cause);
    } catch (error) {
      // Otherwise no operator could manage the service.
      if (!(error instanceof Refusal && error.code === 'last_administrator')) throw error;
    }
  }

  async function admitOnce(confirmed: Confirmed, causeOf: CauseOf): Promise<string> {
    const role = roleOf(confirmed);
    const known = operatorOf(confirmed);
    const invitee = known?.removedAt === null ? undefined : inviteeOf(confirmed);
    const isInvited = invitee !== undefined && isEmailVerified(confirmed.claims);
    if (isInvited) await accept(invitee, confirmed, causeOf);
    else if (!known) {
      if (role) return register(confirmed, role, causeOf);
      throw new OidcSignInError(invitee ? 'oidc_email_unverified' : 'oidc_not_invited');
    }
    const operator = requireActive(isInvited ? (operators().byId.get(invitee.id) ?? invitee) : (known as Operator));
    if (role) await takeRole(operator, role, await causeOf(operator.id));
    else if (operator.isByRule) throw new OidcSignInError('oidc_no_role', operator.id);
    return operator.id;
  }

  return {
    operatorOf,
    candidateOf(confirmed) {
      const known = operatorOf(confirmed);
      const isInvited = known?.removedAt !== null && isEmailVerified(confirmed.claims);
      return (isInvited && inviteeOf(confirmed)) || known;
    },
    async admit(confirmed, causeOf) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await admitOnce(confirmed, causeOf);
        } catch (error) {
          const isRace = error instanceof Refusal && ['conflict', 'invalid_invitation'].includes(error.code);
          if (!isRace || attempt === MAX_TRIES) throw error;
        }
      }
    },
  };
}
