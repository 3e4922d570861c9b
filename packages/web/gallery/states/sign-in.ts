import { everyLook } from '../looks.ts'
import type { Area } from '../state.ts'
import { click, write } from '../steps.ts'

/** Pages of the server, which need no client. */
export const signIn: Area = {
  name: 'sign-in',
  states: [
    { name: 'login', at: '/login', as: 'nobody', shows: '.card', looks: everyLook },
    {
      name: 'login-refused',
      at: '/login',
      as: 'nobody',
      steps: [
        write('[name=email]', 'marta@example.com'),
        write('[name=password]', 'wrong'),
        click('form button.primary, form:has([name=password]) button'),
      ],
      shows: '.card',
    },
    { name: 'reset', at: '/reset', as: 'nobody', shows: '.card' },
    { name: 'join-closed', at: '/join', as: 'nobody', shows: '.card' },
    { name: 'join-unknown', at: '/join/unknown', as: 'nobody', shows: '.card' },
    { name: 'sessions-page', at: '/sessions', shows: '.card' },
  ],
}
