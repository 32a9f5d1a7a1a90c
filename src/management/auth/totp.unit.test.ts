import { expect, test } from 'vitest';
import { instant } from '../../domain/core/brands.ts';
import { newTotpSecret, qrCodeOf, stepOf } from './totp.ts';

/** The secret of RFC 6238, appendix B ("12345678901234567890"), whose codes end in these six digits. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('generates at %i s the code %s of RFC 6238, appendix B', (seconds, code) =>
  expect(stepOf(code, SECRET, instant(seconds * 1_000))).toBe(Math.floor(seconds / 30)),
);

test('finds the step of a code within one step of now', () => {
  const at = (seconds: number) => stepOf('287082', SECRET, instant(seconds * 1_000));
  expect([at(0), at(29.999), at(30), at(59), at(60), at(89.999)]).toEqual([1, 1, 1, 1, 1, 1]);
  expect(at(90)).toBeUndefined();
});

test('generates secrets of 160 random bits', () => {
  const secrets = Array.from({ length: 100 }, newTotpSecret);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(new Set(secrets).size).toBe(100);
});

test('renders the QR code as a PNG', async () =>
  expect(await qrCodeOf(SECRET)).toMatch(/^data:image\/png;base64,iVBORw0KGgo/));
