/** The route that returns the caller's identity, rights and permitted operations. */
import { hasRight, rightsOfCaller } from '../model/access.ts';
import type { Route } from './route.ts';
import { defineRoute } from './route.ts';
import { whoami } from './schemas/outputs.ts';

/** Makes the route. @param routes returns all routes */
export function callerRoute(routes: () => readonly Route[]): Route {
  return defineRoute({
    method: 'get',
    path: '/whoami',
    name: 'getCaller',
    right: 'read',
    summary: 'Whose token was shown, and what it is good for.',
    responses: { 200: whoami },
    errors: [],
    needsUpstream: false,
    handle: async ({ caller }, services) => {
      const { name, role, projects } = caller;
      const open = routes().filter(
        (route) =>
          (route.right === null || hasRight(caller, route.right)) &&
          (route.isOpenTo?.(caller, services) ?? true),
      );
      const operations = open.map((route) => route.name);
      return { body: { name, role, rights: rightsOfCaller(caller), projects, operations } };
    },
  });
}
