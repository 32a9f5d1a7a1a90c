/** Why a service is not ready for model requests, as codes; empty when it is. Checks that the status fits. */
export async function reasonsOf(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/ready`);
  const { status, reasons = [] } = (await response.json()) as { status: string; reasons?: { code: string }[] };
  const expected = reasons.length === 0 ? '200 ready' : '503 not_ready';
  if (`${response.status} ${status}` !== expected) throw new Error(`${response.status} ${status}, not ${expected}`);
  return reasons.map(({ code }) => code);
}
