/**
 * Random conversations of a client that waits, or does not. They have messages of every kind, with Sync now, later or never, Flush, portals
 * over several batches, COPY both ways, cancel requests where their effect is certain, and DISCARD and DEALLOCATE between. Another
 * connection alters tables.
 */
import { copyFailMessage } from '../../src/wire/frontend-messages.ts';
import { frontend } from '../../src/wire/message-codes.ts';
import type { Random } from './random.ts';
import { pipelineSchema, simple, steps } from './random-pipeline.ts';
import { b, c, d, data, done, e, h, p, q, run, s } from './wire-script.ts';

/** The tables of pipelines, and one that has nothing to do with them. */
export const conversationSchema = `${pipelineSchema}CREATE TABLE note (id int PRIMARY KEY, body text);`;

/** A message, or an action before the next one: `alter` stands for the end of the transaction, and another connection that alters a table. */
type Step = Buffer | 'wait' | 'cancel' | 'alter';
export type Conversation = Step[];

/** Returns a Sync, after which the client may wait. */
const settle = (random: Random): Conversation => (random.chance(0.5) ? [s, 'wait'] : [s]);

/** Returns a batch with pauses between its messages. */
function batch(random: Random): Conversation {
  const messages = Array.from({ length: 1 + random.below(4) }, () => [
    ...steps(random, true),
    ...random.pick<Conversation>([[], [], [], [h], [h, 'wait'], ['wait']]),
  ]);
  return [...messages.flat(), ...settle(random)];
}

/** Returns a Query after a batch without Sync. Outside of a block PostgreSQL itself gets out of step then (XX000). */
function interrupted(random: Random): Conversation {
  const begun = random.pick([
    run('SELECT 1/0'),
    run('SELECT 5'),
    p('selec'),
    run(`INSERT INTO item VALUES (1, 'again', 1)`),
    run('UPDATE item SET amount = 9 WHERE id = 2 RETURNING id'),
    e(0, 'nowhere'),
  ]);
  const query = q(
    random.pick([
      'SAVEPOINT b',
      'SELECT 6',
      'selec',
      'DELETE FROM part',
      ';',
      'SELECT 1; SELECT 2',
    ]),
  );
  const pause = random.pick<Conversation>([[], ['wait'], [h, 'wait']]);
  return [q('ROLLBACK'), q('BEGIN'), begun, ...pause, query, ...pause, ...settle(random)];
}

const query = (random: Random) =>
  random.chance(0.1)
    ? q(
        random.pick([
          'DISCARD ALL',
          'DEALLOCATE ALL',
          'RESET ALL',
          'selec',
          ';',
          'SHOW search_path',
        ]),
      )
    : simple(random, true);

const portals = ['one', 'two', ''];
const portalTexts = [
  'SELECT id, amount FROM item ORDER BY id',
  'UPDATE item SET amount = amount + 1 WHERE id = 3 RETURNING id, amount',
  'DELETE FROM part WHERE id = 2',
  `INSERT INTO item VALUES (70, 'seventy', 7) RETURNING id`,
  // not above ORDER BY: whether the rows before the error come would depend on the plan
  'SELECT 10 / (id - 4) FROM (SELECT id FROM item ORDER BY id OFFSET 0) i',
  'SHOW application_name',
];

/** Returns portals that live as long as a block. Successive batches describe them and read them in parts. */
function block(random: Random): Conversation {
  const step = (): Conversation => {
    const name = random.pick(portals);
    return random.pick<() => Conversation>([
      () => [
        p(random.pick(portalTexts)),
        b([], '', name),
        ...(random.chance(0.5) ? [d('portal', name)] : []),
        e(1, name),
        ...settle(random),
      ],
      () => [
        p(random.pick(portalTexts), 'of'),
        d('statement', 'of'),
        b([], 'of', name),
        c('statement', 'of'),
        ...settle(random),
      ],
      () => [e(1 + random.below(3), name), ...settle(random)],
      () => [e(1, name), h, 'wait', e(0, name), ...settle(random)],
      () => [d('portal', name), ...settle(random)],
      () => [c('portal', name), ...settle(random)],
      () => [
        q(
          random.pick([
            'SAVEPOINT a',
            'ROLLBACK TO a',
            'RELEASE a',
            'SELECT 1/0',
            'UPDATE item SET amount = 5 WHERE id = 1',
          ]),
        ),
        'wait',
      ],
      () => batch(random),
    ])();
  };
  const count = 2 + random.below(8);
  const end = random.pick([[q('COMMIT')], [q('ROLLBACK')], [run('ROLLBACK'), s]]);
  return [q('BEGIN'), ...Array.from({ length: count }, step).flat(), ...end, 'wait'];
}

const inAnyOrder = (random: Random, names: readonly string[]): string[] =>
  names
    .map((name) => ({ name, place: random.below(1000) }))
    .sort((one, other) => one.place - other.place)
    .map(({ name }) => name);

const writes = [
  'UPDATE item SET amount = amount + 1 WHERE id = 3 RETURNING id, amount',
  'DELETE FROM part WHERE id = 2',
  `INSERT INTO item VALUES (71, 'seventy-one', 7) RETURNING name`,
  'INSERT INTO part VALUES (60, 1) RETURNING *',
  'UPDATE part SET item = 5 WHERE id = 3',
  `INSERT INTO note VALUES (1, 'first') RETURNING *`,
  `INSERT INTO note VALUES (2, 'second')`,
];

/** Returns a batch that binds portals of writes, uses the names of statements and portals again, and executes the portals at its end. */
function boundTogether(random: Random): Conversation {
  const bind = (portal: string): Conversation => {
    const name = random.pick(['', '', 'of']);
    const free = name === '' || random.chance(0.1) ? [] : [c('statement', name)];
    const made = [...free, p(random.pick(writes), name), b([], name, portal)];
    const after = [[], [], [d('portal', portal)], [c('statement', name)], [c('portal', portal)]];
    return random.chance(0.8) ? [...made, ...random.pick(after)] : [b([], name, portal)];
  };
  const bound = inAnyOrder(random, portals).flatMap(bind);
  const executed = inAnyOrder(random, portals).map((portal) => e(0, portal));
  const known = ['item', 'part', 'note'].map((table) => q(`DELETE FROM ${table} WHERE id = 0`));
  const before = random.pick<Conversation>([
    [q('BEGIN')],
    [...known, 'alter'],
    [...known, 'alter', q('BEGIN')],
  ]);
  return [...before, ...bound, ...executed, ...settle(random)];
}

const rows = (random: Random) => {
  const from = 100 + random.below(800);
  const good = Array.from(
    { length: 2 + random.below(4) },
    (_, at) => `${from + at}\tcopied\t${at}\n`,
  );
  return {
    good,
    wrong: random.pick(['1\tagain\t1\n', 'x\tno number\t1\n', '99\tnegative\t-1\n', '98\n']),
  };
};

function copy(random: Random): Conversation {
  if (random.chance(0.3)) {
    const text = 'COPY (SELECT id, name FROM item ORDER BY id) TO STDOUT';
    return random.chance(0.5) ? [q(text), 'wait'] : [run(text), ...settle(random)];
  }
  const text = random.pick([
    'COPY item FROM STDIN',
    'COPY item (id, name, amount) FROM STDIN',
    'COPY nowhere FROM STDIN',
  ]);
  const isExtended = random.chance(0.4);
  const begin: Conversation = isExtended ? [p(text), b(), e()] : [q(text)];
  const { good, wrong } = rows(random);
  const end: Conversation = isExtended ? settle(random) : ['wait'];
  if (random.chance(0.3)) {
    const pause: Conversation = isExtended ? [h, 'wait'] : ['wait'];
    return [
      ...begin,
      ...pause,
      data(good[0] as string),
      'cancel',
      data(good.slice(1).join('')),
      done,
      ...end,
    ];
  }
  const isWrong = random.chance(0.3);
  const lines = isWrong ? [...good, wrong] : good;
  const last = !isWrong && random.chance(0.2) ? copyFailMessage('no more') : done;
  return [
    ...begin,
    ...(random.chance(0.5) ? (['wait'] as const) : []),
    ...lines.map((line) => data(line)),
    last,
    ...end,
  ];
}

/** Returns a conversation of `turns` turns. It ends a failed transaction now and then. */
export function randomConversation(random: Random, turns: number): Conversation {
  const turn = () =>
    random.pick<() => Conversation>([
      () => batch(random),
      () => batch(random),
      () => [query(random), ...random.pick<Conversation>([[], ['wait'], ['wait', 'cancel']])],
      () => block(random),
      () => interrupted(random),
      () => boundTogether(random),
      () => copy(random),
      () => [q('ROLLBACK'), 'wait'],
      () => ['alter'],
    ])();
  const all = Array.from({ length: turns }, turn).flat();
  return [
    ...all,
    s,
    q('ROLLBACK'),
    'wait',
    q('SELECT * FROM item ORDER BY id'),
    q('SELECT * FROM part ORDER BY id'),
    q('SELECT * FROM note ORDER BY id'),
  ];
}

const isOf = (step: Step, code: number): step is Buffer =>
  Buffer.isBuffer(step) && step[0] === code;

/** Whether a Bind or an Execute is of the unnamed portal: its payload begins with an empty name. */
const isUnnamed = (step: Buffer) => step[5] === 0;
const unnamedPortal = d('portal', '');
const readsUnnamed = (step: Buffer) =>
  (isOf(step, frontend.execute) && isUnnamed(step)) || step.equals(unnamedPortal);

/**
 * Leaves out each Describe and Execute of the unnamed portal in which a Query of the same block may have failed. PostgreSQL reads memory
 * there that it has freed, answers 25P02, 55000 or NoData, and may crash (docs/limits.md).
 */
export function withoutFreed(conversation: Conversation): Conversation {
  let isFreed = false;
  let isBound = false;
  let isInBatch = false;
  return conversation.filter((step) => {
    if (isOf(step, frontend.query)) {
      // in a batch it may be skipped
      isFreed = isInBatch || !/^(COMMIT|ROLLBACK)\0/.test(step.toString('latin1', 5));
      isBound = false;
    } else if (isOf(step, frontend.sync)) {
      isInBatch = false;
      isBound = false;
    } else if (Buffer.isBuffer(step)) {
      if (isFreed && !isBound && readsUnnamed(step)) return false;
      isInBatch = true;
      isBound ||= isOf(step, frontend.bind) && isUnnamed(step);
    }
    return true;
  });
}

/** Returns the conversation as code that can be pasted into a script for `tell`. */
export function asScript(conversation: Conversation): string {
  const line = (step: Step) =>
    typeof step === 'string'
      ? `'${step}'`
      : `Buffer.from(${JSON.stringify(step.toString('latin1'))}, 'latin1')`;
  return conversation.map((step) => `  ${line(step)},`).join('\n');
}
