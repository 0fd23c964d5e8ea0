/** Creates or rebuilds the stand-ins for a statement's names where needed. */

import type { OverlayManager } from '../overlay/install/manager.ts';
import { sqlstateOf } from '../server-connection/refusals.ts';
import type { RelationUse } from '../sql/places.ts';
import type { Write } from '../sql/write.ts';
import type { Names } from './relation-names.ts';
import type { Named } from './stageable.ts';
import {
  checkParked,
  errorOfCopy,
  hasChildren,
  isError,
  obstacleToTarget,
  obstacleToWrite,
  withMeanings,
} from './stageable.ts';
import { canBeTruncated } from './truncate-call.ts';

export class ReadyNames {
  private readonly names: Names;
  private readonly overlays: OverlayManager;

  constructor(names: Names, overlays: OverlayManager) {
    this.names = names;
    this.overlays = overlays;
  }

  async resolve(relations: readonly RelationUse[], again = false): Promise<Named[]> {
    return withMeanings(relations, await this.names.resolve(relations, again));
  }

  /** Resolves the relations of a write. Returns null if the write is an error anyway. @throws StageError for what cannot be staged */
  async resolveStageable({ relations, form }: Write): Promise<Named[] | null> {
    const resolve = async (again: boolean) => {
      const all = await this.resolve(relations, again);
      return form === 'truncate' ? all.filter(({ meaning }) => canBeTruncated(meaning)) : all;
    };
    // TRUNCATE has its own error for ONLY
    const obstacleTo = form === 'truncate' ? obstacleToTarget : obstacleToWrite;
    let named = await resolve(false);
    // a relation that could not be staged may have been replaced without notice
    if (named.some((each) => obstacleTo(each) || isError(each))) named = await resolve(true);
    const error = form === 'copy' ? named.map(errorOfCopy).find((found) => found !== null) : null;
    if (error) throw error;
    if (named.some(isError)) return null;
    const obstacle = named.map(obstacleTo).find((found) => found !== null);
    if (obstacle) throw obstacle;
    return named;
  }

  /**
   * Creates or rebuilds overlays where needed. Returns what the names refer to afterwards, which may have changed meanwhile.
   * @throws StageError for what cannot be staged; the database's error if an overlay cannot be created
   */
  async ensureOverlays(named: readonly Named[], cascades = false): Promise<readonly Named[]> {
    const areSuspect = this.names.takeSuspicion();
    // guard: an overlay in which a statement failed is compared with its table, not with cached facts
    if (areSuspect) this.overlays.forget();
    const lacking = named.filter(
      ({ use, meaning }) =>
        cascades || meaning.standIn.isLacking || (areSuspect && use.target !== null),
    );
    const current = lacking.length === 0 ? named : await this.ensure(lacking, named, cascades);
    // once a table has an overlay, the table together with its children is read through a view of its own
    const lacksNow = current.filter(
      ({ meaning }, index) =>
        meaning.standIn.isLacking && named[index]?.meaning.standIn.isLacking === false,
    );
    const ready = lacksNow.length === 0 ? current : await this.ensure(lacksNow, current, false);
    for (const each of ready) checkParked(each);
    return ready;
  }

  private async ensure(
    lacking: readonly Named[],
    named: readonly Named[],
    cascades: boolean,
  ): Promise<Named[]> {
    const failure = await this.make(lacking, cascades).catch((error: unknown) => ({ error }));
    const current = await this.resolveAnew(named);
    // PostgreSQL itself reports a table that has been dropped meanwhile
    if (!failure || haveMoved(named, current)) return current;
    if (!isOfDropped(failure.error)) throw failure.error;
    // another table, which a foreign key linked with it, has been dropped
    await this.make(lacking, cascades);
    return this.resolveAnew(named);
  }

  /** Resolves the names again. Tables that their tables reference may have got overlays, too. */
  private resolveAnew(named: readonly Named[]): Promise<Named[]> {
    this.names.forget();
    return this.resolve(
      named.map(({ use }) => use),
      true,
    );
  }

  private async make(lacking: readonly Named[], cascades: boolean): Promise<void> {
    const oids = (chosen: (each: Named) => boolean) => [
      ...new Set(lacking.filter(chosen).map(({ meaning }) => meaning.oid as number)),
    ];
    const tables = oids(({ meaning }) => meaning.standIn.madeAs === 'overlay');
    const written = oids(({ use }) => use.target !== null);
    const reads = tables.filter((oid) => !written.includes(oid));
    const views = oids(({ meaning }) => meaning.standIn.madeAs === 'staged view');
    const trees = oids((each) => each.use.target !== null && hasChildren(each));
    if (tables.length > 0) await this.overlays.ensure(tables, cascades, trees, reads);
    if (views.length > 0) await this.overlays.ensureStagedViews(views);
  }
}

/** Returns whether some of the names refer to other relations than before. */
export const haveMoved = (before: readonly Named[], now: readonly Named[]) =>
  now.some(({ meaning }, index) => meaning.oid !== before[index]?.meaning.oid);

/** The SQLSTATEs for a missing relation, which was looked up by name, by OID, or in a query of the service. */
const dropped = new Set(['42P01', 'XX000', '23502']);

const isOfDropped = (error: unknown) => dropped.has(sqlstateOf(error));
