/** Shapes: what a noun is written as, its reader reads and its schema accepts; drawn at random, and by hand where daemons differ. */
import { readerOf } from '../../src/client/read-noun.ts';
import { rowReaderOf } from '../../src/db/noun-row.ts';
import { JsonText, stringifyJson } from '../../src/model/json.ts';
import type { Field, Shape } from '../../src/model/shape.ts';
import * as shapes from '../../src/model/shape.ts';
import { schemaOf } from '../../src/rest/schemas/noun-schema.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';

const seeds = 300;
const words = ['one', 'two', 'three'] as const;

type Draw = ReturnType<typeof createRandom>;

const maybe = ({ chance }: Draw, empty: null | undefined, value: () => unknown) =>
  chance(0.5) ? empty : value();

/** Draws a field of any form, and a function that draws its values. */
function drawField(draw: Draw, depth: number): [Field<unknown, false>, () => unknown] {
  const { pick, below } = draw;
  const plain: [Field<unknown, false>, () => unknown][] = [
    [shapes.text(), () => pick(['', 'null', 'a "b"', '{}', '\u2028', '[1,2]'])],
    [shapes.time(), () => '2026-01-31T12:00:00.000000Z'],
    [shapes.count(), () => below(1000)],
    [shapes.integer(), () => below(1000) - 500],
    [shapes.flag(), () => below(2) === 1],
    [shapes.word(words), () => pick(words)],
    [shapes.openWord(words), () => pick(words)],
    [
      shapes.json('any'),
      () => new JsonText(pick(['1.10', '"x"', '[null]', '{"a":9007199254740993}'])),
    ],
    [shapes.json('row'), () => new JsonText('{"id":1,"null":null}')],
    [shapes.json('key'), () => new JsonText(pick(['7', '"k"', '{"a":1,"b":2}']))],
  ];
  if (depth === 0) return pick(plain);
  const [of, drawElement] = drawField(draw, depth - 1);
  const [shape, drawNoun] = drawShape(draw, depth - 1);
  return pick([
    ...plain,
    [shapes.list(of), () => Array.from({ length: below(4) }, drawElement)],
    [
      shapes.list(shapes.orNull(of)),
      () => Array.from({ length: below(4) }, () => maybe(draw, null, drawElement)),
    ],
    [shapes.noun(shape), drawNoun],
    [shapes.list(shapes.noun(shape)), () => Array.from({ length: below(3) }, drawNoun)],
  ]);
}

/** Draws a shape, and a function that draws its nouns. */
function drawShape(draw: Draw, depth: number): [Shape, () => Record<string, unknown>] {
  const { pick, below } = draw;
  const names = ['id', 'rowId', 'nextCursor', 'aVeryLongName', 'hidden'].slice(0, 1 + below(5));
  const drawn = names.map((name) => {
    const [field, value] = drawField(draw, depth);
    return pick<[string, Field, () => unknown]>([
      [name, field, value],
      [name, shapes.named(`as_${name.toLowerCase()}`, field), value],
      [name, shapes.orNull(field), () => maybe(draw, null, value)],
      [name, shapes.orLeftOut(field), () => maybe(draw, null, value)],
      [name, shapes.optional(field), () => maybe(draw, undefined, value)],
      [name, shapes.mark(), () => maybe(draw, undefined, () => true)],
    ]);
  });
  const draws = drawn.map(([name, , value]) => [name, value] as const);
  return [
    shapes.shape(Object.fromEntries(drawn.map(([name, field]) => [name, field]))),
    () =>
      Object.fromEntries(
        draws.map(([name, value]) => [name, value()]).filter(([, value]) => value !== undefined),
      ),
  ];
}

suite('nouns of the interface', (test) => {
  test('are read as they were written, in the form that their schema describes', () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const [shape, drawNoun] = drawShape(createRandom(seed), 2);
      const noun = drawNoun();
      const body = stringifyJson(shapes.writerOf(shape)(noun as never));
      assert.equal(readerOf(shape)(new JsonText(body)), noun, `seed ${seed}: ${body}`);
      const { success, error } = schemaOf(shape).strict().safeParse(JSON.parse(body));
      assert.ok(success, `seed ${seed}: ${body} ${error?.message}`);
    }
  });

  test('have the members that a shape names twice, renames, or ties to others', () => {
    const shape = shapes.shape({
      id: shapes.alsoNamed('id', shapes.named('session_id', shapes.text())),
      approvedAt: shapes.orLeftOut(shapes.time()),
      approvedBy: shapes.beside('approvedAt', shapes.orNull(shapes.text())),
      chunks: shapes.list(
        shapes.tuple(shapes.shape({ after: shapes.text(), inserts: shapes.count() })),
      ),
    });
    const write = shapes.writerOf(shape);
    const open = {
      id: 's',
      approvedAt: null,
      approvedBy: null,
      chunks: [{ after: '0', inserts: 2 }],
    };
    assert.is(stringifyJson(write(open)), '{"session_id":"s","id":"s","chunks":[["0",2]]}');
    const decided = { ...open, approvedAt: 'now', chunks: [] };
    const body = '{"session_id":"s","id":"s","approved_at":"now","approved_by":null,"chunks":[]}';
    assert.is(stringifyJson(write(decided)), body);
    const read = readerOf(shape);
    assert.equal(
      [read(new JsonText(body)), read(new JsonText('{"id":"s","chunks":[["0",2]]}'))],
      [decided, open],
    );
  });

  test('are read from older and newer daemons by what the shape assumes, and refused if they lack more', () => {
    const read = readerOf(
      shapes.shape({
        kind: shapes.otherwise(shapes.word(words), 'two'),
        status: shapes.word(words),
        edits: shapes.count(),
        roles: shapes.list(shapes.text()),
        statement: shapes.otherwise(shapes.text(), null),
      }),
    );
    const assumed = { kind: 'two', status: 'one', edits: 0, roles: [], statement: null };
    assert.equal(read(new JsonText('{"kind":"later","status":"one"}')), assumed);
    assert.equal(read(new JsonText('{"status":"one","roles":null,"further":[1]}')), assumed);
    assert.throws(() => read(new JsonText('{"status":"later"}')), /unknown "later"/);
    assert.throws(() => read(new JsonText('{"kind":"one"}')), /lacks status/);
    assert.throws(() => read(new JsonText('{"status":1}')), /lacks status/);
  });

  test('are read from rows by the names of their columns', () => {
    const read = rowReaderOf(
      shapes.shape({
        id: shapes.named('session_id', shapes.text()),
        mutationCount: shapes.count(),
        metadata: shapes.json('object'),
        roles: shapes.list(shapes.orNull(shapes.text())),
        approvedBy: shapes.orNull(shapes.text()),
      }),
    );
    const row = {
      id: 'sess_1',
      mutation_count: '12',
      metadata: '{"n": 1.0}',
      roles: '["a", null]',
      approved_by: null,
    };
    assert.equal(read(row), {
      id: 'sess_1',
      mutationCount: 12,
      metadata: new JsonText('{"n": 1.0}'),
      roles: ['a', null],
      approvedBy: null,
    });
  });
});
