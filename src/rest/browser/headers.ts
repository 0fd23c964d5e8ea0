/** Headers that restrict what browsers do with responses. */
import type { Middleware } from 'koa';

const headers = {
  // guard: no browser caches a response
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Sets the headers on every response, because a browser with a login can request any path. */
export const limitBrowsers: Middleware = (ctx, next) => {
  ctx.set(headers);
  return next();
};
