/** Values beside others that look alike. */
import type { Family } from './family.ts';

export const lookalikes: Family = {
  name: 'values that could pass for each other',
  setup: `CREATE TYPE holder AS (j jsonb, f float8, x text); CREATE DOMAIN note AS jsonb;
    CREATE TABLE whole (a int, b text);`,
  subjects: [
    {
      type: 'jsonb',
      values: ['"1"', '1', '"true"', 'true', '"null"', 'null', null, '"{}"', '{}', '""', '"a"'],
    },
    { type: 'note', values: ['"1"', '1', 'null', null, '"null"'] },
    {
      type: 'json',
      values: [
        '"1"',
        '1',
        'null',
        null,
        ' null',
        '"null"',
        '"\\u202e"',
        '"\u202e"',
        '{"a":\n1}',
        '{"a":\\n1}'.replace('\\n', ' '),
      ],
    },
    {
      type: 'text',
      values: [
        'a\\nb',
        'a\nb',
        "E'a\\nb'",
        '=1',
        "'=1",
        "''=1",
        'NULL',
        'null',
        '',
        "''",
        null,
        'a → b',
        'a',
        'a ',
        ' a',
        '\u202e',
        '\\u202e',
        "'a'",
      ],
    },
    {
      type: 'holder',
      values: ['(null,0,)', '(,0,)', '(,-0,)', '(,0,"")', '(,,)', null, '("""1""",,)', '(1,,)'],
    },
    { type: 'holder[]', values: ['{"(null,,)"}', '{"(,,)"}', '{NULL}', '{}', null] },
    { type: 'jsonb[]', values: ['{null}', '{"null"}', '{NULL}', '{"\\"1\\""}', '{1}'] },
    { type: 'json[]', values: ['{"null"}', '{NULL}', '{"{\\"a\\":1}"}', '{"{\\"a\\": 1}"}'] },
    { type: 'int[]', values: ['{1,2}', '[0:1]={1,2}', '{{1,2}}', '{}', null, '{NULL}'] },
    { type: 'float8[]', values: ['{0}', '{-0}', '[0:0]={0}', '{NaN}', '{1,-0,2}', '{1,0,2}'] },
    { type: 'regproc', values: ['1395', '1396', '1397', '1398'] },
    { type: 'regoper', values: ['96', '98', '99'] },
    { type: 'whole', values: ['(,)', null, '(1,)', '(1,"")'] },
    { type: 'numeric', values: ['1.0', '1.00', 'NaN', null] },
    { type: 'interval', values: ['1 day', '24:00:00', '1 mon', '30 days', '-1 day', '0'] },
    { type: 'date', values: ['infinity', '-infinity', '0001-01-01 BC', '0001-01-01'] },
    { type: 'timetz', values: ['12:00+00', '14:00+02', '12:00:00.000001+00'] },
  ],
};
