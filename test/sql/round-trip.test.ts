/** Splicing in many statements: the same names change nothing, and other names change only the names. */
import { loadParser, parseTree } from '../../src/sql/parser/parser.ts';
import { spliceBytes } from '../../src/sql/splice.ts';
import type { Statement } from '../../src/sql/verdict.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { ormStatements, reads, writes } from './corpus.ts';
import { randomQuery } from './random-query.ts';
import { onlyStatement, queryIn, relationsOf, slice } from './verdict-summary.ts';

const overlay = 'ov';

suite('sql: round trips', (test) => {
  test.before(loadParser);

  for (const sql of [...reads, ...writes, ...ormStatements]) {
    if (/^(?:SHOW|EXPLAIN|COPY)/.test(sql)) continue;
    test(sql, () => assertRoundTrip(onlyStatement(sql)));
  }

  test('finds the relations of 1,000 random queries, and splices them', () => {
    for (let seed = 1; seed <= 1_000; seed += 1) {
      const { sql, relations } = randomQuery(createRandom(seed));
      assert.equal(relationsOf(sql), relations, `seed ${seed}: ${sql}`);
      if (seed % 4 === 0) assertRoundTrip(onlyStatement(sql));
    }
  });
});

function assertRoundTrip({ text, verdict }: Statement): void {
  const { relations, qualifiers } = queryIn(verdict);
  const places = [...relations, ...qualifiers];
  const same = spliceBytes(
    text,
    places.map((place) => ({ ...place, text: slice(text, place) })),
  );
  assert.is(same.toString(), text.toString());

  const other = spliceBytes(text, [
    ...relations.map((relation) => ({
      ...relation,
      text: `"${overlay}"."${relation.name.replaceAll('"', '""')}"`,
    })),
    ...qualifiers.map((qualifier) => ({ ...qualifier, text: `"${overlay}".` })),
  ]);
  const spliced = onlyStatement(other.toString());
  // Only schemas have changed, and each relation is now the overlay's.
  assert.is(shapeOf(spliced.text), shapeOf(text));
  const names = queryIn(spliced.verdict).relations.map(({ schema, name, target, only }) => [
    schema,
    name,
    target,
    only,
  ]);
  assert.equal(
    names,
    relations.map(({ name, target, only }) => [overlay, name, target, only]),
  );
}

function shapeOf(text: Buffer): string {
  return JSON.stringify(withoutSchemas(parseTree(text)));
}

/** Returns a parse tree without what splicing may change: places in the text, and the schemas of names. */
function withoutSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSchemas);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !/location$|list_(?:start|end)$|^stmt_|^schemaname$/.test(key))
    .map(([key, child]): [string, unknown] => [
      key,
      withoutSchemas(key === 'ColumnRef' ? bare(child) : child),
    ]);
  return Object.fromEntries(entries);
}

/** Returns a column reference without its schema: in `s.t.c` and `db.s.t.c` it is two before the last. */
function bare(column: { readonly fields?: readonly unknown[] }) {
  const fields = column.fields ?? [];
  return {
    ...column,
    fields: fields.filter((_, index) => fields.length < 3 || index !== fields.length - 3),
  };
}
