/** Random COPYs, whose data arrives in pieces with pauses, get the same responses and leave the same rows as without the proxy. */
import { setTimeout as delay } from 'node:timers/promises';
import { copyFailMessage } from '../../src/wire/frontend-messages.ts';
import { backend } from '../../src/wire/message-codes.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { data, done, inWords, q } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE top (id int PRIMARY KEY);
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL CHECK (n < 100), up int REFERENCES top, code text UNIQUE);
INSERT INTO top VALUES (1);
INSERT INTO item VALUES (1, 1, 1, 'one'), (2, 2, 1, 'two'), (3, 3, NULL, NULL);
`;
const before = [
  'DELETE FROM item WHERE id = 2',
  `INSERT INTO item VALUES (2000, 1, 1, 'own')`,
  'UPDATE item SET id = 4 WHERE id = 3',
];
/** Lines that are out of order, or in order only after a line that may be staged already. */
const suspect = ['2\t1\t1\tx', '3\t1\t1\tx', '2000\t1\t1\tx', '900\t1\t1\ttwo', '901\t1\t1\town'];
const wrong = [
  'x\t1\t1\tx',
  '902\t\\N\t1\tx',
  '903\t100\t1\tx',
  '904\t1\t7\tx',
  '905\t1',
  '10\t1\t1\tx',
];
/** Longer than the proxy's threshold for a pause. */
const pauseMs = 80;

/** A message and the type of the message that ends its response, or data of a COPY followed by a pause. */
interface Step {
  readonly bytes: Buffer;
  readonly answer: number | null;
  readonly pause: boolean;
}

const asked = (text: string): Step => ({
  bytes: q(text),
  answer: backend.readyForQuery,
  pause: false,
});

function randomProgram(random: Random): Step[] {
  const copies = Array.from({ length: 1 + random.below(3) }, (_, at) =>
    randomCopy(random, 10 + at * 300),
  );
  const inBlock = random.chance(0.4);
  return [
    ...(inBlock ? [asked('BEGIN')] : []),
    ...before.filter(() => random.chance(0.3)).map(asked),
    ...copies.flat(),
    ...(inBlock ? [asked(random.pick(['COMMIT', 'ROLLBACK']))] : []),
    asked('SELECT * FROM item ORDER BY id'),
  ];
}

function randomCopy(random: Random, from: number): Step[] {
  const rows = Array.from(
    { length: 1 + random.below(200) },
    (_, at) => `${from + at}\t1\t\\N\t\\N`,
  );
  const isSuspect = random.chance(0.5);
  if (isSuspect)
    rows.splice(random.below(rows.length), 0, random.pick(random.chance(0.5) ? suspect : wrong));
  const text = rows.map((row) => `${row}\n`).join('');
  const pieces: Step[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + random.below(random.pick([50, 5000]));
    pieces.push({ bytes: data(text.slice(at, end)), answer: null, pause: random.chance(0.1) });
    at = end;
  }
  // PostgreSQL checks keys in batches, and may read the CopyFail first: docs/limits.md
  const end = !isSuspect && random.chance(0.2) ? copyFailMessage('no more') : done;
  return [
    { bytes: q('COPY item FROM STDIN'), answer: backend.copyInResponse, pause: random.chance(0.1) },
    ...pieces,
    { bytes: end, answer: backend.readyForQuery, pause: false },
  ];
}

suite('COPY with pauses', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  async function answers(url: string, program: readonly Step[]): Promise<string[]> {
    const client = await proxied.wire(url);
    const reported: string[] = [];
    let isFailed = false;
    for (const { bytes, answer, pause } of program) {
      client.send(bytes);
      if (pause) await delay(pauseMs);
      if (answer === null || (isFailed && answer === backend.copyInResponse)) continue;
      // a COPY in a failed transaction gets no CopyInResponse
      const messages = await client.read(
        ({ type }) => type === answer || type === backend.readyForQuery,
      );
      reported.push(...messages.map(inWords));
      isFailed = String(messages.at(-1)?.payload) === 'E';
    }
    client.close();
    return reported;
  }

  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
    test(`seed ${seed}`, async () => {
      await proxied.twin.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${schema}`);
      const program = randomProgram(createRandom(seed));
      const url = await proxied.session('staged');
      assert.equal(await answers(url, program), await answers(proxied.twin.url, program));
    });
  }
});
