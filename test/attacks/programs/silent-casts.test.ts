/** Casts that a statement does not name run no code that writes. */

import { prove } from './prove.ts';
import { enumCasts, implicitCasts, jsonCasts, rowCasts, textCasts } from './silent-casts.ts';

prove(enumCasts);
prove(implicitCasts);
prove(jsonCasts);
prove(rowCasts);
prove(textCasts);
