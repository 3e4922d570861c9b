import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTexts } from './i18n.ts'
import { chooseHours, clockTime, hoursOf } from './times.ts'

// With a hook, the file runs in a process of its own, so that other files do not get these texts.
after(() => setTexts({ locale: 'en', messages: {} }))

/** In the time zone of the machine. */
const afternoon = new Date(2026, 2, 5, 17, 30).getTime() / 1000

function shownIn(locale: string): string {
  setTexts({ locale, messages: {} })
  return clockTime(afternoon).replace(/\s/u, ' ')
}

test('the clock is that of the language until the user chooses one', () => {
  chooseHours('language')
  assert.deepEqual(['en', 'de', 'ja'].map(shownIn), ['5:30 PM', '17:30', '17:30'])
  chooseHours('24')
  assert.equal(shownIn('en'), '17:30')
  chooseHours('12')
  assert.match(shownIn('de'), /^5:30/)
})

test('12 hours, which is the default of other clients, counts only if it was chosen here', () => {
  const hours = (twenty_four_hour_time: boolean, web_clock: string) =>
    hoursOf({ get: (name) => ({ twenty_four_hour_time, web_clock })[name] })
  assert.equal(hours(false, 'language'), 'language')
  assert.equal(hours(false, 'setting'), '12')
  for (const clock of ['language', 'setting']) assert.equal(hours(true, clock), '24')
})
