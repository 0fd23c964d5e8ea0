/** Mounts a route on the router: validates the request by its schemas, calls the handler, writes the response. */
import { Readable } from 'node:stream';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { StageError } from '../errors.ts';
import { stringifyJson } from '../model/json.ts';
import { nearest } from '../nearest.ts';
import { demandRight, demandSession } from './access.ts';
import { readJsonBody } from './json-body.ts';
import type { Reply, Route } from './route.ts';
import { PlainText } from './route.ts';
import type { RestServices, RouteServices } from './services.ts';
import { endWhenStalled } from './stalled.ts';

/** Mounts a route. Without a body schema the request's body is not read. */
export function mountRoute(router: Router, route: Route, services: RouteServices): void {
  router[route.method](route.path, async (ctx) => {
    const caller = demandRight(ctx, route.right);
    if (route.needsUpstream) demandUpstream(services, route);
    const query = route.query && validate(route.query, singleValues(ctx.query));
    const sent = route.body && (await readJsonBody(ctx.req, services.maxBodyBytes));
    const body = route.body && validate(route.body, sent?.value);
    ctx.state['given'] = { ...ctx.query, ...sent?.value };
    const id = ctx.params['id'] ?? '';
    if (route.path.startsWith('/sessions/:id')) await demandSession(caller, services.db, id);
    const headers = route.headers && validate(route.headers, ctx.headers);
    const texts = sent?.texts ?? new Map();
    const { token = null } = ctx.state;
    const request = { id, query, body, headers, caller, token, texts, signal: signalOf(ctx) };
    endWhenStalled(ctx.res, services.stallTimeoutMs);
    write(ctx, await route.handle(request, services));
  });
}

/** Selects the pool for a route: the one for reads if its method is GET, else the one for decisions. */
export function servicesFor(
  { method }: Route,
  services: RestServices,
  places: Pick<RouteServices, 'diffs' | 'rehearsals' | 'approvals'>,
): RouteServices {
  const { reading, deciding, ...rest } = services;
  return { ...rest, ...places, db: method === 'get' ? reading : deciding };
}

function demandUpstream({ upstream: { state } }: RouteServices, { right }: Route): void {
  if (state.ready) return;
  const hint = state.hint ?? 'The service keeps trying; GET /health follows.';
  if (state.outdated) {
    if (right === 'read' || right === 'audit') return;
    throw new StageError('service_outdated', `this service only reads: ${state.error}`, { hint });
  }
  throw new StageError(
    'upstream_unavailable',
    `the upstream database is not ready: ${state.error}`,
    { hint },
  );
}

/** Refuses parameters that are given twice, because they are ambiguous. */
function singleValues(query: Context['query']): Record<string, string | undefined> {
  const entries = Object.entries(query).map(([name, value]): [string, string | undefined] => {
    if (Array.isArray(value)) throw invalid(`${name}: given more than once`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

function validate(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { error: inWords });
  if (result.success) return result.data;
  const { issues } = result.error;
  throw invalid(issues.flatMap(faultsOf).join('; '), guess(schema, issues));
}

/** Describes the fault of each member that an issue concerns. */
function faultsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${issue.path.join('.')}: ${issue.message}`];
  return issue.keys.map((key) => `${[...issue.path, key].join('.')}: there is no such member`);
}

/** Suggests a known member for the first unknown one; empty if there is none. */
function guess(schema: z.ZodType, issues: readonly z.core.$ZodIssue[]): string {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys')?.keys[0];
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const meant = unknown === undefined ? null : nearest(unknown, known);
  return meant === null ? '' : `Did you mean ${meant}? `;
}

/** Describes an invalid value, if its schema has no message for it. */
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_small')
    return issue.origin === 'string' ? 'is too short' : `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big')
    return issue.origin === 'string'
      ? `is longer than ${issue.maximum} characters`
      : `must be at most ${issue.maximum}`;
  return undefined;
}

function invalid(message: string, guessed = ''): StageError {
  return new StageError('invalid_request', message, {
    hint: `${guessed}GET /openapi.json describes every parameter and member.`,
  });
}

/** Returns a signal that is aborted once the connection is closed or the response was sent. */
function signalOf({ res }: Context): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  return controller.signal;
}

function write(ctx: Context, { status = 200, headers = {}, body }: Reply): void {
  ctx.status = status;
  ctx.set({ ...headers });
  if (body instanceof Readable) {
    ctx.type = headers['Content-Type'] ?? 'json';
    ctx.body = body;
  } else if (body instanceof PlainText) {
    ctx.set('Content-Type', body.contentType);
    ctx.body = body.text;
  } else {
    ctx.type = 'json';
    ctx.body = stringifyJson(body);
  }
}
