/** The files of the review page: HTML, style, and a script of all modules that its entry imports. */
import { readFileSync } from 'node:fs';
import { constants, gzipSync } from 'node:zlib';
import { joinModules } from './join-modules.ts';

export interface PageFile {
  readonly type: string;
  readonly text: string;
  /** The text, compressed with gzip. */
  readonly packed: Buffer;
}

export interface PageFiles {
  readonly html: string;
  /** Keys are paths below `/review/assets/`. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const compiled = new URL('../../', import.meta.url);
const templates = new URL('../../../templates/web/', import.meta.url);
const entry = 'web/page.js';
/** Modules with a replacement for browsers. */
const instead = new Map([['client/sha256.js', 'web/sha256.js']]);

/** Reads all files. */
export function readPageFiles(): PageFiles {
  const assets = new Map([
    ['page.css', fileOf('text/css', readFileSync(new URL('page.css', templates), 'utf8'))],
    [entry, fileOf('text/javascript', joinModules(entry, readModule))],
  ]);
  return { html: readFileSync(new URL('page.html', templates), 'utf8'), assets };
}

const readModule = (path: string) =>
  readFileSync(new URL(instead.get(path) ?? path, compiled), 'utf8').replace(
    /^\/\/# source.*$/m,
    '',
  );

const fileOf = (type: string, text: string): PageFile => ({
  ...{ type, text },
  packed: gzipSync(text, { level: constants.Z_BEST_COMPRESSION }),
});
