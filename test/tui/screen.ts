/** A made-up diff for tests of the terminal interface: a daemon that is an array, and states and frames over it. */
import type { Brief } from '../../src/model/brief.ts';
import type { Chunk, NumberedChange, Operation, Outline } from '../../src/model/change.ts';
import { JsonText } from '../../src/model/json.ts';
import { SidesCache } from '../../src/tui/cells.ts';
import type { CustomKeys } from '../../src/tui/keys.ts';
import { createKeymap } from '../../src/tui/keys.ts';
import type { DataNeed } from '../../src/tui/state/data-needs.ts';
import { dataNeedsOf } from '../../src/tui/state/data-needs.ts';
import type { Action } from '../../src/tui/state/reducer.ts';
import { reduce } from '../../src/tui/state/reducer.ts';
import type { Sort, State } from '../../src/tui/state/state.ts';
import { initialState, operationOf } from '../../src/tui/state/state.ts';
import type { Line } from '../../src/tui/terminal/line.ts';
import { textOf } from '../../src/tui/terminal/line.ts';
import { frameView } from '../../src/tui/views/frame.ts';
import { madeAt, madeSession } from '../helpers/made-session.ts';

export const session = madeSession({
  id: `sess_${'ab12'.repeat(8)}`,
  projectId: 'shop',
  status: 'proposed',
  round: 1,
  mutationCount: 3,
  proposedAt: madeAt,
});

export type Row = Readonly<Record<string, unknown>>;

let numbers = 0;

/** Makes a change of table `orders` by default; its kind follows from the sides. */
export function changeOf(before: Row | null, after: Row | null, table = 'orders'): NumberedChange {
  const type: Operation = before === null ? 'INSERT' : after === null ? 'DELETE' : 'UPDATE';
  const json = (row: Row | null) => (row === null ? null : new JsonText(JSON.stringify(row)));
  numbers += 1;
  return {
    table,
    type,
    number: String(numbers * 3),
    rowId: new JsonText(JSON.stringify((before ?? after)?.['id'] ?? null)),
    before: json(before),
    after: json(after),
  };
}

/** Responds as a daemon from an array of changes. */
export class ArrayDaemon {
  readonly changes: readonly NumberedChange[];
  readonly revision: string;
  readonly asked: DataNeed[] = [];
  brief: Omit<Brief, 'revision'> = { tables: [], flags: [], overlaps: [] };

  constructor(changes: readonly NumberedChange[], revision = 'staged-3') {
    this.changes = changes;
    this.revision = revision;
  }

  get outline(): Outline {
    const tables = [...new Set(this.changes.map(({ table }) => table))].sort();
    return { revision: this.revision, tables: tables.map((table) => this.#outlineOf(table)) };
  }

  /** Provides what a state lacks until it lacks nothing. */
  settle(state: State): State {
    let settled = state;
    for (let round = 0; round < 50; round += 1) {
      const needs = dataNeedsOf(settled);
      if (needs.length === 0) return settled;
      for (const need of needs) settled = this.#answer(settled, need);
    }
    throw new Error('the needs never end');
  }

  /** Returns the changes that a filter selects. */
  list(table: string, type: Operation | undefined): NumberedChange[] {
    return this.changes.filter(
      (change) => change.table === table && (type === undefined || change.type === type),
    );
  }

  /** Returns them sorted by numbers in a column. */
  sorted(
    table: string,
    type: Operation | undefined,
    { column, descending }: Sort,
  ): NumberedChange[] {
    const value = ({ before, after }: NumberedChange) =>
      Number(JSON.parse((after ?? before)?.text ?? '{}')[column]);
    const list = this.list(table, type).sort((one, other) => value(one) - value(other));
    return descending ? list.reverse() : list;
  }

  #answer(state: State, need: DataNeed): State {
    this.asked.push(need);
    if (need.kind === 'digest') {
      const digest = { revision: need.revision, text: `sha256:${'0f'.repeat(32)}` };
      return reduce(state, { type: 'digest', digest });
    }
    if (need.kind === 'brief')
      return reduce(state, { type: 'brief', brief: { ...this.brief, revision: need.revision } });
    if (need.kind === 'why') {
      const key = `${need.table}\n${need.number}`;
      return reduce(state, { type: 'why', key, causes: ['mut_1 by bot: UPDATE orders'] });
    }
    if (need.kind === 'mutations') {
      return reduce(state, { type: 'mutations', offset: need.offset, items: [], total: 0 });
    }
    if (need.kind === 'page' && need.sort !== null) {
      const list = this.sorted(need.table, operationOf(need.filter), need.sort);
      const changes = list.slice(need.offset, need.offset + need.limit);
      return reduce(state, {
        type: 'page',
        need,
        page: { revision: this.revision, changes, nextCursor: null },
      });
    }
    const behind = this.list(need.table, operationOf(need.filter)).filter(
      ({ number }) => BigInt(number) > BigInt(need.cursor),
    );
    if (need.kind === 'page') {
      const changes = behind.slice(need.offset, need.offset + need.limit);
      const page = { revision: this.revision, changes, nextCursor: null };
      return reduce(state, { type: 'page', need, page });
    }
    const changes = behind.filter(({ before, after }) =>
      `${before?.text}${after?.text}`.includes(need.text),
    );
    const page = { revision: this.revision, changes, nextCursor: null };
    return reduce(state, { type: 'found', need, page });
  }

  #outlineOf(table: string) {
    const all = this.list(table, undefined);
    const chunks: Chunk[] = [];
    for (let start = 0; start < all.length; start += 500) {
      const part = all.slice(start, start + 500);
      const count = (type: Operation) => part.filter((change) => change.type === type).length;
      chunks.push({
        after: start === 0 ? '0' : (all[start - 1]?.number ?? '0'),
        inserts: count('INSERT'),
        updates: count('UPDATE'),
        deletes: count('DELETE'),
      });
    }
    const names = new Set(
      all.flatMap(({ before, after }) => Object.keys(JSON.parse((after ?? before)?.text ?? '{}'))),
    );
    const columns = [...names].map((name) => ({
      name,
      type: name === 'id' ? 'integer' : 'text',
      generated: false,
    }));
    return { table, key: ['id'], columns, chunks, triggers: [], furtherChanges: 0 };
  }
}

/** The interface over a daemon that responds at once. */
export class TestUi {
  readonly daemon: ArrayDaemon;
  state: State;

  constructor(changes: readonly NumberedChange[], columns = 80, rows = 24, keys: CustomKeys = {}) {
    this.daemon = new ArrayDaemon(changes);
    this.state = initialState({ columns, rows }, createKeymap(keys));
    this.act({ type: 'session', session, database: 'shop' });
    this.act({ type: 'outline', outline: this.daemon.outline });
  }

  act(action: Action): void {
    this.state = this.daemon.settle(reduce(this.state, action));
  }

  /** Presses keys one after the other. */
  press(...names: readonly string[]): void {
    for (const name of names) this.act({ type: 'key', name });
  }

  /** Types a text and enter. */
  type(text: string): void {
    this.press(...[...text].map((character) => (character === ' ' ? 'space' : character)), 'enter');
  }

  get lines(): Line[] {
    return frameView(this.state, new SidesCache());
  }

  /** The screen as text. */
  get screen(): string {
    return this.lines.map((line) => textOf(line).trimEnd()).join('\n');
  }
}
