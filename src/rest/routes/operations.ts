/** Routes for operators and their tools: health, probes, metrics, addresses. */
import { StageError } from '../../errors.ts';
import { tokenId } from '../../model/access.ts';
import { defineRoute, PlainText } from '../route.ts';
import { health, info, probe, tokenList } from '../schemas/outputs.ts';
import { lastUses, markOf } from '../token-uses.ts';

const staleTokens = 'the token file cannot be used: the tokens are those of before it changed';

const showHealth = defineRoute({
  method: 'get',
  path: '/health',
  name: 'getHealth',
  right: null,
  summary: 'Checks the upstream database now.',
  responses: { 200: health, 503: health },
  errors: [],
  needsUpstream: false,
  handle: async (_, { upstream, access, approvalsRetried }) => {
    const state = await upstream.check();
    const warning = access.areStale() ? staleTokens : undefined;
    const retried = approvalsRetried() || undefined;
    if (state.ready) {
      const { lack } = state;
      return lack === undefined
        ? { body: { status: 'ok', upstream: 'connected', warning, approvals_retried: retried } }
        : { status: 503, body: { status: 'degraded', upstream: 'connected', error: lack.message } };
    }
    const { error, reason } = state;
    return { status: 503, body: { status: 'degraded', upstream: 'disconnected', error, reason } };
  },
});

const live = defineRoute({
  method: 'get',
  path: '/livez',
  name: 'isAlive',
  right: null,
  summary: 'Whether the process answers; the upstream database does not matter.',
  responses: { 200: probe },
  errors: [],
  needsUpstream: false,
  handle: async () => ({ body: { status: 'ok' } }),
});

const ready = defineRoute({
  method: 'get',
  path: '/readyz',
  name: 'isReady',
  right: null,
  summary:
    'Whether sessions can be served: the upstream database answers, its schema is current, and it has a connection to spare.',
  responses: { 200: probe },
  errors: ['too_many_connections'],
  needsUpstream: true,
  handle: async (_, { upstream: { state } }) => {
    if (state.ready && state.lack !== undefined) {
      const { code, message, hint } = state.lack;
      throw new StageError(code, message, { hint });
    }
    return { body: { status: 'ok' } };
  },
});

const showMetrics = defineRoute({
  method: 'get',
  path: '/metrics',
  name: 'getMetrics',
  right: 'operate',
  summary: 'The Prometheus text exposition format.',
  responses: { 200: 'text/plain' },
  errors: [],
  needsUpstream: false,
  handle: async (_, { metrics }) => {
    const { contentType, text } = await metrics.render();
    return { body: new PlainText(contentType, text) };
  },
});

const showInfo = defineRoute({
  method: 'get',
  path: '/info',
  name: 'getInfo',
  right: 'read',
  summary: 'Where database clients connect.',
  responses: { 200: info },
  errors: [],
  needsUpstream: false,
  handle: async (_, { info: known, upstream: { state } }) => ({
    body: { ...known, postgresql: state.ready ? (state.version ?? null) : null },
  }),
});

const listTokens = defineRoute({
  method: 'get',
  path: '/tokens',
  name: 'listTokens',
  right: 'operate',
  summary: 'The tokens that this daemon accepts, with their last use by any daemon.',
  responses: { 200: tokenList },
  errors: [],
  needsUpstream: true,
  handle: async (_, { db, access }) => {
    const uses = await lastUses(db);
    const tokens = access.tokens().map((token) => {
      const { name, role } = token;
      return { id: tokenId(token), name, role, last_used_at: uses.get(markOf(token)) ?? null };
    });
    return { body: { tokens } };
  },
});

export const operationRoutes = [showHealth, live, ready, showMetrics, showInfo, listTokens];
