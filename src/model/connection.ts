/** A client's database connection to a session. */
import type { Noun } from './shape.ts';
import { integer, orNull, shape, text, word } from './shape.ts';

export const connectionStates = ['active', 'idle', 'idle in transaction'] as const;
export type ConnectionState = (typeof connectionStates)[number];

export const connectionShape = shape({
  backend: integer('Process id of the backend that serves it'),
  role: text('The database role that it logged in as'),
  address: orNull(text('null if the database does not show it to the service')),
  connectedAt: orNull(text('ISO 8601 UTC; null if unknown')),
  state: orNull(word(connectionStates)),
  through: word(
    ['here', 'elsewhere'],
    'Whether it came through this daemon; other connections are known only while they lock the session',
  ),
});

export type Connection = Noun<typeof connectionShape>;
