/** Schemas of the responses about a session's database connections. */
import { z } from 'zod';
import { connectionShape } from '../../model/connection.ts';
import { schemaOf } from './noun-schema.ts';

const connection = schemaOf(connectionShape);

export const connectionList = z.object({
  session_id: z.string(),
  id: z.string(),
  connections: z.array(connection),
  total_count: z.int(),
});

export const endedConnections = z.object({
  session_id: z.string(),
  id: z.string(),
  ended: z.int(),
  left: z.array(connection),
});
