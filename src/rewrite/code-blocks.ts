/** Replaces the blocks of DO statements by texts that read staged rows and stage the blocks' writes. */
import { StageError } from '../errors.ts';
import { quoteLiteral } from '../identifier.ts';
import type { StagedBlock } from '../overlay/functions/staged-block.ts';
import type { OverlayManager } from '../overlay/install/manager.ts';
import type { InternalStatement, ServerQuery } from '../server-connection/internal-statement.ts';
import { faultOfBlock } from '../sql/functions/function-body.ts';
import type { CodeBlock } from '../sql/write.ts';
import type { StagedCalls } from './function-names.ts';
import { parkedBehind } from './stageable.ts';

/** A block as stage.resolve_block describes it. */
interface ResolvedBlock {
  /** OIDs of the schemas that are searched for names. */
  readonly path: readonly number[];
  readonly isCurrent: boolean;
  /** Whether staged rows of the tables it reads are orphaned in this session. */
  readonly parked: boolean;
  /** A table that it names and that a temporary relation of the connection hides; null if there is none. */
  readonly hidden: string | null;
  /** What it calls or names and the role may not use, such as "function f" or "schema s"; null if there is nothing. */
  readonly denied: string | null;
}

const resolveBlock: InternalStatement = {
  text: 'SELECT stage.resolve_block($1, $2, pg_catalog.current_schemas(true))',
};

/** A block, and the search path under which it was followed. */
interface KnownBlock {
  readonly made: StagedBlock;
  readonly path: string;
}

const nothingKnown: StagedBlock = {
  body: null,
  uses: '{"relations":[],"functions":[]}',
  stamp: '',
  written: [],
  obstacle: null,
};

export class CodeBlocks {
  private readonly query: ServerQuery;
  private readonly overlays: OverlayManager;
  private readonly known = new WeakMap<CodeBlock, KnownBlock>();

  constructor(query: ServerQuery, overlays: OverlayManager) {
    this.query = query;
    this.overlays = overlays;
  }

  /**
   * Returns the replacement of a block. It queries the server each time, because anybody may replace a function that the block calls.
   * @throws StageError for a block that is not staged, and for one that may not run on this connection; SqlSyntaxError for one that
   * PL/pgSQL does not accept
   */
  async calls(block: CodeBlock): Promise<StagedCalls> {
    const { made, found } = await this.resolve(block);
    if (found.parked) throw parkedBehind('what the block reads');
    // guard: a temporary table in the place of a table that a block names is not passed over
    if (found.hidden !== null) throw hiddenBehind(found.hidden);
    if (made.body === null)
      throw (await faultOfBlock(block.body)) ?? notStaged(made.obstacle ?? 'cannot be followed');
    if (found.denied !== null) throw denied(found.denied);
    const { start, end } = block;
    return {
      replacements: [{ start, end, text: `DO LANGUAGE plpgsql ${quoteLiteral(made.body)}` }],
      ...{ writing: [], harmless: [], inCondition: null, written: made.written, obstacle: null },
    };
  }

  private async resolve(block: CodeBlock) {
    const { made: known, path } = this.known.get(block) ?? { made: nothingKnown, path: '' };
    const first = await this.ask(known);
    // operators and types are also found by the path, and no stamp covers them
    // guard: a block is followed anew under another search path
    if (first.isCurrent && String(first.path) === path) return { made: known, found: first };
    const made = await this.overlays.followBlock(block.body, first.path);
    this.known.set(block, { made, path: String(first.path) });
    const found = await this.ask(made);
    // guard: a block does not run when what it was made from has changed
    if (!found.isCurrent) throw tooOld;
    return { made, found };
  }

  private async ask({ uses, stamp }: StagedBlock): Promise<ResolvedBlock> {
    const [row] = await this.query(resolveBlock, [Buffer.from(uses), Buffer.from(stamp)]);
    return JSON.parse(row?.[0]?.toString() ?? '') as ResolvedBlock;
  }
}

const notStaged = (obstacle: string) =>
  new StageError('statement_not_supported', `DO cannot be staged: the block ${obstacle}`, {
    hint: 'Run its INSERT, UPDATE and DELETE statements themselves.',
  });

const hiddenBehind = (relation: string) =>
  new StageError(
    'statement_not_supported',
    `DO cannot be staged: the temporary table "${relation}" hides a table that the block names`,
    { hint: 'Drop the temporary table, or give it another name.' },
  );

const denied = (what: string) =>
  new StageError('forbidden', `permission denied for ${what}`, { hint: 'The block calls it.' });

const tooOld = new StageError(
  'statement_not_supported',
  'could not serialize access due to a concurrent change of a function',
  { sqlstate: '40001', hint: 'The transaction might succeed if retried.' },
);
