/** A diff as one file to look at: without scripts, links or anything from elsewhere, for a mail, a comment or an artifact. */
import { createHash } from 'node:crypto';
import { keyCell, tableCell } from '../../client/cell.ts';
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import type { Value } from '../../client/values.ts';
import {
  changesHidden,
  countsInWords,
  furtherExplained,
  nothingInWords,
  triggersInWords,
} from '../../client/words.ts';
import type { ChangeCounts, Operation } from '../../model/change.ts';
import { Html, html } from '../output/html.ts';
import type { Cell, DiffFormat, Ending } from './format.ts';
import { cellsOf, changedParts, changesIn, isEmpty, passedTables, sideOf } from './format.ts';

/** Until the end of the page takes it back, the page says that it is not whole. */
const ending = '.cut { display: none }';

const style = `
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin: 2em 0 0 }
table { border-collapse: collapse; width: 100% }
td { border-top: 1px solid #8886; padding: .3em .6em; vertical-align: top; overflow-wrap: anywhere }
td:first-child { overflow-wrap: normal; white-space: nowrap; width: 1% }
h1 { overflow-wrap: anywhere }
del, ins, code { font-family: ui-monospace, monospace; white-space: pre-wrap; text-decoration: none }
del { background: #f004 } ins { background: #0a04 } .trigger, .cut { font-weight: bold }
`;

/** Nothing is loaded, run or sent, whatever stands in the rows. */
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
 * Creates the form.
 * @param id the session's id
 * @param about who made the session, for what and when
 */
export function createHtmlFormat(reader: DiffReader, id: string, about: string): DiffFormat {
  let table: string | null = null;
  let begun = false;
  const begin = (): Html[] => {
    const head = begun ? [] : [headOf(id, about)];
    begun = true;
    return head;
  };
  const turnTo = (next: string | null): Html[] => {
    const parts = [
      ...begin(),
      ...(table === null ? [] : [html`</table>\n`]),
      ...passedTables(reader, table, next).map((counts) => headingOf(reader, counts)),
      ...(next === null ? [] : [headingOf(reader, reader.countsOf(next)), html`<table>\n`]),
    ];
    table = next;
    return parts;
  };
  return {
    change: (change) => {
      const turning = change.table === table ? [] : turnTo(change.table);
      return html`${turning}${rowOf(change)}`.text;
    },
    end: (given) =>
      html`${turnTo(null)}${closing(given, reader)}<style>${new Html(ending)}</style></body></html>\n`
        .text,
  };
}

function headOf(id: string, about: string): Html {
  const styled = new Html(style);
  return html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">
<title>Changes of ${id}</title><style>${styled}</style></head><body>
<h1>Changes of ${id}</h1>
<p>${about}</p>
<p class="cut">This page is not whole: what stands behind its last line is missing.</p>
`;
}

function headingOf(reader: DiffReader, counts: ChangeCounts): Html {
  const triggers = triggersInWords(reader.triggersOf(counts.table));
  const warned = triggers === null ? html`` : html`<p class="trigger">! ${triggers}</p>\n`;
  const hidden = counts.hidden ? html`<p>${changesHidden(counts)}</p>\n` : html``;
  return html`<h2>${tableCell(counts.table)}</h2>\n<p>${countsInWords(counts)}</p>\n${warned}${hidden}`;
}

function rowOf(change: ReadChange): Html {
  const { type, rowId } = change;
  const cells = type === 'UPDATE' ? changedParts(change) : cellsOf(change);
  const lines = cells.map((cell) => html`<div>${cell.label}: ${sidesOf(type, cell)}</div>`);
  return html`<tr><td>${signs[type]} <code>${keyCell(rowId)}</code></td><td>${lines}</td></tr>\n`;
}

function sidesOf(type: Operation, cell: Cell): Html {
  const side = (value: Value | undefined) => sideOf(cell, value);
  if (type === 'INSERT') return html`<ins>${side(cell.after)}</ins>`;
  if (type === 'DELETE') return html`<del>${side(cell.before)}</del>`;
  return html`<del>${side(cell.before)}</del> → <ins>${side(cell.after)}</ins>`;
}

function closing({ shown, totals }: Ending, reader: DiffReader): Html {
  const { digest, isRejected } = reader;
  if (isEmpty(totals)) return html`<p>${nothingInWords(isRejected)}</p>\n`;
  const all = changesIn(totals);
  const tables = totals.tables === 1 ? '1 table' : `${totals.tables} tables`;
  const lines = [
    ...(shown < all ? [`${shown} of ${all} changes shown`] : []),
    `${countsInWords(totals)} in ${tables}`,
    ...(totals.furtherChanges === 0 ? [] : [furtherExplained]),
    ...(digest === null ? [] : [`digest ${digest}`]),
  ];
  return html`<hr>\n${lines.map((line) => html`<p>${line}</p>\n`)}`;
}
