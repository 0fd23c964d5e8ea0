/** The files of the review page: HTML, style, and all modules that its entry imports. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { gzipSync } from 'node:zlib';

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
  const style = readFileSync(new URL('page.css', templates), 'utf8');
  const assets = new Map([['page.css', fileOf('text/css', style)]]);
  const add = (path: string): void => {
    if (assets.has(path)) return;
    const text = readFileSync(new URL(instead.get(path) ?? path, compiled), 'utf8').replace(
      /^\/\/# source.*$/m,
      '',
    );
    assets.set(path, fileOf('text/javascript', text));
    for (const [, name = ''] of text.matchAll(/^import [^;]*?["']([^"']+)["'];$/gm))
      add(posix.join(posix.dirname(path), name));
  };
  add(entry);
  const modules = [...assets.keys()].filter((path) => path.endsWith('.js'));
  const html = readFileSync(new URL('page.html', templates), 'utf8');
  return { html: html.replace('{{modules}}', modules.map(preload).join('\n')), assets };
}

const fileOf = (type: string, text: string): PageFile => ({ type, text, packed: gzipSync(text) });

/** Lets the browser request all modules at once, instead of one level of imports after the other. */
const preload = (path: string) =>
  `<link rel="modulepreload" href="/review/assets/${path}" nonce="{{nonce}}">`;
