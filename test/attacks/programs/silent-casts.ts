/** Casts that no statement names: by assignment, and those that functions look up to make JSON. */
import type { ProgramGroup } from './program.ts';
import { functions } from './program.ts';
import { inEveryPlace } from './silent-xml.ts';

const writing = (name: string, from: string, to: string, value: string) => `
CREATE FUNCTION ${name}(x ${from}) RETURNS ${to} LANGUAGE plpgsql AS
  $$BEGIN PERFORM public.wr('cast'); RETURN ${value}; END$$;`;

const roles = ['writer', 'superuser'] as const;

/** Statements that assign an integer to the column. */
const assignments = (table: string): readonly string[] => [
  `INSERT INTO ${table} SELECT 1, 5`,
  `INSERT INTO ${table} VALUES (2, 5)`,
  `INSERT INTO ${table} (id, x) SELECT id, id FROM t WHERE id > 2`,
  `UPDATE ${table} SET x = 7`,
  `UPDATE ${table} SET x = id WHERE id = 0`,
  `INSERT INTO ${table} VALUES (0, NULL) ON CONFLICT (id) DO UPDATE SET x = 7`,
  `MERGE INTO ${table} k USING (VALUES (0)) s (id) ON k.id = s.id WHEN MATCHED THEN UPDATE SET x = 7`,
  `WITH y AS (INSERT INTO ${table} VALUES (20, 5) RETURNING id) SELECT id FROM y`,
];

const assigned = (table: string) =>
  assignments(table).flatMap((text) => [
    { name: text, steps: [text], roles },
    { name: `${text}, in a transaction`, steps: ['BEGIN', text, 'COMMIT'], roles },
    { name: `${text}, prepared`, steps: [`PREPARE p AS ${text}`, 'EXECUTE p'], roles },
  ]);

export const enumCasts: ProgramGroup = {
  name: 'casts to an enum by assignment',
  objects: `${functions}
    CREATE TYPE mood AS ENUM ('good', 'bad');
    ${writing('to_mood', 'int', 'mood', `'good'`)}
    CREATE CAST (int AS mood) WITH FUNCTION to_mood(int) AS ASSIGNMENT;
    CREATE TABLE moody (id int PRIMARY KEY, x mood);
    INSERT INTO moody VALUES (0, 'bad');`,
  programs: assigned('moody'),
};

export const rowCasts: ProgramGroup = {
  name: 'casts to a row type by assignment',
  objects: `${functions}
    CREATE TYPE pair AS (a int, b int);
    ${writing('to_pair', 'int', 'pair', 'ROW(x, x)')}
    CREATE CAST (int AS pair) WITH FUNCTION to_pair(int) AS ASSIGNMENT;
    CREATE TABLE paired (id int PRIMARY KEY, x pair);
    INSERT INTO paired VALUES (0, ROW(1, 1));`,
  programs: assigned('paired'),
};

export const implicitCasts: ProgramGroup = {
  name: 'implicit casts',
  objects: `${functions}
    CREATE TYPE shade AS ENUM ('light', 'dark');
    ${writing('shade_to_int', 'shade', 'int', '1')}
    CREATE CAST (shade AS int) WITH FUNCTION shade_to_int(shade) AS IMPLICIT;
    CREATE TABLE shades (id int PRIMARY KEY, x shade);
    INSERT INTO shades VALUES (1, 'light');`,
  programs: inEveryPlace([
    `(SELECT abs('light'::shade))`,
    '(SELECT abs(x) FROM shades)',
    '(SELECT 1 + x FROM shades)',
    '(SELECT sum(x + id) FROM shades)',
    '(SELECT count(*) FROM shades s JOIN t ON t.id = s.x)',
  ]),
};

/** Returns a call whose argument's type is known only by a column. A type that is named is checked. */
const ofColumn = (call: string) => `(SELECT ${call} FROM labels l)`;

export const jsonCasts: ProgramGroup = {
  name: 'casts to json that functions look for',
  objects: `${functions}
    CREATE TYPE label AS ENUM ('a', 'b');
    ${writing('label_json', 'label', 'json', `'"cast"'::json`)}
    CREATE CAST (label AS json) WITH FUNCTION label_json(label);
    CREATE TABLE labels (id int PRIMARY KEY, x label);
    INSERT INTO labels VALUES (1, 'a');`,
  programs: inEveryPlace([
    `to_json('a'::label)`,
    ...[
      ...['to_json(x)', 'to_jsonb(x)', 'to_json(l)', 'to_jsonb(l)', 'row_to_json(l)'],
      ...['row_to_json(ROW(x))', 'array_to_json(ARRAY[x])', `json_build_object('k', x)`],
      ...[`jsonb_build_object('k', x)`, 'json_build_array(x)', 'jsonb_build_array(x)'],
      ...['json_agg(x)', 'jsonb_agg(x)', `json_object_agg('k', x)`, `jsonb_object_agg('k', x)`],
      ...['json_agg(l)', `format('%s', to_json(x))`],
    ].map(ofColumn),
  ]),
};

export const textCasts: ProgramGroup = {
  name: 'casts to text that the concatenation with any type looks for',
  objects: `${functions}
    CREATE TYPE tone AS ENUM ('high', 'low');
    ${writing('tone_text', 'tone', 'text', `'cast'`)}
    CREATE CAST (tone AS text) WITH FUNCTION tone_text(tone);
    CREATE TABLE tones (id int PRIMARY KEY, x tone, note text);
    INSERT INTO tones VALUES (1, 'high', 'n');`,
  programs: [
    ...inEveryPlace([
      `(SELECT 'a' || x FROM tones)`,
      `(SELECT x || 'a'::text FROM tones)`,
      '(SELECT quote_literal(x) FROM tones)',
      '(SELECT quote_nullable(x) FROM tones)',
    ]),
    ...[
      'UPDATE tones SET note = note || x',
      'INSERT INTO tones SELECT 2, x, x || note FROM tones',
    ].map((text) => ({ name: text, steps: [text], roles })),
  ],
};
