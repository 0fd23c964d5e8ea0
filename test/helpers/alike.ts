/** Runs one story twice: in a session that is then approved, and directly. Responses and databases must be equal. */
import { backend } from '../../src/wire/message-codes.ts';
import type { TestRole } from './both-ways.ts';
import type { Proxied } from './proxied.ts';
import type { Step } from './sql-stories.ts';
import type { TestDefiner } from './suite.ts';
import { assert } from './suite.ts';
import type { WireClient } from './wire-script.ts';
import { connectWire, inWords, q, run, runScript, s } from './wire-script.ts';

interface Alike {
  /** The session's read mode. */
  readonly reads?: 'production' | 'staged';
  /** Selects the responses to compare. */
  readonly only?: (answer: string) => boolean;
  /** Puts the responses into the order in which they are compared. */
  readonly arrange?: (answers: string[]) => string[];
  /** The role that sends the messages. */
  readonly role?: TestRole;
}

/** Sends the same messages both ways, approves, and compares. Returns the session's responses. */
export async function assertAlike(
  proxied: Proxied,
  messages: readonly Buffer[],
  { reads = 'staged', only = () => true, arrange = (answers) => answers, role }: Alike = {},
): Promise<string[]> {
  const { daemon } = proxied;
  const before = await proxied.contents();
  const session = await daemon.newSession({ reads });
  const url = role ? proxied.twin.urlFor(role.name, role.password) : proxied.twin.url;
  const answers = await runScript(daemon.clientUrl(session, role?.name, role?.password), messages);
  const expected = await runScript(url, messages);
  assert.equal(arrange(answers.filter(only)), arrange(expected.filter(only)));
  assert.equal(await proxied.contents(), before, 'production before the approval');
  await approve(proxied, session);
  return answers;
}

/**
 * Returns a function that defines a test of the same statements for each protocol and read mode.
 * @param shown the queries that follow them where reads are staged
 */
export const alikeEachWay =
  (test: TestDefiner, proxied: () => Proxied, shown: readonly string[]) =>
  (
    name: string,
    texts: readonly string[],
    modes: readonly ('staged' | 'production')[] = ['staged', 'production'],
  ): void => {
    const both = { simple: q, extended: (text: string) => Buffer.concat([run(text), s]) };
    for (const [way, send] of Object.entries(both))
      for (const reads of modes)
        test(
          `${name}: ${way}, ${reads} reads`,
          async () => {
            const all = [...texts, ...(reads === 'staged' ? shown : [])];
            await assertAlike(proxied(), all.map(send), { reads });
          },
          { timeout: 120_000 },
        );
  };

async function approve({ daemon, contents, twinContents }: Proxied, session: string) {
  for (const step of ['propose', 'approve']) {
    const { status, text } = await daemon.call('POST', `/sessions/${session}/${step}`);
    assert.is(status, 200, text);
  }
  assert.equal(await contents(), await twinContents(), 'after the approval');
}

/** Defines one test for each story: the responses to each step are equal, and so are the databases after the approval. */
export function approveStories(
  test: TestDefiner,
  proxied: () => Proxied,
  stories: Readonly<Record<string, readonly Step[]>>,
): void {
  // The first test creates the overlays of many tables.
  for (const [name, steps] of Object.entries(stories))
    test(name, () => take(proxied(), steps), { timeout: 120_000 });
}

/** Runs the steps of a story in order, and approves. */
async function take(proxied: Proxied, steps: readonly Step[]): Promise<void> {
  const { daemon, database, twin } = proxied;
  const session = await daemon.newSession({ reads: 'staged' });
  const staged = connections(daemon.clientUrl(session));
  const direct = connections(twin.url);
  let production = await proxied.contents();
  try {
    for (const { by, refused, texts } of turnsOf(steps)) {
      const all = texts.join(';\n');
      if (by === 'production') {
        assert.equal(await proxied.contents(), production, `production before ${all}`);
        for (const { query } of [database, twin]) await query(all);
        production = await proxied.contents();
      } else {
        const answers = await staged.tell(by, texts);
        if (refused) assert.match(answers.join('\n'), refused, all);
        else assert.equal(answers, await direct.tell(by, texts), all);
      }
    }
    assert.equal(await proxied.contents(), production, 'production before the approval');
    await approve(proxied, session);
  } finally {
    for (const { close } of [staged, direct]) close();
  }
}

/** Groups consecutive steps of one connection that are compared alike. Each group is sent in one piece. */
function turnsOf(steps: readonly Step[]) {
  const turns: { by: string; refused: RegExp | null; texts: string[] }[] = [];
  for (const { by, refused, text } of steps) {
    const last = turns.at(-1);
    if (last?.by === by && !last.refused && !refused) last.texts.push(text);
    else turns.push({ by, refused, texts: [text] });
  }
  return turns;
}

/** Returns clients by name. Each connects when it first sends something. */
function connections(url: string) {
  const clients = new Map<string, WireClient>();
  return {
    /** Sends texts in one piece, and returns their responses. */
    tell: async (by: string, texts: readonly string[]): Promise<string[]> => {
      const client = clients.get(by) ?? (await connectWire(url));
      clients.set(by, client);
      client.send(...texts.map(q));
      return (await client.readTo(backend.readyForQuery, texts.length)).map(inWords);
    },
    close: () => {
      for (const client of clients.values()) client.close();
    },
  };
}
