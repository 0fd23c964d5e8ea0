/** Lists over several pages, without a daemon. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Context } from '../../src/cli/context.ts';
import type { Host } from '../../src/cli/host.ts';
import type { ListOptions } from '../../src/cli/output/list.ts';
import { showList } from '../../src/cli/output/list.ts';
import { Output } from '../../src/cli/output/output.ts';
import { assert, suite } from '../helpers/suite.ts';

const total = 2500;

/** Writes a list of numbers. Returns the output, and the pages that were fetched for it. */
async function shown(
  options: ListOptions,
  withCursors = true,
): Promise<{ stdout: string; stderr: string; pages: string[] }> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const host = { env: {}, stdout, stderr } as unknown as Host;
  const out = new Output(host, { json: false, colour: 'never', quiet: false });
  const written = text(stdout);
  const remarked = text(stderr);
  const pages: string[] = [];
  await showList(
    { out, host, options: { color: 'never' } } as Context,
    { ...options, color: 'never' },
    {
      columns: [{ title: 'n', align: 'right' }],
      row: (n: number) => [String(n)],
      member: 'numbers',
      fetch: async ({ limit = 100, cursor, offset = 0 }) => {
        const start = offset + Number(cursor?.slice(1) ?? 0);
        pages.push(`${cursor ?? offset}+${limit}`);
        const items = Array.from({ length: total }, (_, n) => n).slice(start, start + limit);
        const end = start + items.length;
        const more = end < total;
        const body = `{"of":"all","numbers":[${items}],"total_count":${total},"has_more":${more}}`;
        const nextCursor = more && withCursors ? `#${end}` : null;
        return { body, value: { items, totalCount: total, hasMore: more, nextCursor } };
      },
    },
  );
  stdout.end();
  stderr.end();
  return { stdout: await written, stderr: await remarked, pages };
}

suite('lists', (test) => {
  test('fetch the usual page when nothing is said', async () => {
    const { stdout, pages } = await shown({});
    assert.equal(pages, ['0+100']);
    assert.is(stdout.split('\n').length, 101);
  });

  test('say in a pipe, too, that they go on, where nobody asked for a part', async () => {
    assert.match(
      (await shown({})).stderr,
      /^1 to 100 of 2500; continue with --offset 100, or see --all\n$/,
    );
    for (const options of [{ limit: 3 }, { all: true }] as const)
      assert.is((await shown(options)).stderr, '');
  });

  test('fetch as many pages as it takes', async () => {
    assert.equal((await shown({ limit: 1500, offset: 200 })).pages, ['200+1000', '#1200+500']);
    assert.equal((await shown({ all: true })).pages, ['0+1000', '#1000+1000', '#2000+1000']);
    assert.equal((await shown({ limit: 9, offset: 9000 })).pages, ['9000+9']);
    assert.equal((await shown({ limit: 9, cursor: '#7' })).pages, ['#7+9']);
  });

  test('fetch pages by their place from a daemon without cursors', async () => {
    const { pages, stdout } = await shown({ all: true }, false);
    assert.equal(pages, ['0+1000', '1000+1000', '2000+1000']);
    assert.is(stdout.trimEnd().split('\n').length, total);
  });

  test('go on behind a page', async () => {
    const { stdout, stderr } = await shown({ cursor: '#200' });
    assert.match(stdout, /^200\n/);
    assert.match(stderr, /^100 of 2500; continue with --cursor #300, or see --all\n$/);
    assert.is((await shown({ cursor: '#2400' })).stderr, '');
  });

  for (const [form, count] of [
    ['tsv', total],
    ['jsonl', total],
    ['csv', total + 1],
    ['table', total + 1],
    ['markdown', total + 2],
  ] as const) {
    test(`have one heading over all pages as ${form}`, async () => {
      const { stdout } = await shown({ all: true, output: form });
      assert.is(stdout.trimEnd().split('\n').length, count);
    });
  }

  test('are one JSON document over all pages', async () => {
    const { stdout } = await shown({ all: true, output: 'json' });
    const { of, numbers, total_count, has_more } = JSON.parse(stdout);
    assert.equal([of, total_count, has_more], ['all', total, false]);
    assert.equal(
      numbers,
      Array.from({ length: total }, (_, n) => n),
    );
  });
});
