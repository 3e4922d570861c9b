import { day, hour, type Line, type Topics } from './line.ts'

const words = [
  'The buoy was replaced on Monday.',
  'I compared both curves, and they agree within four centimetres.',
  'Except in the storm of the third, where the old one stopped for an hour, and nobody noticed until the ferry was late.',
  'Noted.',
  'Can we use the new one for the forecast from now on?',
  'Yes, after the calibration.',
]
const speakers = ['ines', 'ines', 'jonas', 'priya', 'priya', 'admin']

/** A long conversation, for lists that scroll. */
const many: Line[] = Array.from({ length: 120 }, (_, index) => ({
  from: speakers[index % speakers.length]!,
  text: `${words[index % words.length]} (${index + 1})`,
  ago: 3 * day - index * 7,
}))

/** Read by everyone. In the channel `design`. */
export const talk: Topics = {
  'tide model': [
    { from: 'priya', text: 'The model is now a plain sum of seven terms.', ago: 9 },
    {
      from: 'priya',
      text: 'Twelve if the wind comes from the north.',
      editedTo: 'Twelve if the wind comes from the west.',
    },
    {
      from: 'priya',
      text: 'Nobody has measured more than that.',
      reactions: { '+1': ['jonas', 'member', 'ines', 'admin'] },
    },
    { from: 'member', text: 'I checked back to 1961.', key: 'own' },
    { from: 'member', text: 'The tables agree.', key: 'own second' },
    {
      from: 'jonas',
      text: 'Then the forecast fits into a text message. @**Marta**, could you write the text?',
      key: 'other',
    },
    { from: 'member', text: 'With pleasure, tomorrow.' },
  ],
  'the long one': many.map((line, index) => (index === 40 ? { ...line, key: 'linked' } : line)),
  'the other long one': many,
  '✔ buoy firmware': [{ from: 'jonas', text: 'Version 11 is on all four.', ago: 2 * day }],
  'a topic with a name that is so long that it fits nowhere': [{ from: 'ines', text: 'Short.', ago: 5 * hour }],
}

/** Unread by Marta. In the channel `design`. */
export const unread: Topics = {
  'search index': [
    { from: 'jonas', text: 'The index is rebuilt every night.', ago: 28 },
    { from: 'jonas', text: 'It takes eleven minutes.' },
    { from: 'priya', text: '@**Marta** is that in time for the report?', ago: 12 },
  ],
  'on call, week 42': [
    { from: 'admin', text: 'Who takes Friday?', ago: 20 },
    { from: 'ines', text: '/me could, until noon' },
  ],
  'opening hours': Array.from({ length: 14 }, (_, index) => ({
    from: ['ines', 'priya', 'jonas'][index % 3]!,
    text: words[index % words.length]!,
    ago: index < 6 ? 3 * hour - index * 9 : 60 - index * 2,
  })),
}

/** To Marta. */
export const direct: Line[] = [
  { from: 'priya', text: 'Do you have a minute?', ago: 8 },
  { from: 'priya', text: 'It is about the boat house: {upload photo}' },
]
