/** BEGIN in a transaction block gives no client access that the proxy does not know of. */
import { nestedBegin } from './nested-begin.ts';
import { prove } from './prove.ts';

prove(nestedBegin);
