/** `accountId` as `account_id`. Names in snake_case stay the same, so both spellings are one name. */
export const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
