import type { Position } from '../../domain/core/brands.ts';
import { type Json, redact, toJson } from '../../domain/core/redact.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import { createDirectory } from '../../management/people/directory.ts';
import { changedStreamOf, eventDetails } from '../../management/resources/history/eventDetails.ts';
import { subjectState } from '../../management/resources/history/subjectState.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { FolderPast } from './withPast.ts';

/** An event as `GET /api/history/{position}` shows it; of a request also what it changed of its key and accounts. */
export type Step = ReturnType<typeof eventDetails>;

/** Goes through the events at ascending positions. @throws as `FilePast.walk` */
export async function* stepsAt(positions: Iterable<Position>, { past, vault }: FolderPast): AsyncGenerator<Step> {
  for await (const { event, state, apply } of past.walk(positions)) {
    const before = changedState(event, state);
    apply();
    yield eventDetails(event, before, changedState(event, state), {
      vault,
      directory: createDirectory({ vault, state: () => state }),
    });
  }
}

function changedState(event: StoredEvent, state: HotState): Json {
  return event.type.startsWith('Request') ? requestState(event, state) : subjectState(changedStreamOf(event), state);
}

interface RequestFields {
  readonly requestId: string;
  readonly keyId: string | null;
  readonly accountId?: string | null;
  readonly attempts?: readonly { readonly accountId: string }[];
}

/** The counters of the key of a request, and the usage and cool-downs of the accounts that it tried. */
function requestState({ data }: StoredEvent, state: HotState): Json {
  const { requestId, keyId, accountId, attempts = [] } = data as RequestFields;
  const accounts = new Set([...attempts.map((attempt) => attempt.accountId), ...(accountId ? [accountId] : [])]);
  const accountState = (id: string) => ({
    usage: subjectState(`accountUsage-${id}`, state),
    coolDown: subjectState(`accountCoolDown-${id}`, state),
  });
  return redact(
    toJson({
      isOpen: state.openRequests.has(requestId),
      apiKey: keyId === null ? null : subjectState(`apiKey-${keyId}`, state),
      accounts: Object.fromEntries([...accounts].map((id) => [id, accountState(id)])),
    }),
  );
}
