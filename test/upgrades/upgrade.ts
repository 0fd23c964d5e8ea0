/** A real upgrade from an old release, compared with a database that has the present release from the start. */
import pg from 'pg';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { until } from '../helpers/until.ts';
import { catalogOf, without } from './catalog.ts';
import { Refused, Side } from './side.ts';
import type { Step, Story } from './story.ts';

/** The result of each step, by its place in the story. */
type Outcomes = readonly (string | null)[];

/** The results of the story on one side. */
interface Played {
  readonly before: Outcomes;
  readonly after: Outcomes;
  readonly catalog: readonly string[];
}

export interface Upgrade {
  /** The number of steps that the old release accepted, of all before the upgrade. */
  readonly taken: number;
  readonly steps: number;
  /** Steps whose results differ from those of the present release. */
  readonly otherwise: readonly string[];
  /** Whether the new release had to wait for the open transaction, and said so. */
  readonly waited: boolean;
  /** Differences from a database that has the present release from the start. */
  readonly differences: readonly string[];
}

const refusal = 'refused: ';

/** Runs the same story on databases that are upgraded, and on those that they are compared with. */
export class Upgrades {
  readonly #story: Story;
  readonly #role: string;
  /** The present release's results of what an old one accepted. */
  readonly #fresh = new Map<string, Promise<Played>>();

  /** @param role the database role of clients, whose name is its password, too */
  constructor(story: Story, role: string) {
    this.#story = story;
    this.#role = role;
  }

  /** @param release the command that runs the old release, with its arguments */
  async from(release: readonly string[]): Promise<Upgrade> {
    const { waited, ...upgraded } = await this.#onDatabase((database) =>
      this.#upgrade(database, release),
    );
    const isTaken = upgraded.before.map((outcome) => !outcome?.startsWith(refusal));
    const key = isTaken.map(Number).join('');
    const fresh =
      this.#fresh.get(key) ?? this.#onDatabase((each) => this.#playFresh(each, isTaken));
    this.#fresh.set(key, fresh);
    return { waited, ...this.#compare(upgraded, await fresh) };
  }

  get #stepsBefore(): readonly Step[] {
    const { before, idle, end } = this.#story;
    return [...before, ...idle, end];
  }

  async #upgrade(database: TestDatabase, release: readonly string[]) {
    const { before, idle, end, after } = this.#story;
    const old = await spawnDaemon(database.url, { release });
    try {
      const side = new Side(database, this.#role, old);
      const outcomes = await play(side, [...before, ...idle]);
      const daemon = await startTestDaemon({ database });
      try {
        const { body } = await daemon.call('GET', '/health');
        const waited = / by process \d+/.test(body.error ?? '');
        const ended = await play(side, [end]);
        await until(async () => (await daemon.call('GET', '/readyz')).status === 200);
        await side.disconnect();
        await old.kill();
        side.moveTo({ restUrl: daemon.restUrl, proxyPort: daemon.proxy.port });
        const played = { before: [...outcomes, ...ended], after: await play(side, after) };
        await side.disconnect();
        return { ...played, waited, catalog: await catalogOf(database) };
      } finally {
        await daemon.stop();
      }
    } finally {
      await old.kill();
    }
  }

  async #playFresh(database: TestDatabase, isTaken: readonly boolean[]): Promise<Played> {
    const daemon = await startTestDaemon({ database });
    try {
      const { restUrl, proxy } = daemon;
      const side = new Side(database, this.#role, { restUrl, proxyPort: proxy.port });
      const before = await play(side, this.#stepsBefore, isTaken);
      await side.disconnect();
      const after = await play(side, this.#story.after);
      await side.disconnect();
      return { before, after, catalog: await catalogOf(database) };
    } finally {
      await daemon.stop();
    }
  }

  async #onDatabase<T>(work: (database: TestDatabase) => Promise<T>): Promise<T> {
    const database = await createTestDatabase({ template: 'empty' });
    try {
      await database.query(`${this.#story.tables}
        GRANT ALL ON ALL TABLES IN SCHEMA public TO ${this.#role};
        GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${this.#role}`);
      return await work(database);
    } finally {
      await database.drop();
    }
  }

  #compare(upgraded: Played, fresh: Played): Omit<Upgrade, 'waited'> {
    const reported = (steps: readonly Step[], one: Outcomes, other: Outcomes) =>
      steps.flatMap(({ name }, index) =>
        one[index] === other[index]
          ? []
          : [`${name}\n  upgraded ${one[index]}\n  fresh    ${other[index]}`],
      );
    const isTaken = upgraded.before.map((outcome) => !outcome?.startsWith(refusal));
    const steps = this.#stepsBefore;
    return {
      steps: steps.length,
      taken: isTaken.filter(Boolean).length,
      otherwise: [
        ...steps.flatMap(({ name }, index) =>
          isTaken[index] ? [] : [`${name}\n  old      ${upgraded.before[index]}`],
        ),
        ...reported(
          steps,
          upgraded.before.map((each, index) => (isTaken[index] ? each : null)),
          fresh.before,
        ),
      ],
      differences: [
        ...reported(this.#story.after, upgraded.after, fresh.after),
        ...without(upgraded.catalog, fresh.catalog).map((line) => `only upgraded: ${line}`),
        ...without(fresh.catalog, upgraded.catalog).map((line) => `only fresh: ${line}`),
      ],
    };
  }
}

/** @param isTaken which of the steps run; the others return null */
async function play(
  side: Side,
  steps: readonly Step[],
  isTaken?: readonly boolean[],
): Promise<(string | null)[]> {
  const outcomes: (string | null)[] = [];
  for (const [index, { run }] of steps.entries()) {
    if (isTaken?.[index] === false) {
      outcomes.push(null);
      continue;
    }
    try {
      outcomes.push(await run(side));
    } catch (error) {
      if (!(error instanceof Refused || error instanceof pg.DatabaseError)) throw error;
      outcomes.push(refusal + error.message);
    }
  }
  return outcomes;
}
