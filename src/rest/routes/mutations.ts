/** The route of a session's mutation log. */
import { z } from 'zod';
import { seesReadableOnly } from '../../model/access.ts';
import { listMutations } from '../../staging/mutation-log.ts';
import { mutationBody } from '../bodies.ts';
import { hasMore } from '../page.ts';
import { defineRoute } from '../route.ts';
import { operation, paging, shortText } from '../schemas/inputs.ts';
import { mutationList } from '../schemas/outputs.ts';

const list = defineRoute({
  method: 'get',
  path: '/sessions/:id/mutations',
  name: 'listMutations',
  summary: 'Lists the statements that the session staged, oldest first.',
  right: 'read',
  query: z.object({ table: shortText.optional(), type: operation.optional(), ...paging }),
  responses: { 200: mutationList },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id, query, caller }, { db }) => {
    const { offset } = query;
    const readableOnly = seesReadableOnly(caller);
    const page = await listMutations(db, id, { ...query, readableOnly });
    return {
      body: {
        session_id: id,
        mutations: page.mutations.map(mutationBody),
        total_count: page.totalCount,
        has_more: hasMore(offset, page.mutations, page.totalCount),
      },
    };
  },
});

export const mutationRoutes = [list];
