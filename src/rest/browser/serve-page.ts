/** Serves the review page: a document without data, the same for everybody. It requests its data as any client does. */
import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { StageError } from '../../errors.ts';
import { isSessionId } from '../../model/session.ts';
import type { PageFile, PageFiles } from './page-files.ts';
import { readPageFiles } from './page-files.ts';

const assetFolder = '/review/assets/';

/** Whether a path is a document of the page. */
export function isPagePath(path: string): boolean {
  return path === '/review' || (path.startsWith('/review/') && isSessionId(path.slice(8)));
}

function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    // guard: the page runs its own scripts only
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    // guard: the page stands in no frame
    "frame-ancestors 'none'",
    // guard: no text becomes markup in the page
    "require-trusted-types-for 'script'; trusted-types 'none'",
  ].join('; ');
}

/** Serves the page. @param isOn whether the page is enabled; if not, its files are not read */
export function servePage(isOn: boolean): Middleware {
  const files = isOn ? readPageFiles() : null;
  return async (ctx, next) => {
    if (ctx.path !== '/review' && !ctx.path.startsWith('/review/')) return next();
    if (files === null) throw pageOff();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (isPagePath(ctx.path)) return sendShell(ctx, files);
    const file = ctx.path.startsWith(assetFolder) && files.assets.get(ctx.path.slice(15));
    if (!file) return next();
    sendFile(ctx, file);
  };
}

/** Creates the error for a disabled page. */
export function pageOff(): StageError {
  return new StageError('not_found', 'this service has no review page', {
    hint: 'Its operator turns it on with web: on in the configuration.',
  });
}

function sendFile(ctx: Context, { type, text, packed }: PageFile): void {
  const isPacked = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  ctx.set('Content-Type', `${type}; charset=utf-8`);
  ctx.vary('Accept-Encoding');
  if (isPacked) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isPacked ? packed : text;
}

function sendShell(ctx: Context, { html }: PageFiles): void {
  const nonce = randomBytes(16).toString('base64');
  ctx.set('Content-Security-Policy', policyOf(nonce));
  ctx.set('X-Frame-Options', 'DENY');
  ctx.type = 'html';
  ctx.body = html.replaceAll('{{nonce}}', nonce);
}
