/** Random queries with known relations. The names of tables and of CTEs are drawn from one small set. */
import type { Random } from '../helpers/random.ts';

export interface KnownQuery {
  readonly sql: string;
  /** In the form of `relationsOf`: `[TARGET ][schema.]name=text`. */
  readonly relations: readonly string[];
}

interface Writing {
  readonly random: Random;
  readonly parts: string[];
  readonly relations: string[];
}

/** The CTEs in scope of a part of the query. */
type Scope = ReadonlySet<string>;

/** Different spellings of a name with the same meaning. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  a: ['a', 'A', '"a"', 'U&"\\0061"', 'U&"!0061" UESCAPE \'!\''],
  b: ['b', 'B', '"b"'],
  A: ['"A"'],
  é: ['é', '"é"', 'U&"\\00e9"'],
  constructor: ['constructor', 'CONSTRUCTOR'],
};

/** Draws a query or write with WITH clauses, sub-selects, joins and set operations. */
export function randomQuery(random: Random): KnownQuery {
  const writing: Writing = { random, parts: [], relations: [] };
  statement(writing, new Set(), 3, true);
  return { sql: writing.parts.join(''), relations: writing.relations };
}

function statement(writing: Writing, outer: Scope, depth: number, mayWrite: boolean): void {
  const scope = withClause(writing, outer, depth, mayWrite);
  const kind = mayWrite
    ? writing.random.pick(['select', 'select', 'insert', 'update', 'delete'])
    : 'select';
  if (kind === 'insert') insert(writing, scope, depth);
  else if (kind === 'update') update(writing, scope, depth);
  else if (kind === 'delete') deletion(writing, scope, depth);
  else select(writing, scope, depth);
}

function withClause(writing: Writing, outer: Scope, depth: number, mayWrite: boolean): Scope {
  const { random } = writing;
  if (depth === 0 || random.chance(0.4)) return outer;
  const names = drawNames(random);
  const recursive = random.chance(0.4);
  const all = new Set([...outer, ...names]);
  let before: Scope = outer;
  write(writing, recursive ? 'WITH RECURSIVE ' : 'WITH ');
  names.forEach((name, index) => {
    write(writing, index > 0 ? ', ' : '', spelled(random, name), ' AS (');
    statement(writing, recursive ? all : before, depth - 1, mayWrite);
    write(writing, ')', space(random));
    before = new Set([...before, name]);
  });
  return all;
}

function select(writing: Writing, scope: Scope, depth: number): void {
  write(writing, 'SELECT x.a FROM ');
  source(writing, scope, depth);
  if (depth > 0 && writing.random.chance(0.4)) {
    write(writing, ' WHERE x.a IN ');
    subselect(writing, scope, depth);
  }
  if (depth > 0 && writing.random.chance(0.3)) {
    write(writing, writing.random.pick([' UNION ', ' EXCEPT ALL ', ' INTERSECT ']));
    if (writing.random.chance(0.5)) subselect(writing, scope, depth);
    else select(writing, scope, depth - 1);
  }
}

function insert(writing: Writing, scope: Scope, depth: number): void {
  write(writing, 'INSERT INTO ');
  target(writing, 'INSERT');
  write(writing, space(writing.random));
  // The inserted query may have its own WITH inside the statement's.
  statement(writing, scope, Math.max(depth - 1, 0), false);
  returning(writing, scope, depth);
}

function update(writing: Writing, scope: Scope, depth: number): void {
  write(writing, 'UPDATE ');
  target(writing, 'UPDATE');
  write(writing, ' AS u SET (a, b) = (SELECT x.a, x.b FROM ');
  source(writing, scope, 0);
  write(writing, ') FROM ');
  source(writing, scope, depth);
  where(writing, scope, depth);
  returning(writing, scope, depth);
}

function deletion(writing: Writing, scope: Scope, depth: number): void {
  write(writing, 'DELETE FROM ');
  target(writing, 'DELETE');
  write(writing, ' AS d USING ');
  source(writing, scope, depth);
  where(writing, scope, depth);
  returning(writing, scope, depth);
}

function where(writing: Writing, scope: Scope, depth: number): void {
  write(writing, ' WHERE EXISTS ');
  subselect(writing, scope, Math.max(depth, 1));
}

/** Writes RETURNING. After WITH queries that may write, it must not read any of them. */
function returning(writing: Writing, scope: Scope, depth: number): void {
  write(writing, ' RETURNING a');
  if (depth === 0 || scope.size > 0 || writing.random.chance(0.4)) return;
  write(writing, ', ');
  subselect(writing, scope, depth);
}

function subselect(writing: Writing, scope: Scope, depth: number): void {
  write(writing, '(');
  statement(writing, scope, depth - 1, false);
  write(writing, ')');
}

/** Writes one item of FROM, with the alias x. */
function source(writing: Writing, scope: Scope, depth: number): void {
  const { random } = writing;
  if (depth > 0 && random.chance(0.25)) {
    write(writing, random.chance(0.3) ? 'LATERAL ' : '');
    subselect(writing, scope, depth);
    write(writing, ' AS x');
    return;
  }
  relation(writing, scope, null);
  write(writing, ' AS x');
  if (depth > 0 && random.chance(0.3)) {
    write(writing, random.pick([' JOIN ', ' LEFT JOIN ']));
    relation(writing, scope, null);
    write(writing, ' AS y ON true');
  }
}

function target(writing: Writing, kind: string): void {
  relation(writing, new Set(), kind);
}

function relation(writing: Writing, scope: Scope, kind: string | null): void {
  const { random } = writing;
  const name = random.pick(Object.keys(spellings));
  const qualified = random.chance(0.25);
  const text = qualified
    ? `s${space(random)}.${space(random)}${spelled(random, name)}`
    : spelled(random, name);
  write(writing, text);
  if (!qualified && scope.has(name)) return;
  writing.relations.push(`${kind ? `${kind} ` : ''}${qualified ? 's.' : ''}${name}=${text}`);
}

function drawNames(random: Random): string[] {
  const names = Object.keys(spellings).filter(() => random.chance(0.4));
  return names.length > 0 ? names : ['a'];
}

function spelled(random: Random, name: string): string {
  return random.pick(spellings[name] ?? [name]);
}

function space(random: Random): string {
  return random.pick([' ', '\n', '/* é . a */', ' -- . b\n']);
}

function write(writing: Writing, ...texts: string[]): void {
  writing.parts.push(...texts);
}
