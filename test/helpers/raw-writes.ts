/** Finds the writes in a text that go to tables of users, from PostgreSQL's own parse tree, without the service's code. */
import { loadModule, parseSync } from 'libpg-query';
import { internalSchemas } from '../../src/model/internal-schemas.ts';

await loadModule();

type Node = Readonly<Record<string, unknown>>;

/** The schemas to which the service may write: its own, and those of temporary tables. */
const internalSchema = new RegExp(`${internalSchemas}|^pg_temp$`);

/** The statements that can write to a relation, each with the condition for it. */
const writing: Readonly<Record<string, (statement: Node) => boolean>> = {
  InsertStmt: () => true,
  UpdateStmt: () => true,
  DeleteStmt: () => true,
  MergeStmt: () => true,
  CopyStmt: (statement) => statement['is_from'] === true,
};

/** Statements that only define something. They run no code. */
const definitions = new Set(['CreateFunctionStmt', 'RuleStmt', 'ViewStmt']);

/** Returns the targets outside of the service's schemas. A text that is not SQL has none: no server runs it. */
export function rawWrites(text: string): string[] {
  let tree: unknown;
  try {
    tree = parseSync(text);
  } catch {
    return [];
  }
  const found: string[] = [];
  visit(tree, found);
  return found;
}

function visit(value: unknown, found: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, found);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [type, inner] of Object.entries(value)) {
    if (definitions.has(type) || (type === 'ExplainStmt' && !isAnalyze(inner as Node))) continue;
    found.push(...targetsOf(type, inner as Node));
    visit(inner, found);
  }
}

function targetsOf(type: string, statement: Node): string[] {
  const relations: Node[] = [];
  if (writing[type]?.(statement) && statement['relation'])
    relations.push(statement['relation'] as Node);
  if (type === 'TruncateStmt')
    relations.push(...(statement['relations'] as Node[]).map((item) => item['RangeVar'] as Node));
  return relations
    .filter(({ schemaname }) => !internalSchema.test(String(schemaname ?? '')))
    .map(({ schemaname, relname }) => `${type} ${schemaname ?? ''}.${relname}`);
}

const isAnalyze = (explain: Node): boolean =>
  ((explain['options'] ?? []) as Node[]).some(
    (option) => (option['DefElem'] as Node | undefined)?.['defname'] === 'analyze',
  );
