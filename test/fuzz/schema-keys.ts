/** Random foreign keys: to other tables, to the table itself, in cycles; simple and composite, with all their actions. */
import type { Random } from '../helpers/random.ts';
import { literal } from './column-types.ts';
import type { Column, ForeignKey, Table } from './schema.ts';

interface Constraint extends ForeignKey {
  readonly table: Table;
  readonly options: string;
}

/** Adds columns that refer to other tables, and gives their constraints. */
export function randomForeignKeys(random: Random, tables: readonly Table[]): Constraint[] {
  const constraints: Constraint[] = [];
  for (const table of tables) {
    const own = random.below(3);
    for (let number = 1; number <= own; number += 1) {
      const constraint = randomForeignKey(random, table, random.pick(tables), number);
      if (constraint === null) continue;
      table.columns.push(...constraint.columns);
      table.foreignKeys.push(constraint);
      constraints.push(constraint);
    }
  }
  return constraints;
}

function randomForeignKey(
  random: Random,
  table: Table,
  parent: Table,
  number: number,
): Constraint | null {
  const targets = parent.uniques.filter(canBeReferred);
  if (targets.length === 0) return null;
  const target = random.pick(targets);
  const columns = target.columns.map((referred, index): Column => {
    const name = `ref${number}_${index}`;
    const value = literal(random.pick(referred.type.values));
    const definition = random.pick(['', '', '', '', ` DEFAULT ${value}`, ' NOT NULL']);
    const { type } = referred;
    return {
      name,
      type,
      filled: 'given',
      refers: true,
      definition: `${name} ${type.name}${definition}`,
    };
  });
  const options = [
    random.chance(columns.length > 1 ? 0.3 : 0.05) ? ' MATCH FULL' : '',
    ` ON DELETE ${deleteAction(random, columns)}`,
    ` ON UPDATE ${random.pick(actions)}`,
    random.pick(['', '', ' DEFERRABLE', ' DEFERRABLE INITIALLY DEFERRED']),
  ];
  return {
    name: constraintName(table, columns),
    table,
    columns,
    parent,
    parentColumns: target.columns,
    options: options.join(''),
  };
}

/** The name that PostgreSQL chooses. */
function constraintName(table: Table, columns: readonly Column[]): string {
  const parts = [table, ...columns].map(({ name }) => name.replaceAll('"', ''));
  return `"${parts.join('_')}_fkey"`;
}

const canBeReferred = ({ definition }: { readonly definition: string }) =>
  /^(PRIMARY KEY|UNIQUE|UNIQUE NULLS NOT DISTINCT|UNIQUE INDEX) \([^()]*\)$/.test(definition);

const actions = [
  'NO ACTION',
  'NO ACTION',
  'RESTRICT',
  'CASCADE',
  'CASCADE',
  'SET NULL',
  'SET DEFAULT',
];

function deleteAction(random: Random, columns: readonly Column[]): string {
  const [first] = columns as readonly [Column];
  const some =
    columns.length > 1 ? [`SET NULL (${first.name})`, `SET DEFAULT (${first.name})`] : [];
  return random.pick([...actions, ...some]);
}

/** The statement that adds it: after all tables are there, so that cycles are possible. */
export function foreignKeyText({
  table,
  columns,
  parent,
  parentColumns,
  options,
}: Constraint): string {
  const list = (all: readonly Column[]) => all.map(({ name }) => name).join(', ');
  return `ALTER TABLE ${table.name} ADD FOREIGN KEY (${list(columns)}) REFERENCES ${parent.name} (${list(parentColumns)})${options}`;
}
