/** One story told twice: through a session that is then approved, and directly; answers and databases must be alike. */
import type { Proxied } from './proxied.ts';
import type { TestDefiner } from './suite.ts';
import { assert } from './suite.ts';
import { q, tell } from './wire-script.ts';

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

/** Makes a test of each story: its messages are told alike, and so is what is there after the approval. */
export function approveStories(
  test: TestDefiner,
  proxied: () => Proxied,
  stories: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [name, texts] of Object.entries(stories)) {
    const run = async () => {
      await assertAlike(proxied(), texts.map(q));
    };
    // the first one makes the overlays of many tables
    test(name, run, { timeout: 120_000 });
  }
}
