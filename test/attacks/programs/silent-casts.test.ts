/** Code of casts that a statement does not name does not write. */

import { prove } from './prove.ts';
import { enumCasts, implicitCasts, jsonCasts, rowCasts, textCasts } from './silent-casts.ts';

prove(enumCasts);
prove(implicitCasts);
prove(jsonCasts);
prove(rowCasts);
prove(textCasts);
