/** Attacks with all rights: nothing reaches production. */
import { attackAs } from './attack-as.ts';

attackAs('superuser');
