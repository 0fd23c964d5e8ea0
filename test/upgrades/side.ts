/** One of two databases that run the same story: one is upgraded in the middle of it, the other has the present release from the start. */
import pg from 'pg';
import type { TestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { until } from '../helpers/until.ts';

/** The addresses of a daemon. */
export interface Doors {
  readonly restUrl: string;
  readonly proxyPort: number;
}

/** Thrown if the service refuses something. */
export class Refused extends Error {}

export class Side {
  readonly database: TestDatabase;
  readonly #role: string;
  /** The sessions, by their names in the story. */
  readonly #sessions = new Map<string, string>();
  readonly #clients = new Map<string, pg.Client>();
  #doors: Doors;

  /** @param role the database role of clients, whose name is its password, too */
  constructor(database: TestDatabase, role: string, doors: Doors) {
    this.database = database;
    this.#role = role;
    this.#doors = doors;
  }

  /** Continues with another daemon. Connections to the previous one stay until they are closed. */
  moveTo(doors: Doors): void {
    this.#doors = doors;
  }

  async create(session: string): Promise<string> {
    const { status, body, text } = await this.#send('POST', '/sessions', { reads: 'staged' });
    if (status !== 201) throw new Refused(text);
    this.#sessions.set(session, body.session_id);
    return String(status);
  }

  /** Runs a statement in a session. Returns its result as text. */
  async run(session: string, text: string): Promise<string> {
    const client = await this.#client(session);
    try {
      const { command, rowCount, rows } = await client.query({
        text,
        rowMode: 'array',
        types: { getTypeParser: () => (value: unknown) => value },
      } as pg.QueryArrayConfig);
      return command === 'SELECT' ? JSON.stringify(rows) : `${command} ${rowCount}`;
    } catch (error) {
      const { code, message } = error as pg.DatabaseError;
      throw new Refused(`${code} ${message}`);
    }
  }

  /** Sends a request about a session. Returns its response without what differs by chance. @throws Refused when it is refused */
  async ask(method: string, session: string, path = '', json?: object): Promise<string> {
    const { status, text } = await this.#send(
      method,
      `/sessions/${this.#id(session)}${path}`,
      json,
    );
    const answer = `${status} ${this.#shown(text)}`;
    if (status >= 400) throw new Refused(answer);
    return answer;
  }

  /** Reverts an approved session, in a new session. */
  async revert(session: string, into: string): Promise<string> {
    const path = `/sessions/${this.#id(session)}/revert`;
    const { status, body, text } = await this.#send('POST', path, {});
    if (status !== 201) throw new Refused(`${status} ${this.#shown(text)}`);
    this.#sessions.set(into, body.session_id);
    return String(status);
  }

  /** Requests what belongs to no session. */
  async look(path: string): Promise<string> {
    const { status, text } = await this.#send('GET', path);
    return `${status} ${this.#shown(text)}`;
  }

  async disconnect(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.end()));
    this.#clients.clear();
  }

  /** Repeats a request: on a machine under load the daemon may lose its upstream for a moment, and recovers. */
  #send(method: string, path: string, json?: object) {
    return until(async () => {
      const answer = await callHttp(
        this.#doors.restUrl,
        method,
        path,
        json === undefined ? {} : { json },
      );
      return answer.body.error === 'upstream_unavailable' ? null : answer;
    });
  }

  #id(session: string): string {
    const id = this.#sessions.get(session);
    if (id === undefined) throw new Refused(`no session ${session}`);
    return id;
  }

  /** Removes ids of sessions and requests, digests, OIDs in names, and times of today. */
  #shown(text: string): string {
    const names = new Map([...this.#sessions].map(([name, id]) => [id, name]));
    const today = new Date().toISOString().slice(0, 10);
    return text
      .replace(/sess_\w+/g, (id) => names.get(id) ?? 'a session')
      .replace(/,"request_id":"[^"]*"/, '')
      .replace(/[0-9a-f]{64}/g, 'digest')
      .replace(/_\d{5,}\b/g, '_oid')
      .replace(new RegExp(`${today}T[\\d:.]+Z`, 'g'), 'now');
  }

  async #client(session: string): Promise<pg.Client> {
    const known = this.#clients.get(session);
    if (known !== undefined) return known;
    const url = new URL(this.database.urlFor(this.#role, this.#role));
    url.hostname = '127.0.0.1';
    url.port = String(this.#doors.proxyPort);
    url.search = `?options=${encodeURIComponent(`-c service_session=${this.#id(session)}`)}`;
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect().catch((error: Error) => {
      throw new Refused(error.message);
    });
    this.#clients.set(session, client);
    return client;
  }
}
