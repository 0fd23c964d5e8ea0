/** The review page: one document, with its style and with a script of all modules that its entry imports. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, gzipSync } from 'node:zlib';
import { joinModules } from './join-modules.ts';

export interface PageFile {
  readonly text: string;
  /** The text, compressed with gzip. */
  readonly packed: Buffer;
  /** Sources of the Content-Security-Policy: the hashes of the style and of the script. */
  readonly style: string;
  readonly script: string;
}

const compiled = new URL('../../', import.meta.url);
const templates = new URL('../../../templates/web/', import.meta.url);
const entry = 'web/page.js';
/** Modules with a replacement for browsers. */
const instead = new Map([['client/sha256.js', 'web/sha256.js']]);

/** Reads the page. @throws Error if a part would end its element */
export function readPage(): PageFile {
  const style = readFileSync(new URL('page.css', templates), 'utf8');
  const script = joinModules(entry, readModule);
  const inner = /<!--|<\/(?:style|script)/i.exec(style + script);
  if (inner !== null) throw new Error(`the page cannot contain ${inner[0]}`);
  const text = readFileSync(new URL('page.html', templates), 'utf8')
    .replace('{{style}}', () => style)
    .replace('{{script}}', () => script);
  const packed = gzipSync(text, { level: constants.Z_BEST_COMPRESSION });
  return { text, packed, style: hashOf(style), script: hashOf(script) };
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const readModule = (path: string) =>
  readFileSync(new URL(instead.get(path) ?? path, compiled), 'utf8').replace(
    /^\/\/# source.*$/m,
    '',
  );
