import { Type } from 'typebox'
import { listLimits, nameLimits } from '../limits.ts'
import { operation } from '../operation.ts'

const words = Type.Array(Type.String({ maxLength: nameLimits.alertWord }), { maxItems: listLimits.usual })
const response = { alert_words: Type.Array(Type.String()) }

export const getAlertWords = operation({
  name: 'getAlertWords',
  method: 'GET',
  path: '/users/me/alert_words',
  access: 'user',
  tag: 'Users',
  summary: "List the caller's alert words.",
  response,
})

export const addAlertWords = operation({
  name: 'addAlertWords',
  method: 'POST',
  path: '/users/me/alert_words',
  access: 'user',
  tag: 'Users',
  summary: 'Add alert words.',
  params: { alert_words: words },
  response,
})

export const removeAlertWords = operation({
  name: 'removeAlertWords',
  method: 'DELETE',
  path: '/users/me/alert_words',
  access: 'user',
  tag: 'Users',
  summary: 'Remove alert words.',
  params: { alert_words: words },
  response,
})
