/** Names of statements and portals mean to the proxy what they mean to the server. */
import { longNames } from './long-names.ts';
import { planted } from './planted.ts';
import { prove } from './prove.ts';
import { takenNames } from './taken-names.ts';

prove(longNames);
prove(takenNames);
prove(planted);
