/** Reading a diff while it arrives. */
import { DiffReader } from '../../src/client/diff-reader.ts';
import type { Change } from '../../src/model/change.ts';
import { assert, suite } from '../helpers/suite.ts';

const insert =
  '{"type":"INSERT","row_id":9007199254740993,"before":null,"after":{"id":9007199254740993}}';
const remove = '{"type":"DELETE","row_id":{"a":1,"b":"x"},"before":{"a":1,"b":"x"},"after":null}';
const diff = `{"session_id":"s","digest":"sha256:ab","summary":{"tables_affected":2},"tables":{"orders":{"inserts":1,"updates":0,"deletes":0,"further_changes":2,"changes":[${insert}]},"shop.\\"odd\\"":{"changes":[${remove},${remove}],"deletes":2,"inserts":0,"updates":0}}}`;

function read(chunks: readonly string[]): { changes: Change[]; reader: DiffReader } {
  const reader = new DiffReader();
  const changes = chunks.flatMap((chunk) => [...reader.push(chunk)]);
  reader.end();
  return { changes, reader };
}

suite('diff reader', (test) => {
  test('gives changes, counts and digest', () => {
    const { changes, reader } = read([diff]);
    assert.equal(
      changes.map(({ table, type, rowId }) => [table, type, rowId.text]),
      [
        ['orders', 'INSERT', '9007199254740993'],
        ['shop."odd"', 'DELETE', '{"a":1,"b":"x"}'],
        ['shop."odd"', 'DELETE', '{"a":1,"b":"x"}'],
      ],
    );
    assert.is(changes[0]?.before, null);
    assert.is(changes[0]?.after?.text, '{"id":9007199254740993}');
    assert.is(reader.digest, 'sha256:ab');
    assert.equal(reader.counts, [
      { table: 'orders', inserts: 1, updates: 0, deletes: 0, furtherChanges: 2 },
      { table: 'shop."odd"', inserts: 0, updates: 0, deletes: 2, furtherChanges: 0 },
    ]);
  });

  test('gives the same character by character', () => {
    assert.equal(read([...diff]).changes, read([diff]).changes);
  });

  test('raises when the diff breaks off or is none', () => {
    for (const text of [diff.slice(0, -1), '', '{"tables":{"t":{"changes":[{"type":"ODD"}]}}}']) {
      assert.throws(() => read([text]), /did not arrive whole/);
    }
  });
});
