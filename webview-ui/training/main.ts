import { mount } from '../shared/mount.ts';
import './app.ts';

mount('training-app');
