/** Types composed of others: enums, domains, composites, arrays, ranges. */
import type { Family } from './family.ts';

export const enums: Family = {
  name: 'enums, domains, composites',
  setup: `
CREATE TYPE mood AS ENUM ('sad', 'ok', 'it''s "fine"', 'happy, very');
ALTER TYPE mood ADD VALUE 'meh' BEFORE 'ok';
ALTER TYPE mood RENAME VALUE 'sad' TO 'Sad one';
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN filled AS text NOT NULL CHECK (VALUE <> '');
CREATE DOMAIN small AS positive CONSTRAINT tiny CHECK (VALUE < 10);
CREATE DOMAIN code AS varchar(3) DEFAULT 'abc';
CREATE DOMAIN ints AS int[] CHECK (cardinality(VALUE) < 3);
CREATE DOMAIN price AS numeric(6,2);
CREATE TYPE point3 AS (x int, "Y" text, z numeric);
CREATE TYPE line3 AS (a point3, b point3, tags text[]);
CREATE DOMAIN origin AS point3 CHECK (VALUE IS NULL OR (VALUE).x IS NOT NULL);
CREATE TYPE checked AS (p positive, m mood);`,
  subjects: [
    {
      type: 'mood',
      values: ['Sad one', 'meh', 'ok', `it's "fine"`, 'happy, very', null],
      refused: ['sad', '', 'OK'],
    },
    { type: 'mood[]', values: ['{}', '{ok,NULL}', '{"happy, very"}'], refused: ['{none}'] },
    { type: 'positive', values: ['1', '2147483647', null], refused: ['0', '-1', 'x'] },
    { type: 'filled', values: ['a', ' '], refused: [''] },
    { type: 'small', values: ['1', '9', null], refused: ['10', '0'] },
    { type: 'code', values: ['', 'abc', null], refused: ['abcd'] },
    { type: 'ints', values: ['{}', '{1}', '{1,NULL}', null], refused: ['{1,2,3}'] },
    { type: 'price', values: ['1.005', '9999.99', null], refused: ['10000'] },
    { type: 'positive[]', values: ['{1,2}', '{NULL}', '{}'], refused: ['{0}'] },
    {
      type: 'point3',
      values: ['(1,a,1.0)', '(,,)', '(1,,)', '(,"",)', '(1,"a,b",1.00)', '(1,"""",NaN)', null],
      refused: ['(1,a)', '(x,a,1)'],
    },
    { type: 'point3 NOT NULL', values: ['(,,)', '(1,a,1)'] },
    { type: 'line3', values: ['("(1,a,1)","(,,)","{a,b}")', '(,"(2,,)",)', '(,,)', null] },
    { type: 'point3[]', values: ['{"(1,a,1)",NULL}', '{"(,,)"}', '{}'] },
    { type: 'origin', values: ['(1,,)', null], refused: ['(,a,)'] },
    { type: 'checked', values: ['(1,ok)', '(,)', null], refused: ['(0,ok)', '(1,sad)'] },
    { type: 'mood', isKey: true, values: ['meh', 'ok', 'Sad one'] },
    { type: 'positive', isKey: true, values: ['1', '2', '3'] },
    { type: 'filled', isKey: true, values: ['a', 'b'] },
    { type: 'ints', isKey: true, values: ['{}', '{1}', '{1,NULL}'] },
    { type: 'point3', isKey: true, values: ['(1,a,1)', '(1,a,1.0)', '(1,,)', '(,,)', '(,a,)'] },
    { type: 'line3', isKey: true, values: ['("(1,a,1)",,)', '("(1,a,1.00)",,)', '(,,{})'] },
  ],
};

export const arrays: Family = {
  name: 'arrays',
  subjects: [
    {
      type: 'int[]',
      values: [
        '{}',
        '{1}',
        '{NULL}',
        '{1,NULL,3}',
        '[2:3]={5,6}',
        '[-1:0][5:5]={{1},{2}}',
        '{{1,2},{3,4}}',
        '{{{1}}}',
        null,
      ],
      refused: ['{{1},{2,3}}', '{1', '[2:1]={1}'],
    },
    {
      type: 'text[]',
      values: [
        '{}',
        '{""}',
        '{"NULL",NULL}',
        '{"a,b","c\\"d","e\\\\f"," g "}',
        '{{a},{b}}',
        '{żółć}',
      ],
    },
    { type: 'numeric(5,2)[]', values: ['{1,1.0,1.005}', '{NaN}'], refused: ['{1000}'] },
    { type: 'varchar(2)[]', values: ['{ab,a}', '{}'], refused: ['{abc}'] },
    { type: 'char(3)[]', values: ['{a,"b "}', '{abc}'] },
    { type: 'timestamptz[]', values: ['{infinity,-infinity}', '{"2026-01-01 00:00:00+00"}'] },
    { type: 'float8[]', values: ['{-0,0,NaN}', '{Infinity}'] },
    { type: 'bytea[]', values: ['{"\\\\x00","\\\\xff"}', '{}'] },
    { type: 'jsonb[]', values: ['{"{\\"a\\": 1}",NULL,"null"}', '{}'] },
    { type: 'json[]', values: ['{"{\\"b\\":1, \\"a\\":2}"}', '{}'] },
    { type: 'box[]', values: ['{(1,1),(0,0);(2,2),(1,1)}', '{}'] },
    { type: 'uuid[]', values: ['{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}', '{}'] },
    { type: 'int2vector', values: ['', '1 2 3'] },
    { type: 'oidvector', values: ['', '1 2'] },
    {
      type: 'int[]',
      isKey: true,
      values: ['{}', '{1}', '[2:2]={1}', '{NULL}', '{{1},{2}}', '{1,2}'],
    },
    { type: 'text[]', isKey: true, values: ['{}', '{a,b}', '{"a,b"}'] },
    { type: 'numeric[]', isKey: true, values: ['{1.0}', '{1.00}', '{2}'] },
  ],
};

export const ranges: Family = {
  name: 'ranges and multiranges',
  setup: `
CREATE TYPE floatrange AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE TYPE textrange AS RANGE (subtype = text, collation = "C", multirange_type_name = textranges);`,
  subjects: [
    {
      type: 'int4range',
      values: ['empty', '(,)', '[1,3]', '(1,3)', '[5,)', '(,5]', '[1,1]', '(1,2)', null],
      refused: ['[3,1]', '[1'],
    },
    {
      type: 'int8range',
      values: ['[9007199254740993,9223372036854775806]', '(,)'],
      refused: ['[1,9223372036854775807]'],
    },
    { type: 'numrange', values: ['[1.0,1.00]', '(1.5,)', '[Infinity,NaN]', 'empty'] },
    {
      type: 'daterange',
      values: ['[2026-01-01,2026-01-01]', '(,infinity)', '[-infinity,infinity]', 'empty'],
    },
    { type: 'tsrange', values: ['[2026-01-01,infinity]', '["2026-01-01 00:00:00.000001",)'] },
    { type: 'tstzrange', values: ['["2026-01-01 00:00:00+00","2026-01-01 02:00:00+01")', '(,)'] },
    { type: 'floatrange', values: ['[-0,0]', '[0.1,NaN]', 'empty', '(,)'] },
    { type: 'textrange', values: ['[a,b]', '["",z)', '[A,a]'], refused: ['[b,a]'] },
    {
      type: 'int4multirange',
      values: ['{}', '{[1,3),[5,7)}', '{(,)}', '{[1,2],[2,3]}', '{empty}', null],
      refused: ['{[3,1]}'],
    },
    { type: 'nummultirange', values: ['{[1.0,1.00]}', '{(,0),(1,)}'] },
    { type: 'tstzmultirange', values: ['{["2026-01-01 00:00:00+00",)}', '{}'] },
    { type: 'textranges', values: ['{[a,b],[c,d]}', '{}'] },
    { type: 'int4range[]', values: ['{"[1,3)",empty,NULL}', '{}'] },
    { type: 'int4range', isKey: true, values: ['empty', '(,)', '[1,3)', '[1,2]', '[4,4]'] },
    { type: 'numrange', isKey: true, values: ['[1.0,2]', '[1.00,2.0]', 'empty'] },
    { type: 'floatrange', isKey: true, values: ['[0,1]', '[-0,1]', 'empty'] },
    { type: 'int4multirange', isKey: true, values: ['{}', '{[1,2]}', '{[1,3)}'] },
  ],
};
