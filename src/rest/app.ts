/** The REST API as a Koa application. */
import Router from '@koa/router';
import Koa from 'koa';
import type { Pool } from '../db/database.ts';
import { refuseForeignSites } from './access.ts';
import { limitBrowsers } from './browser/headers.ts';
import { servePage } from './browser/serve-page.ts';
import { callerRoute } from './caller.ts';
import { demandCaller } from './demand-caller.ts';
import { respondWithErrors } from './error-handler.ts';
import { mountRoute, servicesFor } from './mount.ts';
import { openapiRoute } from './openapi.ts';
import type { Places } from './places.ts';
import { bothPlaces, createPlaces } from './places.ts';
import { identifyRequests } from './request-id.ts';
import type { Route } from './route.ts';
import { auditRoutes } from './routes/audit.ts';
import { cardRoutes } from './routes/card.ts';
import { connectionRoutes } from './routes/connections.ts';
import { discussionRoutes } from './routes/discussion.ts';
import { eventRoutes } from './routes/events.ts';
import { mutationRoutes } from './routes/mutations.ts';
import { operationRoutes } from './routes/operations.ts';
import { policyRoutes } from './routes/policy.ts';
import { rehearsalRoutes } from './routes/rehearse.ts';
import { resolveRoutes } from './routes/resolve.ts';
import { revertRoutes } from './routes/revert.ts';
import { reviewRoutes } from './routes/review.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { splitRoutes } from './routes/split.ts';
import { unstageRoutes } from './routes/unstage.ts';
import { webRoutes } from './routes/web.ts';
import type { RestServices } from './services.ts';

const readerLeft = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Diffs and approvals take long. They leave this number of connections of each pool to other requests. */
const leftToOthers = 2;

/** Maximum number of concurrent rehearsals. They change nothing, so they leave places to approvals. */
const rehearsalsAtOnce = 2;

/** How long a request waits for a place. Most diffs and approvals take less. */
const placeWaitMs = 3_000;

function placesIn(pool: Pool, message: string): Places {
  return createPlaces(() => Math.max(1, pool.counts().most - leftToOthers), placeWaitMs, message);
}

const fixedRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...mutationRoutes,
  ...reviewRoutes,
  ...cardRoutes,
  ...rehearsalRoutes,
  ...revertRoutes,
  ...unstageRoutes,
  ...splitRoutes,
  ...resolveRoutes,
  ...discussionRoutes,
  ...eventRoutes,
  ...connectionRoutes,
  ...policyRoutes,
  ...auditRoutes,
  ...operationRoutes,
  ...webRoutes,
];

/** Builds the application, without listening. */
export function createRestApp(services: RestServices): Koa {
  const described = [...fixedRoutes, callerRoute(() => routes)];
  const routes: readonly Route[] = [...described, openapiRoute(described, services.info.version)];
  const router = new Router({ sensitive: true });
  const approvals = placesIn(services.deciding, 'many approvals are under way already');
  const places = {
    diffs: placesIn(services.reading, 'many diffs are being read already'),
    // a rehearsal also takes a place of the approvals: the other connections are for other requests
    rehearsals: bothPlaces(
      createPlaces(() => rehearsalsAtOnce, placeWaitMs, 'others are being rehearsed already'),
      approvals,
    ),
    approvals,
  };
  for (const route of routes) {
    mountRoute(router, route, servicesFor(route, services, places));
  }
  const app = new Koa();
  // Errors while a response is being sent: the stream failed, or the reader disconnected.
  app.on('error', ({ message, code }: NodeJS.ErrnoException) => {
    const level = readerLeft.has(code ?? '') ? 'debug' : 'warn';
    services.log[level]('answer cut short', { error: message, code });
  });
  app.use(identifyRequests(services.log));
  app.use(limitBrowsers);
  app.use(respondWithErrors(services));
  app.use(refuseForeignSites(services.access));
  app.use(servePage(services.web !== null));
  app.use(demandCaller(services));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}
