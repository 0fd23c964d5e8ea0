/** Responses of the REST interface that the model does not cover, and their readers. */
import type { JsonText } from '../model/json.ts';
import {
  auditEndShape,
  auditVerdictShape,
  callerShape,
  healthShape,
  infoShape,
  tokenUseShape,
} from '../model/service.ts';
import { Fields } from './fields.ts';
import type { ListPaging } from './filters.ts';
import { readerOf } from './read-noun.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
  readonly hasMore: boolean;
  /** The cursor of the next page. Null at the end, and from a daemon that does not send it. */
  readonly nextCursor: string | null;
}

/** Makes a reader of a page: `{<member>: [...], total_count, has_more, next_cursor}`. */
export function pageOf<T>(
  member: string,
  read: (json: JsonText) => T,
): (json: JsonText) => Page<T> {
  return (json) => {
    const fields = new Fields(json);
    return {
      items: fields.list(member).map(read),
      totalCount: fields.number('total_count'),
      hasMore: fields.json('has_more')?.text === 'true',
      nextCursor: fields.text('next_cursor'),
    };
  };
}

/** Returns where the next page begins. @param seen how many items of the list come before it */
export const nextPlace = ({ nextCursor }: Page<unknown>, seen: number): ListPaging =>
  nextCursor === null ? { offset: seen } : { cursor: nextCursor };

/** A link to the review page. */
export interface ReviewLink {
  /** Path and fragment, to append to the daemon's address. */
  readonly path: string;
  /** Null if no login is required. */
  readonly expiresAt: string | null;
}

/** Reads a link that logs a person in. */
export function readReviewLink(json: JsonText): ReviewLink {
  const fields = new Fields(json);
  return { path: fields.required('path'), expiresAt: fields.text('expires_at') };
}

export const readHealth = readerOf(healthShape);
export const readInfo = readerOf(infoShape);
export const readCaller = readerOf(callerShape);
export const readVerdict = readerOf(auditVerdictShape);

const readTokenUse = readerOf(tokenUseShape);
const readEnd = readerOf(auditEndShape);

/** Reads when tokens were last used, by their ids; null for one without a known use. */
export function readTokenUses(json: JsonText): ReadonlyMap<string, string | null> {
  const tokens = new Fields(json).list('tokens').map(readTokenUse);
  return new Map(tokens.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
}

/** Reads the number of audit entries that the head of the audit records. */
export const readAuditLength = (json: JsonText) => readEnd(json).entries;
