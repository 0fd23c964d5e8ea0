/** AND CHAIN gives no client access that the proxy does not know of. */
import { chains } from './chains.ts';
import { prove } from './prove.ts';

prove(chains);
