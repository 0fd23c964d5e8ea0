/** Clients that send Sync, or a Query, after they saw an error or before they can see it: server and proxy skip up to Sync. */
import postgres from 'postgres';
import { copyFailMessage } from '../../src/wire/frontend-messages.ts';
import { backend } from '../../src/wire/message-codes.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { pipelineSchema } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Pause } from '../helpers/wire-script.ts';
import {
  b,
  c,
  connectWire,
  d,
  data,
  done,
  e,
  h,
  p,
  q,
  run,
  runScript,
  s,
} from '../helpers/wire-script.ts';

type Script = readonly (Buffer | Pause)[];

const insert = 'INSERT INTO item VALUES ($1, $2, 1) RETURNING id';
const rows = q('SELECT * FROM item ORDER BY id');

/** Each fails in the extended protocol, without a Sync. */
const failures: Readonly<Record<string, Script>> = {
  'a wrong column, at Parse': [p('INSERT INTO item (id, vv) VALUES ($1, $2)'), d('statement')],
  'a wrong column, at Parse of a name': [p('UPDATE item SET nn = $1', 'u'), d('statement', 'u')],
  'too many expressions, at Parse': [p('INSERT INTO item (id) VALUES (1, 2)')],
  'a bad value, at Bind': [p(insert), b(['x', 'y']), d(), e()],
  'too few values, at Bind': [p(insert), b(['x']), e()],
  'a duplicate key, at Execute': [p(insert), b(['1', 'y']), d(), e()],
  'a duplicate key, at Execute in parts': [p(insert, 'i'), b(['1', 'y'], 'i', 'c'), e(2, 'c')],
  'the second of two writes': [run(insert, '20', 'y'), h, 'wait', run(insert, '1', 'z')],
  'a read between writes': [run(insert, '20', 'y'), run('SELECT 1/0'), run(insert, '21', 'z')],
  'a read before a write that is named': [run('SELECT 1/0'), p(insert, 'u')],
  'a read before a write': [run('SELECT 1/0'), run(insert, '21', 'z')],
  'a read': [run('SELECT 1/0')],
  'a text that is no SQL': [p('selec')],
  'a table that is not there': [p('INSERT INTO nowhere VALUES (1)')],
  'a deferred constraint': [run('INSERT INTO part VALUES (9, 99)')],
  'a row of a COPY': [p('COPY item FROM STDIN'), b(), e(), data('20\ta\t1\n1\tb\t1\n'), done],
  'a COPY that is given up': [
    p('COPY item FROM STDIN'),
    b(),
    e(),
    data('20\ta\t1\n'),
    copyFailMessage('no'),
  ],
  'a portal that is not there': [run(insert, '20', 'y'), e(0, 'nowhere')],
};

/** How the client continues. */
const ends: Readonly<Record<string, Script>> = {
  'Sync later': [h, 'wait', s, 'wait'],
  'Sync later, after more of the batch': [
    h,
    'wait',
    run(insert, '30', 'more'),
    h,
    'wait',
    s,
    'wait',
  ],
  'Flush twice, Sync later': [h, 'wait', h, 'wait', c('portal', 'c'), s],
  'Sync along': [s, 'wait'],
  'a Query, then Sync': [q('SELECT 5'), s, 'wait'],
  'a Query that writes, then Sync': [q(`INSERT INTO item VALUES (40, 'q', 1)`), s, 'wait'],
  'a Query that is no SQL, then Sync': [q('selec'), s, 'wait'],
  'a Query, Sync later': [q('SAVEPOINT b'), 'wait', h, 'wait', s, 'wait'],
  'a Query once it has seen the error': [h, 'wait', q('SELECT 6'), q('SELECT 7'), h, s, 'wait'],
};

/** The responses that the server sends without Sync or Flush, by the type of the message that a client waits for. */
const unasked: Readonly<Record<string, readonly [type: number, ...messages: Buffer[]]>> = {
  'an error at Parse': [backend.errorResponse, p('selec')],
  'an error at Bind': [backend.errorResponse, p(insert), b(['x', 'y'])],
  'an error at Execute': [backend.errorResponse, p(insert), b(['1', 'y']), e()],
  'that a COPY may begin': [backend.copyInResponse, p('COPY item FROM STDIN'), b(), e()],
  'rows that fill its buffer': [
    backend.dataRow,
    run(`SELECT repeat('x', 9000)`),
    run(`SELECT repeat('x', 9000)`),
  ],
};

async function hears(url: string, [type, ...messages]: readonly [number, ...Buffer[]]) {
  const client = await connectWire(url);
  client.send(...messages);
  const heard = await client.readTo(type);
  client.close();
  return heard.map((message) => String.fromCharCode(message.type));
}

suite('errors before Sync', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(pipelineSchema);
  });
  test.after(() => proxied.stop());
  test.beforeEach(async () => {
    const [, , ...fill] = pipelineSchema.trim().split('\n');
    await proxied.twin.query(['TRUNCATE item, part', ...fill].join(';\n'));
  });

  const after = [
    ...[p(insert, 'u'), c('statement', 'u')],
    run(insert, '50', 'after'),
    s,
    'wait',
    rows,
    q('DELETE FROM item WHERE id >= 20'),
  ] as const;
  for (const [failure, begin] of Object.entries(failures)) {
    // deferred checks fail at the end of the Query itself: docs/limits.md
    const reported = Object.entries(ends).filter(([end]) => !/deferred.*Query/.test(failure + end));
    const alone = reported.flatMap(([, rest]) => [...begin, ...rest, ...after]);
    const inBlocks = Object.values(ends).flatMap((rest) => [
      ...[
        q('BEGIN'),
        q('SAVEPOINT a'),
        ...begin,
        ...rest,
        q('ROLLBACK TO a'),
        ...after,
        q('COMMIT'),
      ],
    ]);
    for (const [where, script] of Object.entries({ 'by itself': alone, 'in a block': inBlocks })) {
      test(`${failure}, ${where}`, async () => {
        const all = [q('UPDATE item SET amount = 1 WHERE id = 2'), ...script, c('statement', 'u')];
        const url = await proxied.session('staged');
        assert.equal(await runScript(url, all), await runScript(proxied.twin.url, all));
      });
    }
  }

  for (const [name, messages] of Object.entries(unasked)) {
    test(`told unasked: ${name}`, async () => {
      const url = await proxied.session('staged');
      assert.equal(await hears(url, messages), await hears(proxied.twin.url, messages));
    });
  }

  test('postgres.js goes on after errors of writes', async () => {
    const sql = postgres(await proxied.session('staged'), { max: 1, onnotice: () => undefined });
    const outcome = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
    await sql`UPDATE item SET amount = 1 WHERE id = 2`;
    const reported = [
      await outcome(sql`INSERT INTO item (id, vv) VALUES (${60}, ${'x'})`),
      await outcome(sql`INSERT INTO item VALUES (1, ${'x'}, 1)`),
      await outcome(sql`INSERT INTO item (id, vv) VALUES (${60}, 'x')`.describe()),
      await outcome(
        sql`INSERT INTO item VALUES (1, ${'x'}, 1) RETURNING id`.cursor(2, () => undefined),
      ),
      await outcome(sql`INSERT INTO item VALUES (${60}, ${'x'}, 1)`),
    ];
    assert.equal(reported, ['42703', '23505', '42703', '23505', 'done']);
    await sql.end();
  });
});
