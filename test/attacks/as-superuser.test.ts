/** With all rights there are: nothing reaches production. */
import { attackAs } from './attack-as.ts';

attackAs('superuser');
