/** The head of a diff's page: who made the session and for what, how large it is, and what prevents its approval. */
import type { ApiClient } from '../../client/api-client.ts';
import { briefSentences, flagsInWords } from '../../client/brief-words.ts';
import { tableCell } from '../../client/cell.ts';
import { conflictLine } from '../../client/place-words.ts';
import { originOf } from '../../client/session-words.ts';
import { countsInWords } from '../../client/words.ts';
import type { Brief } from '../../model/brief.ts';
import type { ChangeCounts } from '../../model/change.ts';
import { stepCountsOf, stepSumOf } from '../../model/change.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { Html } from '../output/html.ts';
import { html } from '../output/html.ts';
import { briefOfDiff } from './brief.ts';

export interface PageHead {
  /** Who made the session, for what and when. */
  readonly about: string;
  /** The author's message to the reviewer; null if there is none. */
  readonly message: string | null;
  readonly digest: string;
  readonly tables: readonly ChangeCounts[];
  /** The unusual facts, and the meaning of the changes; null if it could not be read. */
  readonly brief: Brief | null;
  /** Null for a decided session, which has no conflicts. */
  readonly conflicts: readonly Conflict[] | null;
}

/** Reads the contents of the head. @param table the only table that is shown */
export async function readHead(
  api: ApiClient,
  id: string,
  table: string | undefined,
): Promise<PageHead> {
  const session = (await api.getSession(id)).value;
  const isOpen = session.status === 'active' || session.status === 'proposed';
  const { tables } = (await api.readOutline(id)).value;
  const comments = (await api.listComments(id, { limit: 1000 })).value.items;
  return {
    about: originOf(session),
    message: comments.findLast(({ kind }) => kind === 'proposed')?.body ?? null,
    digest: await api.readDigest(id),
    brief: await briefOfDiff(api, id, table),
    tables: tables
      .filter((each) => table === undefined || each.table === table)
      .map((each) => ({
        table: each.table,
        ...stepCountsOf([each]),
        ...(each.hidden ? { hidden: each.hidden } : {}),
      })),
    conflicts: isOpen
      ? (await api.findConflicts(id)).value.filter(({ ignored }) => !ignored)
      : null,
  };
}

/** The maximum number of conflicts that are listed; the rest is counted. */
const mostConflicts = 20;

/** Writes the head. */
export function headText({ about, message, digest, tables, conflicts, brief }: PageHead): Html {
  const quote = message === null ? html`` : html`<blockquote>${linesOf(message)}</blockquote>\n`;
  if (tables.length === 0) return html`<p>${about}</p>\n${quote}`;
  const [one, many] = ['table', 'tables'];
  const totals = `${countsInWords(stepSumOf(tables))} in ${tables.length} ${tables.length === 1 ? one : many}`;
  const lines = tables.map(
    (counts, at) =>
      html`<li><a href="#t${at + 1}">${tableCell(counts.table)}</a>: ${countsInWords(counts)}</li>\n`,
  );
  return html`<p>${about}</p>\n${quote}<p>${totals}</p>\n<p>digest ${digest}</p>\n${conflictsText(conflicts)}${briefText(brief)}<ul>\n${lines}</ul>\n`;
}

function briefText(brief: Brief | null): Html {
  if (brief === null) return html``;
  const flags = flagsInWords(brief).map((flag) => html`<li class="alarm">! ${flag}</li>\n`);
  const said = briefSentences(brief).flatMap(({ table, sentences }) =>
    sentences.map((sentence) => html`<li>${table}: ${sentence}</li>\n`),
  );
  return flags.length + said.length === 0 ? html`` : html`<ul>\n${[...flags, ...said]}</ul>\n`;
}

/** Keeps line breaks of a message, which are escaped like all control characters otherwise. */
const linesOf = (message: string) =>
  message.split(/\r?\n/).map((line, at) => html`${at === 0 ? html`` : html`<br>`}${line}`);

function conflictsText(conflicts: readonly Conflict[] | null): Html {
  if (conflicts === null) return html``;
  if (conflicts.length === 0) return html`<p>No conflicts with production.</p>\n`;
  const more = conflicts.length - mostConflicts;
  const lines = [
    ...conflicts.slice(0, mostConflicts).map(conflictLine),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  const count = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`;
  return html`<p class="alarm">! ${count} with production: approval would be refused</p>\n<ul>\n${lines.map((line) => html`<li>${line}</li>\n`)}</ul>\n`;
}
