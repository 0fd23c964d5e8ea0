/** One story told twice: through a session that is then approved, and directly; answers and databases must be alike. */
import type { Proxied } from './proxied.ts';
import { assert } from './suite.ts';
import { tell } from './wire-script.ts';

interface Alike {
  /** How the session reads. */
  readonly reads?: 'production' | 'staged';
  /** Takes out of the answers what may differ. */
  readonly only?: (answer: string) => boolean;
}

/** Sends the same messages both ways, approves, and compares. Gives what the client was told. */
export async function assertAlike(
  proxied: Proxied,
  messages: readonly Buffer[],
  { reads = 'staged', only = () => true }: Alike = {},
): Promise<string[]> {
  const { daemon } = proxied;
  const before = await proxied.contents();
  const session = await daemon.newSession({ reads });
  const answers = await tell(daemon.clientUrl(session), messages);
  const expected = await tell(proxied.twin.url, messages);
  assert.equal(answers.filter(only), expected.filter(only));
  assert.equal(await proxied.contents(), before, 'production before the approval');
  for (const step of ['propose', 'approve']) {
    const { status, text } = await daemon.call('POST', `/sessions/${session}/${step}`);
    assert.is(status, 200, text);
  }
  assert.equal(await proxied.contents(), await proxied.twinContents(), 'after the approval');
  return answers;
}
