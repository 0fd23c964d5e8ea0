/** Schemas of the responses about a session's database connections. */
import { z } from 'zod';
import { connectionStates } from '../../model/connection.ts';

const connection = z.object({
  backend: z.int(),
  role: z.string(),
  address: z.string().nullable(),
  connected_at: z.string().nullable(),
  state: z.enum(connectionStates).nullable(),
  through: z.enum(['here', 'elsewhere']),
});

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
