/** Assigns an id to each request: the caller's, else a new one. It is in the response's header, in errors and in the log. */
import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Log } from '../log.ts';

const acceptable = /^[\x21-\x7e]{1,128}$/;

/** Sets `ctx.state.requestId`, echoes it, and logs the request after its response: GET and HEAD at debug level, others at info. */
export function identifyRequests(log: Log): Middleware {
  return async (ctx, next) => {
    const offered = ctx.get('x-request-id');
    const id = acceptable.test(offered) ? offered : randomUUID();
    ctx.state['requestId'] = id;
    ctx.set('X-Request-Id', id);
    const start = performance.now();
    await next();
    const level = ctx.method === 'GET' || ctx.method === 'HEAD' ? 'debug' : 'info';
    log[level]('request', {
      request_id: id,
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      duration_ms: Math.round(performance.now() - start),
    });
  };
}

/** Returns the id of the current request. */
export function requestId(ctx: Context): string {
  return ctx.state['requestId'] as string;
}
