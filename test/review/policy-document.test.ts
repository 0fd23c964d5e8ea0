/** The policy document: what is not understood is refused with its place, and windows follow the clock of their zone. */
import { StageError } from '../../src/errors.ts';
import { parsePolicy } from '../../src/review/policy/document.ts';
import type { Window } from '../../src/review/policy/windows.ts';
import { areOpen, isZone, nextOpening } from '../../src/review/policy/windows.ts';
import { assert, suite } from '../helpers/suite.ts';

const rule = (members: object) => ({ rules: [{ name: 'r', ...members }] });

/** Returns the faults that a document is refused for; none if it is taken. */
function faultsOf(document: unknown): readonly string[] {
  try {
    parsePolicy(document);
    return [];
  } catch (error) {
    assert.instance(error, StageError);
    assert.is((error as StageError).code, 'invalid_request');
    return (error as StageError).facts['faults'] as string[];
  }
}

const berlin = { from: '09:00', to: '17:00', zone: 'Europe/Berlin' };
const at = (text: string) => Date.parse(text);
const opens = (lists: readonly (readonly Window[])[], from: string) => {
  const time = nextOpening(lists, at(from));
  return time === null ? null : new Date(time).toISOString();
};

suite('policy: the document', (test) => {
  test('what is valid is taken', () => {
    assert.equal(faultsOf({ rules: [] }), []);
    const members = {
      projects: ['shop'],
      tables: ['orders', 'billing.*'],
      deny: ['delete'],
      deny_columns: ['total'],
      max_rows: 500,
      max_rows_per_statement: 50,
      approvals: { count: 2, from: ['ann', 'role:operator'], max_age: '12h' },
      four_eyes: true,
      expire: '24h',
      windows: [{ days: ['mon', 'fri'], ...berlin }],
    };
    assert.equal(faultsOf(rule(members)), []);
  });

  const refused: readonly (readonly [unknown, string])[] = [
    [{}, 'rules: is required'],
    [[], 'the document: must be of type object'],
    [{ rulez: [], rules: [] }, 'rulez: there is no such key; did you mean rules?'],
    [rule({ dney: ['delete'] }), 'rules[0].dney: there is no such key; did you mean deny?'],
    [
      rule({ approvals: { count: 2, form: ['ann'] } }),
      'rules[0].approvals.form: there is no such key; did you mean from?',
    ],
    [
      rule({ windows: [{ ...berlin, zon: 'UTC' }] }),
      'rules[0].windows[0].zon: there is no such key; did you mean zone?',
    ],
    [
      rule({ deny: ['delte'] }),
      'rules[0].deny[0]: must be one of insert, update, delete; did you mean delete?',
    ],
    [rule({ deny: [] }), 'rules[0].deny: must not be empty'],
    [rule({ deny: ['insert', 'insert'] }), 'rules[0].deny: has an entry twice'],
    [rule({ max_rows: -1 }), 'rules[0].max_rows: must be at least 0'],
    [rule({ max_rows_per_statement: 0 }), 'rules[0].max_rows_per_statement: must be at least 1'],
    [rule({ max_rows: 1.5 }), 'rules[0].max_rows: must be a whole number'],
    [rule({ max_rows: '5' }), 'rules[0].max_rows: must be a whole number'],
    [rule({ approvals: { count: 0 } }), 'rules[0].approvals.count: must be at least 1'],
    [rule({ approvals: {} }), 'rules[0].approvals.count: is required'],
    [
      rule({ four_eyes: false }),
      'rules[0].four_eyes: can only be true: a policy adds to the configuration, and takes nothing away',
    ],
    [rule({ expire: '1 day' }), 'rules[0].expire: must be a duration such as 90m, 24h or 7d'],
    [rule({ expire: '0h' }), 'rules[0].expire: must be a duration such as 90m, 24h or 7d'],
    [
      rule({ windows: [{ ...berlin, from: '17:00', to: '09:00' }] }),
      'rules[0].windows[0]: from must be before to: for a night give two windows',
    ],
    [
      rule({ windows: [{ ...berlin, zone: 'Europe/Brelin' }] }),
      'rules[0].windows[0].zone: must be a time zone such as Europe/Berlin or UTC',
    ],
    [
      rule({ windows: [{ ...berlin, from: '09:10' }] }),
      'rules[0].windows[0].from: must be a time of day in quarters of an hour, such as 09:00 or 17:45',
    ],
    [rule({}), 'rules[0]: the rule has no effect'],
    [rule({ tables: ['orders'] }), 'rules[0]: the rule has no effect'],
    [
      rule({ deny_columns: ['a'] }),
      'rules[0].deny_columns: needs tables: columns are those of tables',
    ],
    [
      rule({ tables: ['orders'], deny: ['update'], deny_columns: ['a'] }),
      'rules[0].deny_columns: the rule denies every update already',
    ],
    [
      rule({ deny: ['insert', 'update', 'delete'], max_rows: 5 }),
      'rules[0].max_rows: the rule denies every change already',
    ],
    [
      rule({ deny: ['insert', 'update', 'delete'], max_rows_per_statement: 5 }),
      'rules[0].max_rows_per_statement: the rule denies every change already',
    ],
    [
      rule({ approvals: { count: 2, from: ['ann'] } }),
      'rules[0].approvals.count: 2 of 1 names can never agree',
    ],
    [
      rule({ approvals: { count: 1, from: ['role:author'] } }),
      'rules[0].approvals.from[0]: no such role approves: it is role:reviewer or role:operator',
    ],
    [
      {
        rules: [
          { name: 'r', max_rows: 1 },
          { name: 'r', max_rows: 2 },
        ],
      },
      'rules[1].name: another rule has this name',
    ],
    [
      JSON.parse('{"rules": [{"name": "r", "max_rows": 1, "__proto__": {"deny": ["delete"]}}]}'),
      'rules[0].__proto__: there is no such key; known are name, projects, tables, deny, deny_columns, max_rows, max_rows_per_statement, budget, approvals, four_eyes, expire, windows, auto_approve, break_glass',
    ],
  ];
  test('at most 20 faults are reported', () => {
    const rules = Array.from({ length: 50 }, (_, index) => ({ name: `r${index}`, max_rows: -1 }));
    assert.is(faultsOf({ rules }).length, 20);
    const keys = Object.fromEntries(rules.map(({ name }) => [name, 1]));
    assert.is(faultsOf(rule(keys)).length, 20);
  });

  test('windows of a document are few, and none is there twice', () => {
    const some = (length: number) =>
      Array.from({ length }, (_, index) => ({ ...berlin, from: `0${index % 10}:00` }));
    const rules = Array.from({ length: 6 }, (_, index) => ({
      name: `r${index}`,
      windows: some(9),
    }));
    assert.equal(faultsOf({ rules }), ['rules: have 54 windows together, and may have 50']);
    assert.equal(faultsOf({ rules: rules.slice(1) }), []);
    assert.equal(faultsOf(rule({ windows: [berlin, { ...berlin }] })), [
      'rules[0].windows: has an entry twice',
    ]);
  });

  test('a zone is one in every spelling', () => {
    const lower = { ...berlin, zone: 'europe/berlin' };
    assert.is(opens([[berlin], [lower]], '2026-11-27T18:00:00Z'), '2026-11-28T08:00:00.000Z');
  });

  test('two spellings of a name are one person', () => {
    assert.equal(faultsOf(rule({ approvals: { count: 2, from: ['ann', 'Ann'] } })), [
      'rules[0].approvals.count: 2 of 1 names can never agree',
    ]);
  });

  for (const [document, fault] of refused) {
    test(`refused: ${fault}`, () => assert.equal(faultsOf(document), [fault]));
  }

  test('time zones are known by their names', () => {
    assert.equal(['UTC', 'Europe/Berlin', '+02:00', '', 'Nowhere'].map(isZone), [
      ...[true, true, false, false, false],
    ]);
  });

  test('a window is open by the clock of its zone', () => {
    const open = (time: string, days?: Window['days']) =>
      areOpen([[{ ...berlin, ...(days && { days }) }]], at(time));
    assert.equal(
      ['2026-11-27T07:59:59Z', '2026-11-27T08:00:00Z', '2026-11-27T15:59:59Z'].map((time) =>
        open(time),
      ),
      [false, true, true],
    );
    assert.is(open('2026-11-27T16:00:00Z'), false);
    // a Friday
    assert.equal(
      [open('2026-11-27T12:00:00Z', ['fri']), open('2026-11-27T12:00:00Z', ['sat'])],
      [true, false],
    );
    const midnight = {
      from: '00:00',
      to: '24:00',
      zone: 'Pacific/Auckland',
      days: ['sat'],
    } as const;
    assert.is(areOpen([[midnight]], at('2026-11-27T11:00:00Z')), true);
    assert.is(areOpen([[midnight]], at('2026-11-27T10:59:00Z')), false);
  });

  test('the next opening is right when clocks change', () => {
    // the clock goes forward on 2026-03-29 at 01:00Z, and back on 2026-10-25 at 01:00Z
    assert.is(opens([[berlin]], '2026-03-28T18:00:00Z'), '2026-03-29T07:00:00.000Z');
    assert.is(opens([[berlin]], '2026-03-27T18:00:00Z'), '2026-03-28T08:00:00.000Z');
    assert.is(opens([[berlin]], '2026-10-24T18:00:00Z'), '2026-10-25T08:00:00.000Z');
    assert.is(opens([[berlin]], '2026-10-23T18:00:00Z'), '2026-10-24T07:00:00.000Z');
    const night = { from: '02:00', to: '03:00', zone: 'Europe/Berlin' };
    // there is no such hour that night
    assert.is(opens([[night]], '2026-03-28T03:00:00Z'), '2026-03-30T00:00:00.000Z');
    // and twice the same in October
    const open = (time: string) => areOpen([[night]], at(time));
    assert.equal(
      [
        '2026-10-24T23:59:00Z',
        '2026-10-25T00:30:00Z',
        '2026-10-25T01:30:00Z',
        '2026-10-25T02:00:00Z',
      ].map(open),
      [false, true, true, false],
    );
  });

  test('windows of several rules have to be open at once', () => {
    const utc = { from: '15:00', to: '20:00', zone: 'UTC' };
    assert.is(areOpen([[berlin], [utc]], at('2026-11-27T14:00:00Z')), false);
    assert.is(opens([[berlin], [utc]], '2026-11-27T14:00:00Z'), '2026-11-27T15:00:00.000Z');
    const late = { from: '20:00', to: '21:00', zone: 'UTC' };
    assert.is(opens([[berlin], [late]], '2026-11-27T14:00:00Z'), null);
    assert.is(opens([[berlin, late]], '2026-11-27T17:00:00Z'), '2026-11-27T20:00:00.000Z');
  });
});
