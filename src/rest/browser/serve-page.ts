/** Serves the review page: a document without data, the same for everybody. It requests its data as any client does. */
import type { Context, Middleware } from 'koa';
import { StageError } from '../../errors.ts';
import { isSessionId } from '../../model/session.ts';
import type { PageFile } from './page-files.ts';
import { readPage } from './page-files.ts';

/** Returns whether a path is a document of the page. */
export function isPagePath(path: string): boolean {
  return path === '/review' || (path.startsWith('/review/') && isSessionId(path.slice(8)));
}

function policyOf({ script, style }: PageFile): string {
  return [
    "default-src 'none'",
    // guard: the page runs its own script only
    `script-src ${script}`,
    `style-src ${style}`,
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
  const page = isOn ? readPage() : null;
  return async (ctx, next) => {
    if (ctx.path !== '/review' && !ctx.path.startsWith('/review/')) return next();
    if (page === null) throw pageOff();
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    return isRead && isPagePath(ctx.path) ? send(ctx, page) : next();
  };
}

/** Creates the error for a disabled page. */
export function pageOff(): StageError {
  return new StageError('not_found', 'this service has no review page', {
    hint: 'Its operator turns it on with web: on in the configuration.',
  });
}

function send(ctx: Context, page: PageFile): void {
  const isPacked = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  ctx.set('Content-Security-Policy', policyOf(page));
  ctx.set('X-Frame-Options', 'DENY');
  ctx.type = 'html';
  ctx.vary('Accept-Encoding');
  if (isPacked) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isPacked ? page.packed : page.text;
}
