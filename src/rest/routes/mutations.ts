/** The route of a session's mutation log. */
import { z } from 'zod';
import { seesReadableOnly } from '../../model/access.ts';
import type { Mutation } from '../../model/change.ts';
import { listMutations } from '../../staging/mutation-log.ts';
import { mutationBody } from '../bodies.ts';
import { PagedList } from '../page.ts';
import { defineRoute } from '../route.ts';
import { listing, operation, shortText } from '../schemas/inputs.ts';
import { mutationList } from '../schemas/outputs.ts';

const pages = new PagedList<Mutation>({
  name: 'mutations',
  placeOf: ({ id }) => [id.slice('mut_'.length)],
  forms: [/^\d{1,18}$/],
});

const list = defineRoute({
  method: 'get',
  path: '/sessions/:id/mutations',
  name: 'listMutations',
  summary: 'Lists the statements that the session staged, oldest first.',
  right: 'read',
  query: z.object({ table: shortText.optional(), type: operation.optional(), ...listing }),
  responses: { 200: mutationList },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id, query, caller }, { db }) => {
    const readableOnly = seesReadableOnly(caller);
    const after = pages.placeIn({ id, query });
    const page = await listMutations(db, id, { ...query, after, readableOnly });
    return {
      body: {
        session_id: id,
        mutations: page.mutations.map(mutationBody),
        ...pages.members({ id, query }, { ...page, items: page.mutations }),
      },
    };
  },
});

export const mutationRoutes = [list];
