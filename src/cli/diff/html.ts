/** A diff as one self-contained file for a mail or an artifact: without scripts, external links or external parts. */

import { createHash } from 'node:crypto';
import { keyCell, tableCell } from '../../client/cell.ts';
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import type { Value } from '../../client/values.ts';
import { wordDifferences } from '../../client/word-diff.ts';
import {
  changesHidden,
  countsInWords,
  furtherExplained,
  nothingInWords,
  triggersInWords,
} from '../../client/words.ts';
import type { ChangeCounts, Operation } from '../../model/change.ts';
import { changesIn } from '../../model/change.ts';
import { Html, html } from '../output/html.ts';
import type { Cell, DiffFormat, Ending } from './format.ts';
import { cellsOf, changedParts, isEmpty, sideOf } from './format.ts';
import type { PageHead } from './html-head.ts';
import { headText } from './html-head.ts';
import { walkedFormat } from './table-walk.ts';

/** The style at the end of the page. It hides the notice that the page is incomplete. */
const ending = '.cut { display: none }';

const style = `
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; overflow-wrap: anywhere; padding: 0 1em }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin: 2em 0 0 }
blockquote { border-left: 3px solid #8886; margin: 1em 0; padding: 0 1em; white-space: pre-wrap }
table { border-collapse: collapse; width: 100% }
td { border-top: 1px solid #8886; padding: .3em .6em; vertical-align: top }
td:first-child { width: 1% }
td:first-child, td:first-child code { overflow-wrap: normal; white-space: nowrap }
td:first-child code { font-weight: bold }
td.long:first-child, td.long:first-child code { overflow-wrap: anywhere; white-space: normal; width: 25% }
@media (max-width: 40em) { td, td:first-child, td.long:first-child { display: block; width: auto } td + td { border: 0; padding-top: 0 }
  td:first-child { white-space: normal }
  td:first-child code, td.long:first-child code { display: inline-block; max-width: 100%; overflow-wrap: anywhere; white-space: normal; width: auto } }
del, ins, code { font-family: ui-monospace, monospace; white-space: pre-wrap; text-decoration: none }
del { background: #f004 } ins { background: #0a04 } .trigger, .cut, .alarm { font-weight: bold }
`;

/** The policy under which the page loads, runs and sends nothing, whatever the rows contain. */
const policy = [
  // guard: a page of a diff loads and runs nothing
  "default-src 'none'",
  `style-src ${[style, ending].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ')}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const signs: Readonly<Record<Operation, string>> = {
  INSERT: '+ inserted',
  UPDATE: '~ updated',
  DELETE: '- deleted',
};

/**
 * Creates the format.
 * @param id the session's id
 * @param head the head of the page
 */
export function createHtmlFormat(reader: DiffReader, id: string, head: PageHead): DiffFormat {
  const heading = (counts: ChangeCounts) => headingOf(reader, head, counts).text;
  return walkedFormat(reader, {
    head: headOf(id, head).text,
    open: (table) => `${heading(reader.countsOf(table))}<table>\n`,
    row: (change) => rowOf(change).text,
    close: () => '</table>\n',
    passed: heading,
    end: (given) =>
      html`${closing(given, reader, head)}<style>${new Html(ending)}</style></body></html>\n`.text,
  });
}

function headOf(id: string, head: PageHead): Html {
  const styled = new Html(style);
  return html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">
<title>Changes of ${id}</title><style>${styled}</style></head><body>
<h1>Changes of ${id}</h1>
${headText(head)}<p class="cut">This page is not whole: what stands behind its last line is missing.</p>
`;
}

function headingOf(reader: DiffReader, head: PageHead, counts: ChangeCounts): Html {
  const place = head.tables.findIndex(({ table }) => table === counts.table) + 1;
  const triggers = triggersInWords(reader.triggersOf(counts.table));
  const warned = triggers === null ? html`` : html`<p class="trigger">! ${triggers}</p>\n`;
  const hidden = counts.hidden ? html`<p>${changesHidden(counts)}</p>\n` : html``;
  return html`<h2 id="t${place}">${tableCell(counts.table)}</h2>\n<p>${countsInWords(counts)}</p>\n${warned}${hidden}`;
}

function rowOf(change: ReadChange): Html {
  const { type, rowId } = change;
  const key = keyCell(rowId);
  const first = key.length > longKey ? html`<td class="long">` : html`<td>`;
  const cells = type === 'UPDATE' ? changedParts(change) : cellsOf(change);
  const lines = cells.map((cell) => html`<div>${cell.label}: ${sidesOf(type, cell)}</div>`);
  return html`<tr>${first}${signs[type]} <code>${key}</code></td><td>${lines}</td></tr>\n`;
}

function sidesOf(type: Operation, cell: Cell): Html {
  const side = (value: Value | undefined) => sideOf(cell, value);
  if (type === 'INSERT') return html`<ins>${side(cell.after)}</ins>`;
  if (type === 'DELETE') return html`<del>${side(cell.before)}</del>`;
  const [before, after] = [side(cell.before), side(cell.after)];
  return textDifferences(before, after) ?? html`<del>${before}</del> → <ins>${after}</ins>`;
}

/** The length beyond which a key may be broken into lines. */
const longKey = 40;
/** The combined length beyond which two texts are shown as their differences, and the characters of context around each. */
const longTexts = 160;
const around = 40;
/** The share of the longer text that has to be common where no passage is long. */
const mostlySame = 0.6;

/** Returns the differences of two long texts with their context; null if the texts are short or have too little in common. */
function textDifferences(before: string, after: string): Html | null {
  if (before.length + after.length <= longTexts) return null;
  const parts = wordDifferences(before, after);
  const same = parts.filter(({ kind }) => kind === 'same').map(({ text }) => text.length);
  const share = same.reduce((sum, each) => sum + each, 0) / Math.max(before.length, after.length);
  if (Math.max(0, ...same) < around && share < mostlySame) return null;
  const last = parts.length - 1;
  const shown = parts.map(({ kind, text }, at) => {
    if (kind === 'removed') return html`<del>${text}</del>`;
    if (kind === 'added') return html`<ins>${text}</ins>`;
    const characters = [...text];
    if (characters.length <= 2 * around + 1) return html`${text}`;
    const [start, end] = [characters.slice(0, around).join(''), characters.slice(-around).join('')];
    return html`${at === 0 ? '' : start}…${at === last ? '' : end}`;
  });
  return html`${shown}`;
}

function closing({ shown, totals }: Ending, reader: DiffReader, head: PageHead): Html {
  const { digest, isRejected } = reader;
  if (isEmpty(totals)) return html`<p>${nothingInWords(isRejected)}</p>\n`;
  const all = changesIn(totals);
  const tables = totals.tables === 1 ? '1 table' : `${totals.tables} tables`;
  const lines = [
    ...(shown < all ? [`${shown} of ${all} changes shown`] : []),
    `${countsInWords(totals)} in ${tables}`,
    ...(totals.furtherChanges === 0 ? [] : [furtherExplained]),
    ...(digest === null ? [] : [`digest ${digest}`]),
    ...(digest === head.digest ? [] : ['The session has changed while this page was made.']),
  ];
  return html`<hr>\n${lines.map((line) => html`<p>${line}</p>\n`)}`;
}
