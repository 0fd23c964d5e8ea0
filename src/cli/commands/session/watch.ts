/** `stage watch`: follows a session, statement by statement, until it is decided. */
import { setTimeout as pause } from 'node:timers/promises';
import { tableCell } from '../../../client/cell.ts';
import { News } from '../../../client/news.ts';
import { safeJson, sanitize } from '../../../client/sanitize.ts';
import { hiddenInWords } from '../../../client/words.ts';
import { StageError } from '../../../errors.ts';
import { JsonText } from '../../../model/json.ts';
import { elementsOf, membersOf } from '../../../model/json-members.ts';
import { intervalOption } from '../../arguments/duration.ts';
import { openStates } from '../../arguments/session-argument.ts';
import type { Connection, Context } from '../../context.ts';
import { defineSessionCommand } from '../../define-command.ts';
import { createRowsWriter } from '../../output/table.ts';
import type { SharedOptions } from '../../settings.ts';

interface Options {
  readonly interval: number;
}

/** Something that happened: a line for people, and the REST interface's JSON of it. */
interface Event {
  readonly cells: readonly string[];
  readonly json: string;
}

const columns = ['time', 'event', 'table', 'rows', 'query'].map((title) => ({ title }));

/** The largest page that the daemon returns, in mutations. */
const page = 1000;
/** The longest wait for events of a session that takes no statements. */
const quietMs = 60_000;

export const watchCommand = defineSessionCommand<Options>({
  description:
    'Follow a session: its statements as they are staged, and its state. Ends when the session is approved, ' +
    'rejected or deleted, or with Ctrl-C. With --json it prints one object a line.',
  options: [intervalOption()],
  examples: ['stage watch', 'stage watch sess_2f0c... --json'],
  states: openStates,
  work: async ({ context, connection, id }, options) => {
    await followSession(context, connection, id, options);
  },
});

async function followSession(
  { out }: Context,
  connection: Connection,
  id: string,
  { interval }: Options & Partial<SharedOptions>,
): Promise<void> {
  const rows = createRowsWriter(out.terminal ? 'table' : 'tsv', columns, out.paint);
  const follower = new Follower(connection, id, interval);
  for (;;) {
    const events = await follower.next();
    if (out.json) await out.write(events.map(({ json }) => `${safeJson(json)}\n`).join(''));
    else if (events.length > 0) await out.write(rows(events.map(({ cells }) => cells)));
    if (follower.over) return;
  }
}

/** Follows a session and remembers what was reported. */
class Follower {
  /** Whether nothing more can happen. */
  over = false;
  readonly #connection: Connection;
  readonly #id: string;
  readonly #interval: number;
  readonly #news: News;
  /** The place behind the last statement that was read. */
  #place: { readonly cursor?: string; readonly offset: number } = { offset: 0 };
  #status: string | null = null;
  /** Whether something happened that could not be read yet. */
  #isBehind = false;

  constructor(connection: Connection, id: string, interval: number) {
    this.#connection = connection;
    this.#id = id;
    this.#interval = interval;
    this.#news = new News(connection.api, id);
  }

  /** Waits, and returns what happened since the last call. Statements produce no events, so an active session is polled. */
  async next(): Promise<Event[]> {
    const intervalMs = this.#interval;
    const { signal } = this.#connection.interruption;
    const mostMs = this.#status === 'proposed' ? quietMs : intervalMs;
    this.#isBehind = (await this.#news.next({ mostMs, intervalMs, signal })) || this.#isBehind;
    if (!this.#isBehind && this.#status === 'proposed') return [];
    const events: Event[] = [];
    try {
      events.push(...(await this.#newStatements()));
      if (this.#isBehind) events.push(...(await this.#newStatus()));
      this.#isBehind = false;
      return events;
    } catch (error) {
      if (!(error instanceof StageError) || this.#status === null) throw error;
      // once the session was read, the daemon may be unreachable for a time
      if (error.exit === 7) {
        this.#isBehind = true;
        await pause(intervalMs, undefined, { signal });
        return events;
      }
      if (error.code !== 'session_not_found') throw error;
      this.over = true;
      const deleted = `{"session_id":"${this.#id}"}`;
      return [...events, statusEvent(new Date().toISOString(), 'deleted', deleted)];
    }
  }

  async #newStatements(): Promise<Event[]> {
    const filter = { limit: page, ...this.#place };
    const { body, value } = await this.#connection.api.listMutations(this.#id, filter);
    const { items, nextCursor: cursor } = value;
    const offset = this.#place.offset + items.length;
    this.#place = cursor === null ? { ...this.#place, offset } : { cursor, offset: 0 };
    const texts = elementsOf(membersOf(new JsonText(body)).get('mutations') ?? new JsonText('[]'));
    return items.map((mutation, index) => ({
      cells: [
        mutation.executedAt,
        mutation.type,
        tableCell(mutation.table),
        String(mutation.affectedRows),
        mutation.query === null ? hiddenInWords : sanitize(mutation.query),
      ],
      json: `{"event":"mutation","mutation":${texts[index]?.text}}`,
    }));
  }

  /** Returns a change of the state. It is read after the statements, since a rejected or deleted session has none. */
  async #newStatus(): Promise<Event[]> {
    const { body, value } = await this.#connection.api.getSession(this.#id);
    if (value.status === this.#status) return [];
    const time = this.#status === null ? value.createdAt : value.updatedAt;
    this.#status = value.status;
    this.over = value.status === 'approved' || value.status === 'rejected';
    return [statusEvent(time, value.status, body)];
  }
}

function statusEvent(time: string, status: string, session: string): Event {
  return {
    cells: [time, status, '', '', ''],
    json: `{"event":"status","status":"${status}","session":${session}}`,
  };
}
