/** Random programs: changes of definitions, directly on the database, beside reads and writes of one session's connections. */

import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { Relation, Relations } from './relations.ts';
import { fullName, newRelation, randomChange } from './relations.ts';

export type Step =
  | { readonly kind: 'change'; readonly text: string }
  | {
      readonly kind: 'statement';
      readonly text: string;
      /** The connection that sends it. */
      readonly on: number;
      readonly isExtended: boolean;
    };

export const connections = 2;

const start = `
CREATE TABLE public.a (id int PRIMARY KEY, v text);
INSERT INTO public.a SELECT n, 'a' FROM generate_series(1, 5) n;
CREATE TABLE public.b (PRIMARY KEY (id)) INHERITS (public.a);
INSERT INTO public.b VALUES (3, 'b'), (11, 'b');
CREATE TABLE other.a (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);
CREATE TABLE other.b PARTITION OF other.a FOR VALUES FROM (0) TO (10);
INSERT INTO other.a VALUES (1, 'p'), (2, 'p');
CREATE VIEW public.c AS SELECT id, v FROM public.a`;

/** PostgreSQL 18 treats a join of a table with ONLY the same table as one with itself, and leaves out rows of children. */
const withoutSelfJoins = `
DO $$ BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    EXECUTE format('ALTER DATABASE %I SET enable_self_join_elimination = off', current_database());
  END IF;
END $$`;

/** The initial objects. */
export const schema = `CREATE SCHEMA other; ${withoutSelfJoins}; ${start}`;

function startingRelations(): Relations {
  const table = newRelation({ schema: 'public', name: 'a', kind: 'table' });
  const root = newRelation({ schema: 'other', name: 'a', kind: 'partitioned' });
  return [
    table,
    root,
    newRelation({ schema: 'public', name: 'b', kind: 'table', parent: table }),
    newRelation({ schema: 'other', name: 'b', kind: 'table', parent: root, from: 0 }),
    newRelation({ schema: 'public', name: 'c', kind: 'view' }),
  ];
}

/** Draws a program with the given number of steps. */
export function randomProgram(seed: number, length: number): Step[] {
  const random = createRandom(seed);
  const relations = startingRelations();
  return Array.from({ length }, (): Step => {
    if (random.chance(0.25)) return { kind: 'change', text: randomChange(random, relations) };
    const text = random.chance(0.55)
      ? randomRead(random, relations)
      : randomWrite(random, relations);
    return {
      kind: 'statement',
      text,
      on: random.below(connections),
      isExtended: random.chance(0.4),
    };
  });
}

/** Returns its name, without the schema if that is in the search path. */
const nameOf = (random: Random, relation: Relation) =>
  relation.schema === 'public' && random.chance(0.5) ? relation.name : fullName(relation);

function randomRead(random: Random, relations: Relations): string {
  const [one, other] = [random.pick(relations), random.pick(relations)];
  const only = random.chance(0.3) && one.kind === 'table' ? 'ONLY ' : '';
  const name = nameOf(random, one);
  return random.pick([
    `SELECT * FROM ${only}${name}`,
    `SELECT id, v FROM ${only}${name}`,
    `SELECT count(*), max(v) FROM ${only}${name} WHERE id > ${random.below(10)}`,
    `SELECT x.id, y.v FROM ${only}${name} x JOIN ${nameOf(random, other)} y ON y.id = x.id`,
    `SELECT id FROM ${only}${name} WHERE id IN (SELECT id FROM ${nameOf(random, other)})`,
  ]);
}

function randomWrite(random: Random, relations: Relations): string {
  const target = random.pick(relations);
  const other = random.pick(relations);
  const [name, source] = [nameOf(random, target), nameOf(random, other)];
  const only = random.chance(0.3) && target.kind === 'table' ? 'ONLY ' : '';
  const id = random.below(25);
  noteWritten(relations, target);
  return random.pick([
    `INSERT INTO ${name} (id, v) VALUES (${id}, 'new')`,
    `INSERT INTO ${name} (id, v) VALUES (${id}, 'new'), (${id + 1}, NULL) RETURNING id`,
    `INSERT INTO ${name} (id, v) SELECT DISTINCT ON (id) id + 1, v FROM ${source} ORDER BY id, v ON CONFLICT DO NOTHING`,
    `UPDATE ${only}${name} SET v = coalesce(v, '') || '+' WHERE id > ${id}`,
    `UPDATE ${only}${name} SET v = 'set' WHERE id = ${id} RETURNING *`,
    `UPDATE ${only}${name} SET v = 'from' WHERE id IN (SELECT id FROM ${source})`,
    `DELETE FROM ${only}${name} WHERE id = ${id}`,
    `DELETE FROM ${only}${name} WHERE id IN (SELECT id FROM ${source} WHERE id < 4)`,
  ]);
}

/** Marks what a write may reach: children, and through a view any relation. */
function noteWritten(relations: Relations, target: Relation): void {
  if (target.kind === 'view') for (const each of relations) each.isWritten = true;
  target.isWritten = true;
  if (target.from !== null && target.parent) target.parent.isWritten = true;
  for (const each of relations)
    if (each.parent === target && !each.isWritten) noteWritten(relations, each);
}
