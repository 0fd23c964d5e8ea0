/** Tables of every kind that an approval can be taken back in: cascades, trees, partitions, values that JSON does not tell. */
import type { Desk } from './desk.ts';

export const schema = `
CREATE TABLE owner (id int PRIMARY KEY, name text UNIQUE);
CREATE TABLE pet (id int PRIMARY KEY, owner int REFERENCES owner ON DELETE CASCADE ON UPDATE CASCADE, name text);
CREATE TABLE toy (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, pet int REFERENCES pet ON DELETE CASCADE ON UPDATE SET NULL);
CREATE TABLE odd (a int, b text, j json, jb jsonb, n numeric, f float8, r int4range, arr int[], g int GENERATED ALWAYS AS (a * 2) STORED,
  t timestamptz, by bytea, PRIMARY KEY (a, b));
CREATE TABLE node (id int PRIMARY KEY, parent int REFERENCES node ON DELETE SET NULL ON UPDATE CASCADE);
CREATE TABLE part (day date, v int, PRIMARY KEY (day, v)) PARTITION BY RANGE (day);
CREATE TABLE part_old PARTITION OF part FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
CREATE TABLE part_new PARTITION OF part FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
CREATE TABLE loose (a int);`;
export const data = `
INSERT INTO owner VALUES (1, 'ann'), (2, 'bob'), (3, 'cy');
INSERT INTO pet VALUES (1, 1, 'rex'), (2, 1, 'tom'), (3, 2, 'kit');
INSERT INTO toy (pet) VALUES (1), (1), (3);
INSERT INTO odd VALUES (1, 'x', '{"k": 1,  "k": 2}', 'null', 1.10, '-0', '[1,4)', '[0:1]={1,2}', DEFAULT, '2026-01-01 00:00:00.123456Z', '\\x00ff'),
  (2, 'y', 'null', NULL, 'NaN', 'Infinity', NULL, '{}', DEFAULT, 'infinity', NULL);
INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2);
INSERT INTO part VALUES ('2025-05-05', 1), ('2026-05-05', 1);
INSERT INTO loose VALUES (1);`;

type Pick = (count: number) => number;

/** Stages some random statements, and gives those that were taken. */
export async function stageSome(
  desk: Desk,
  session: string,
  pick: Pick,
  count = 6,
): Promise<string[]> {
  const taken: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const statement = statementOf(pick);
    const isTaken = await desk.stage(session, statement).then(
      () => true,
      () => false,
    );
    if (isTaken) taken.push(statement);
  }
  return taken;
}

/** What of the tables it changes is left to chance; much of it is refused, which is as good. */
function statementOf(pick: Pick): string {
  const key = () => 1 + pick(5);
  const name = () => `'n${pick(6)}'`;
  const forms: readonly (() => string)[] = [
    () => `INSERT INTO owner VALUES (${key()}, ${name()})`,
    () => `INSERT INTO pet VALUES (${key()}, ${key()}, ${name()})`,
    () => `INSERT INTO toy (pet) SELECT id FROM pet WHERE id < ${key()}`,
    () => `INSERT INTO node VALUES (${key()}, ${key()}), (${key()}, NULL)`,
    () => `UPDATE owner SET name = ${name()} WHERE id = ${key()}`,
    () => `UPDATE owner SET id = id + ${pick(3) - 1} WHERE id >= ${key()}`,
    () => `UPDATE pet SET id = ${key()}, owner = ${key()} WHERE id = ${key()}`,
    () => `UPDATE pet SET name = name || ${name()}`,
    () => `UPDATE node SET id = ${key()} WHERE id = ${key()}`,
    () => `UPDATE node SET parent = ${key()} WHERE id <> ${key()}`,
    () => `UPDATE odd SET a = a + ${pick(3)}, n = ${pick(9)}.${pick(9)}0, j = '[${pick(3)},  1]'`,
    () => `UPDATE part SET day = day + ${pick(500) - 250}, v = v + 1`,
    () => `DELETE FROM owner WHERE id = ${key()}`,
    () => `DELETE FROM pet WHERE id >= ${key()}`,
    () => `DELETE FROM node WHERE id = ${key()}`,
    () => `DELETE FROM odd WHERE a = ${key()}`,
    () =>
      `WITH d AS (DELETE FROM toy WHERE pet = ${key()} RETURNING pet) INSERT INTO pet SELECT 9, NULL, 'w' FROM d LIMIT 1`,
  ];
  return forms[pick(forms.length)]?.() ?? '';
}
