/** Documents are shown by the parts that differ, bytes by their number and hash. The JSON of a diff has both in full. */
import { createHash } from 'node:crypto';
import { createCsvFormat } from '../../../src/cli/diff/csv.ts';
import { createJsonLinesFormat } from '../../../src/cli/diff/json.ts';
import { createMarkdownFormat } from '../../../src/cli/diff/markdown.ts';
import { JsonText } from '../../../src/model/json.ts';
import { gridCell, SidesCache } from '../../../src/tui/cells.ts';
import { assert, suite } from '../../helpers/suite.ts';
import { text, written } from './written.ts';

const columns = [
  ['id', 'integer'],
  ['meta', 'jsonb'],
  ['raw', 'json'],
  ['photo', 'bytea'],
].map(([name = '', type = '']) => ({ name, type, generated: false }));

/** Returns a diff with one update of some columns. */
function updateOf(before: object, after: object, texts?: object): string {
  const change = { type: 'UPDATE', row_id: 1, before: { id: 1, ...before }, texts };
  const changes = [{ ...change, after: { id: 1, ...after } }];
  const table = { inserts: 0, updates: 1, deletes: 0, columns, changes };
  return JSON.stringify({ session_id: 'sess_1', digest: 'sha256:ab', tables: { docs: table } });
}

const lineOf = (json: string, mode?: Parameters<typeof text>[0]) =>
  written(text(mode), json).split('\n')[1];

const long = 'so long that nobody wants to read it twice';

suite('diff: documents by path', (test) => {
  const before = { meta: { long, a: { b: [1, 2, { c: 'x' }] }, gone: null } };
  const after = { meta: { long, a: { b: [1, 99, { c: '(not there)' }] }, new: '5' } };

  test('each part that differs stands under its path, as JSON', () => {
    assert.is(
      lineOf(updateOf(before, after)),
      '  ~ 1  meta.a.b[1]: 2 → 99  meta.a.b[2].c: "x" → "(not there)"  meta.gone: null → (not there)  meta.new: (not there) → "5"',
    );
  });

  test('in every layout, and in Markdown', () => {
    const json = updateOf(before, after);
    for (const mode of ['context', 'stacked', 'side-by-side'] as const) {
      const shown = written(text(mode), json);
      assert.match(shown, 'meta.a.b[1]', mode);
      assert.not.match(shown, long, mode);
    }
    assert.match(written(text('side-by-side'), json), /meta\.new +\| {2}"5"/);
    const markdown = written((reader) => createMarkdownFormat(reader, 'sess_1'), json);
    assert.match(
      markdown,
      '<code>meta&#46;a&#46;b&#91;1&#93;</code>: <code>2</code> → <code>99</code>',
    );
    assert.not.match(markdown, 'nobody');
  });

  test('names with signs in them are quoted: no two paths are the same', () => {
    const dotted = updateOf({ meta: { long, 'a.b': 1 } }, { meta: { long, 'a.b': 2 } });
    assert.is(lineOf(dotted), '  ~ 1  meta."a.b": 1 → 2');
    const nested = updateOf({ meta: { long, a: { b: 1 } } }, { meta: { long, a: { b: 2 } } });
    assert.is(lineOf(nested), '  ~ 1  meta.a.b: 1 → 2');
    const hostile = updateOf({ meta: { long, '→\u202e': 1 } }, { meta: { long, '→\u202e': 2 } });
    assert.is(lineOf(hostile), '  ~ 1  meta."→\\u202e": 1 → 2');
  });

  test('documents that are shorter than their parts are shown whole', () => {
    assert.is(
      lineOf(updateOf({ meta: [1, 2, 3] }, { meta: [4, 5, 6] })),
      '  ~ 1  meta: [1,2,3] → [4,5,6]',
    );
    assert.is(lineOf(updateOf({ meta: { a: 1 } }, { meta: [1] })), '  ~ 1  meta: {"a":1} → [1]');
    assert.is(lineOf(updateOf({ meta: { a: 1 } }, { meta: null })), '  ~ 1  meta: {"a":1} → NULL');
  });

  test('json is compared as it is spelled, and whole where a member stands twice', () => {
    const spelled = (text: string) => ({ raw: JSON.parse(text) });
    const updated = (old: string, now: string) =>
      lineOf(updateOf(spelled(old), spelled(now), { before: { raw: old }, after: { raw: now } }));
    const rest = `"long": "${long}"`;
    assert.is(updated(`{${rest}, "n": 1.0}`, `{${rest}, "n": 1.00}`), '  ~ 1  raw.n: 1.0 → 1.00');
    const twice = `{${rest}, "n": 3, "n": 2}`;
    assert.is(updated(`{${rest}, "n": 1}`, twice), `  ~ 1  raw: {${rest}, "n": 1} → ${twice}`);
    const spaced = `{${rest},  "n": 1}`;
    assert.is(updated(`{${rest}, "n": 1}`, spaced), `  ~ 1  raw: {${rest}, "n": 1} → ${spaced}`);
  });

  test('what comes or goes is shown whole', () => {
    const change = { type: 'INSERT', row_id: 1, before: null, after: { id: 1, meta: { a: 1 } } };
    const table = { inserts: 1, updates: 0, deletes: 0, columns, changes: [change] };
    const json = JSON.stringify({ session_id: 'sess_1', digest: 'x', tables: { docs: table } });
    assert.is(lineOf(json), '  + 1  id: 1  meta: {"a":1}');
  });
});

suite('diff: documents in a cell of the interface', (test) => {
  const spansOf = (before: object, after: object) => {
    const row = (meta: object) => new JsonText(JSON.stringify({ meta }));
    const ids = { table: 'docs', rowId: new JsonText('1') };
    const change = { ...ids, type: 'UPDATE' as const, before: row(before), after: row(after) };
    const cell = gridCell(change, new SidesCache().of(change, columns), 'meta');
    return cell.map((part) => part.text).join('');
  };

  test('show the few parts that differ, by their paths', () => {
    assert.is(spansOf({ long, a: [1, 2] }, { long, a: [1, 3] }), 'a[1]: 2 → 3');
    assert.is(
      spansOf({ long, a: 1 }, { long, b: 'x' }),
      'a: 1 → (not there)  b: (not there) → "x"',
    );
  });

  test('show what is around the first difference where there are many', () => {
    assert.not.match(spansOf({ long, a: [1, 2, 3, 4] }, { long, a: [5, 6, 7, 8] }), 'a[0]');
  });
});

suite('diff: bytes', (test) => {
  const bytesOf = (count: number, fill: number) => Buffer.alloc(count, fill);
  const hex = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;
  const [small, old, now] = [bytesOf(4, 1), bytesOf(2048, 2), bytesOf(2048, 3)];
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const json = updateOf({ photo: hex(old) }, { photo: hex(now) });

  test('are shown by their number and the hash that sha256sum gives', () => {
    const said = `2,048 bytes, sha256 ${hash(old)} → 2,048 bytes, sha256 ${hash(now)}`;
    assert.is(lineOf(json), `  ~ 1  photo: ${said}`);
    const markdown = written((reader) => createMarkdownFormat(reader, 'sess_1'), json);
    assert.match(markdown, hash(now));
    assert.not.match(markdown, '02020202');
  });

  test('few are shown as they are', () => {
    assert.is(
      lineOf(updateOf({ photo: '\\x' }, { photo: hex(small) })),
      '  ~ 1  photo: \\x → \\x01010101',
    );
  });

  test('stand whole in JSON and CSV', () => {
    const [line = ''] = written(createJsonLinesFormat, json).split('\n');
    assert.is(JSON.parse(line).after.photo, hex(now));
    assert.match(written(createCsvFormat, json), hex(now));
  });

  test('stand in the cell of the interface as they do in text', () => {
    const row = (bytes: Buffer) => new JsonText(JSON.stringify({ photo: hex(bytes) }));
    const ids = { table: 'docs', rowId: new JsonText('1') };
    const change = { ...ids, type: 'UPDATE' as const, before: row(old), after: row(now) };
    const sides = new SidesCache().of(change, columns);
    const cell = gridCell(change, sides, 'photo').map((part) => part.text);
    assert.equal(cell, [
      `2,048 bytes, sha256 ${hash(old)}`,
      ' → ',
      `2,048 bytes, sha256 ${hash(now)}`,
    ]);
  });

  test('a text that looks like bytes is none', () => {
    const change = updateOf({ raw: 'x' }, { raw: hex(old) });
    assert.match(lineOf(change) ?? '', '0202020202');
  });
});
