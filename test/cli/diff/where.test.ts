/** The condition of `diff --where`, and the changes that it and the other options select. */
import { Selection } from '../../../src/cli/diff/selection.ts';
import { parseWhere } from '../../../src/cli/diff/where.ts';
import { valuesOf } from '../../../src/client/values.ts';
import { JsonText } from '../../../src/model/json.ts';
import { assert, suite } from '../../helpers/suite.ts';

const row = (json: string) => valuesOf(new JsonText(json), undefined, 'before');
const updated = {
  before: row('{"id":1,"price":9.50,"status":"new","note":null,"tags":["a"],"to_do":"x"}'),
  after: row('{"id":1,"price":12.00,"status":"paid","note":"it\'s","tags":["a"],"to_do":"x"}'),
};
const big = { before: null, after: row('{"n":9007199254740993,"t":"10","f":1e+20,"b":true}') };

suite('where', (test) => {
  const conditions: [string, boolean | null][] = [
    ['price = 12', true],
    ['price = 9.5', true],
    ['price > 12', false],
    ['from_price < 10 AND to_price >= 10', true],
    ['from_price > 10 or to_price > 11.99', true],
    ['to_price = 9.5', false],
    ["status = 'paid'", true],
    ["to_status <> 'paid'", false],
    ["status IN ('lost', 'new')", true],
    ["from_status NOT IN ('lost', 'new')", false],
    ["note = 'it''s'", true],
    ['note IS NULL', true],
    ['to_note IS NOT NULL', true],
    ["from_note = 'x'", null],
    ["NOT from_note = 'x'", null],
    ["from_note = 'x' OR id = 1", true],
    ["from_note = 'x' AND id = 2", false],
    ["status LIKE 'p%d'", true],
    ["status LIKE 'P%'", false],
    ["status NOT LIKE 'p-[a-z].*'", true],
    ["status ILIKE 'P_ID'", true],
    ["status NOT LIKE '%'", false],
    ["to_do = 'x'", true],
    ['"price" = 12', true],
    ['NOT (id = 1 AND price = 12)', false],
    ['tags = \'["a"]\'', true],
    ['absent = 1', null],
  ];
  for (const [condition, verdict] of conditions) {
    test(`judges ${condition}`, () => {
      assert.is(parseWhere(condition).holds(updated), verdict);
    });
  }

  test('rounds no number, and takes a text for a number only beside one', () => {
    const holds = (condition: string) => parseWhere(condition).holds(big);
    assert.is(holds('n = 9007199254740993'), true);
    assert.is(holds('n = 9007199254740992'), false);
    assert.is(holds("n > '9007199254740992'"), true);
    assert.is(holds('f = 100000000000000000000'), true);
    assert.is(holds('t > 9'), true);
    assert.is(holds("t > '9'"), false);
    assert.is(holds('b = true'), true);
    assert.is(holds('from_n = 1'), null);
  });

  const mistakes: [string, RegExp][] = [
    ['', /lacks a column at its end/],
    ['price', /lacks =, <>.* at its end/],
    ['price =', /lacks a number or a text/],
    ['price = paid', /lacks a number or a text such as 'paid' before "paid"/],
    ['(price = 1', /lacks \) at its end/],
    ['price = 1 status = 2', /lacks AND or OR before "status"/],
    ['price = 1; drop', /cannot be read from "; drop" on/],
    ['note is 1', /lacks NULL/],
    ['id in 1', /lacks \(/],
  ];
  for (const [condition, message] of mistakes) {
    test(`does not take ${JSON.stringify(condition)}`, () => {
      assert.throws(() => parseWhere(condition), message);
    });
  }
});

suite('selection', (test) => {
  const change = (id: number, type: 'INSERT' | 'DELETE') => {
    const image = new JsonText(`{"id":${id}}`);
    const sides =
      type === 'INSERT' ? { before: null, after: image } : { before: image, after: null };
    return {
      table: 't',
      type,
      rowId: new JsonText(String(id)),
      ...sides,
      columns: [],
      statement: null,
      json: image,
    };
  };
  const changes = [
    change(1, 'INSERT'),
    change(2, 'DELETE'),
    change(3, 'INSERT'),
    change(4, 'INSERT'),
  ];
  const chosen = (options: ConstructorParameters<typeof Selection>[0]) => {
    const selection = new Selection(options);
    const ids = changes.filter((each) => selection.choose(each)).map(({ rowId }) => rowId.text);
    return { ids, full: selection.full, selection };
  };

  test('takes all, a kind, a condition, so many', () => {
    assert.equal(chosen({}).ids, ['1', '2', '3', '4']);
    assert.equal(chosen({ filter: 'INSERT' }).ids, ['1', '3', '4']);
    assert.equal(chosen({ filter: 'INSERT', where: 'id > 1', limit: 1 }).ids, ['3']);
    assert.equal(chosen({ limit: 0 }).ids, []);
  });

  test('knows when it needs no more', () => {
    assert.is(chosen({ limit: 2 }).full, true);
    assert.is(chosen({ limit: 0 }).full, false);
    assert.is(chosen({}).full, false);
  });

  test('refuses a column that no row has, and names the nearest', () => {
    const { selection } = chosen({ where: 'from_idd = 1' });
    try {
      selection.end();
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), /no row of the diff has a column "from_idd"/);
      assert.match((error as { hint: string }).hint, /Did you mean id\?/);
    }
    chosen({ where: 'to_id = 1' }).selection.end();
  });
});
