/** Finds the UPDATE and DELETE statements without WHERE in a text. */
import type { DeleteStmt, UpdateStmt } from 'libpg-query';
import { loadParser, ParserFailure, parseTree } from '../parser/parser.ts';
import { SqlSyntaxError } from '../parser/syntax-error.ts';
import { collectNodes } from '../parser/syntax-tree.ts';

export interface Unconditional {
  readonly operation: 'UPDATE' | 'DELETE';
  /** The target's name as written, without its schema. */
  readonly table: string;
}

const kinds = { UPDATE: 'UpdateStmt', DELETE: 'DeleteStmt' } as const;

/** Returns the writes without WHERE in a text, including those in WITH; none if the text cannot be parsed. */
export async function writesWithoutWhere(text: string): Promise<readonly Unconditional[]> {
  await loadParser();
  try {
    const tree = parseTree(Buffer.from(text));
    return (['UPDATE', 'DELETE'] as const).flatMap((operation) =>
      collectNodes(tree, kinds[operation]).flatMap((fields) => {
        const { relation, whereClause } = fields as UpdateStmt | DeleteStmt;
        return whereClause ? [] : [{ operation, table: relation?.relname ?? '' }];
      }),
    );
  } catch (error) {
    if (error instanceof ParserFailure || error instanceof SqlSyntaxError) return [];
    throw error;
  }
}
