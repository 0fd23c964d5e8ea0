/** Code that no name in a statement refers to does not write. */

import { prove } from './prove.ts';
import { silentDomains } from './silent-domains.ts';
import { silentRanges } from './silent-ranges.ts';
import { silentXml } from './silent-xml.ts';

prove(silentXml);
prove(silentDomains);
prove(silentRanges);
