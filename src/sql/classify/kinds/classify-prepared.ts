/** Classifies PREPARE, EXECUTE and DEALLOCATE. */

import type { DeallocateStmt, ExecuteStmt, PrepareStmt } from 'libpg-query';
import { namedTypes } from '../../functions/call-uses.ts';
import type { QualifiedName } from '../../functions/calls.ts';
import { readName } from '../../parser/identifier-reader.ts';
import { constantOf } from '../../parser/syntax-tree.ts';
import { Tokens } from '../../parser/tokens.ts';
import type { Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import type { Control } from '../../verdict.ts';
import type { Write } from '../../write.ts';
import { collectUses } from '../query-uses.ts';
import { unknownElement, unreadableName } from '../refused-parts.ts';
import type { Source } from '../relation-uses.ts';
import { classifyQuery } from './classify-query.ts';

/** Classifies a PREPARE by its body. */
export function classifyPrepare(statement: PrepareStmt, source: Source): Control | Refusal {
  if (!statement.query) return unknownElement('PREPARE');
  const query = classifyQuery(statement.query, source);
  if (query.kind === 'refuse') return query;
  const body = withParameters(query, namedTypes(statement.argtypes ?? []));
  const tokens = Tokens.of(source.text);
  // an AS within parentheses may belong to a type's name
  const as = tokens.find(['as'], 2);
  const [keyword, first] = tokens.list.slice(as);
  const name = readName(source.text, tokens.list[1]?.start ?? 0, 1)?.[0];
  if (keyword === undefined || first === undefined || name === undefined) return unreadableName;
  return {
    kind: 'control',
    action: {
      type: 'prepare',
      name: statement.name ?? '',
      body,
      bodyRange: { start: first.start, end: source.text.length },
      typesRange: { start: name.end, end: keyword.start },
    },
  };
}

/** Adds the parameters' types to the calls of a statement: their values are parsed, and those of domains checked, before it is executed. */
export function withParameters(body: Read | Write, types: readonly QualifiedName[]): Read | Write {
  // guard: the types of a statement that SQL prepares are called
  if (types.length === 0) return body;
  const calls = types.map((each) => ({
    kind: 'type' as const,
    ...each,
    unlessMade: true as const,
  }));
  const unclear = [...body.unclear, ...calls];
  return body.kind === 'read'
    ? { ...body, unclear }
    : { ...body, unclear, types: [...body.types, ...types] };
}

/** Classifies an EXECUTE by its arguments. PREPARE has classified the statement that it runs. */
export function classifyExecute(statement: ExecuteStmt, source: Source): Control | Refusal {
  const { name = '', params = [] } = statement;
  const { calls, unclear, refusal } = collectUses(params, source);
  if (refusal) return refusal;
  const tokens = Tokens.of(source.text);
  const open = tokens.list.findIndex(({ text }) => text === '(');
  const elements = params.length > 0 ? tokens.elements(open, tokens.length - 1) : [];
  const ranges = elements.map(({ from, to }) => tokens.range(from, to));
  if (ranges.length !== params.length) return unknownElement('EXECUTE');
  const constants = params.map(constantOf);
  return {
    kind: 'control',
    action: { type: 'execute', name, arguments: ranges, constants, calls, unclear },
  };
}

/** Classifies DEALLOCATE, which is forwarded. A null name is ALL. */
export function classifyDeallocate({ name }: DeallocateStmt): Control {
  return { kind: 'control', action: { type: 'deallocate', name: name ?? null } };
}
