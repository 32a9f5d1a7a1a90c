import { VAULT_PREFIX } from '../../sideStreams.ts';

/** The stream with the key of the installation. The id of its first event tells installations apart. */
export const INSTALLATION_STREAM = `${VAULT_PREFIX}installation`;
