/** Names of statements and portals have the same meaning for the proxy as for the server. */
import { longNames } from './long-names.ts';
import { planted } from './planted.ts';
import { prove } from './prove.ts';
import { takenNames } from './taken-names.ts';

prove(longNames);
prove(takenNames);
prove(planted);
