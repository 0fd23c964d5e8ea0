/** Converts errors to responses, for all routes. */
import type { Context, Middleware } from 'koa';
import { StageError } from '../errors.ts';
import { stringifyJson } from '../model/json.ts';
import { explainRefusal } from './refusals.ts';
import { requestId } from './request-id.ts';
import type { RestServices } from './services.ts';

const retryAfterSeconds = '2';

/**
 * Responds to every error with `{"error", "message", "hint"?, "request_id", ...facts}`.
 * Other errors than StageError are logged. Unless `explainRefusal` knows them, they are reported as `internal`, because their text may
 * contain anybody's data.
 */
export function respondWithErrors(services: Pick<RestServices, 'log' | 'upstream'>): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      refuseUnrouted(ctx);
    } catch (error) {
      const shown = error instanceof StageError ? error : hide(error, ctx, services);
      if (shown.status === 503) void services.upstream.check();
      respond(ctx, shown);
    }
  };
}

/** Reports requests that no route handled, for which the router has set only a status. */
function refuseUnrouted(ctx: Context): void {
  if (ctx.body !== undefined && ctx.body !== null) return;
  if (ctx.status === 404) {
    throw new StageError('not_found', `there is no ${ctx.path}`, {
      hint: 'GET /openapi.json lists what there is.',
    });
  }
  if (ctx.status === 405 || ctx.status === 501) {
    throw new StageError('method_not_allowed', `${ctx.method} is not allowed on ${ctx.path}`, {
      hint: `Allowed: ${ctx.response.get('Allow') || 'GET, POST, DELETE'}.`,
    });
  }
}

function hide(error: unknown, ctx: Context, { log }: Pick<RestServices, 'log'>): StageError {
  const { message, stack, code } = error as NodeJS.ErrnoException;
  const about = { request_id: requestId(ctx), error: message, code, stack };
  const refusal = explainRefusal(error, ctx.state['given'] ?? {});
  if (refusal !== null) {
    log.warn('PostgreSQL refused a request', about);
    return refusal;
  }
  log.error('request failed', about);
  return new StageError('internal', 'something went wrong inside the service', {
    hint: 'The log of the service has details under this request_id.',
  });
}

function respond(ctx: Context, error: StageError): void {
  ctx.status = error.status;
  if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (error.status === 503) ctx.set('Retry-After', retryAfterSeconds);
  ctx.type = 'json';
  ctx.body = stringifyJson({
    error: error.code,
    message: error.message,
    hint: error.hint,
    request_id: requestId(ctx),
    ...error.facts,
  });
}
