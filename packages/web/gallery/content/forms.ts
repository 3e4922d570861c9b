import { day, hour, type Topics } from './line.ts'

const longText =
  'The tide tables of the harbour were kept by hand until 1961, and each keeper had a way of rounding of his own. '

/** A topic for each form of message, read by everyone. In the channel `design`. */
export const forms: Topics = {
  'one word': [
    { from: 'ines', text: 'Yes.', ago: 50 },
    { from: 'ines', text: 'Really.' },
    { from: 'ines', text: 'Promise.', reactions: { heart: ['jonas', 'priya'], '+1': ['jonas'] } },
    { from: 'jonas', text: 'Fine' },
    { from: 'jonas', text: 'Then' },
    { from: 'jonas', text: 'Tuesday' },
  ],
  formatting: [
    {
      from: 'priya',
      ago: 44,
      text: '**Bold**, *italic*, ~~gone~~, `code` and a [link](https://example.com/a/page). @**Jonas**, @*editors*, #**kitchen** and #**general>hello**. :tada: :heart: :wave:\n\n# A heading\n\n1. First\n2. Second\n   * nested\n   * twice\n\nAfter the list.\n\n---\n\nUnder the line, at <time:2026-10-16T15:00:00+02:00>.',
      key: 'formatting',
      reactions: { tada: ['ines', 'jonas', 'admin'], eyes: ['owner'], rocket: ['moderator', 'member'] },
    },
    { from: 'ines', text: 'Was 12 cm', editedTo: 'It was 14 cm, not 12.' },
  ],
  code: [
    {
      from: 'admin',
      ago: 43,
      text: 'All the code there is. `phase` comes from the buoy:\n\n```python\ndef height(t: float, terms: list[Term]) -> float:\n    # Metres above chart datum. The buoy corrects the phase every ten minutes, so that a storm does not move the curve by an hour\n    return MEAN + sum(k.amplitude * cos(k.speed * t - k.phase) for k in terms[:7])\n```',
      key: 'code',
    },
    { from: 'jonas', text: 'And how to run it:\n\n```\n$ npm run tide -- --station=quay\nquay  14:22  +3.81 m\n```' },
    {
      from: 'priya',
      text: `\`\`\`json\n${JSON.stringify({ station: 'quay', terms: 7, error: 0.04 }, null, 2)}\n\`\`\``,
    },
  ],
  formulas: [
    {
      from: 'priya',
      ago: 42,
      text: 'The strongest term has $$\\omega = \\frac{2\\pi}{12.42\\,\\mathrm{h}}$$, the whole is\n\n```math\nh(t) = h_0 + \\sum_{k=1}^{n} A_k \\cos(\\omega_k t - \\varphi_k), \\qquad \\varepsilon \\le \\frac{1}{n^2}\n```\n\nSeven terms are enough.',
      key: 'formulas',
    },
    {
      from: 'jonas',
      text: '```math\n\\binom{n}{k} = \\frac{n!}{k!\\,(n-k)!} \\qquad \\sqrt[3]{\\frac{a}{b}} \\qquad \\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}\n```\n\n```math\nA = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}, \\quad f(x) = \\begin{cases} x^2 & x \\ge 0 \\\\ -x & x < 0 \\end{cases}, \\quad \\overbrace{a + b}^{c} \\; \\widehat{xyz}\n```\n\nWrong on purpose: $$\\frac{1}{$$',
    },
  ],
  quotes: [
    { from: 'priya', text: 'Seven terms are enough for our quay.', ago: 41 },
    {
      from: 'jonas',
      text: '@_**Priya** [said](#narrow/channel/1-design/topic/quotes/near/1):\n```quote\nSeven terms are enough for our quay.\n```\nThen the forecast fits into a text message.\n\n> A quote\n> of two lines\n>\n> > and one inside\n\nAnd what follows.',
    },
  ],
  tables: [
    {
      from: 'ines',
      ago: 40,
      text: 'The four stations, as measured:\n\n| Station | High, m | Low, m | Error, cm |\n|:--|--:|--:|--:|\n| Quay | 3.81 | 0.42 | 4 |\n| Old pier | 3.77 | 0.40 | 6 |\n| Lighthouse | 3.92 | 0.38 | 3 |',
    },
    {
      from: 'ines',
      text: `A wide one:\n\n|${' Measured at the station |'.repeat(10)}\n|${'---|'.repeat(10)}\n|${' 3.81 m |'.repeat(10)}\n|${' 0.42 m |'.repeat(10)}`,
    },
  ],
  spoilers: [
    {
      from: 'moderator',
      ago: 39,
      text: '```spoiler How the film ends\nThe **boat** was the house all along.\n```',
      key: 'spoiler',
    },
    { from: 'moderator', text: '```spoiler\nWithout a title.\n```' },
  ],
  images: [
    { from: 'jonas', ago: 38, text: 'From the quay this morning:\n{upload wide}' },
    { from: 'jonas', text: '{upload photo}' },
    { from: 'ines', text: 'And one from elsewhere: https://images.example.com/cat.png' },
  ],
  'tall images': [
    { from: 'jonas', ago: 38, text: '{upload tall}\n{upload square}' },
    { from: 'ines', text: 'Two at once: {upload photo} {upload wide}' },
  ],
  media: [
    { from: 'jonas', ago: 37, text: 'The wave:\n{upload clip}' },
    { from: 'priya', text: 'How it sounds:\n{upload sound}' },
    { from: 'ines', text: 'A file: {upload report}' },
    { from: 'ines', text: 'A talk: https://www.youtube.com/watch?v=dQw4w9WgXcQ' },
  ],
  polls: [
    {
      from: 'moderator',
      ago: 36,
      text: '/poll When do we publish?\nThursday morning\nMonday, after the weekend\nWhen everyone has read it',
      votes: [['admin', 'priya', 'ines'], ['jonas'], ['owner', 'member']],
    },
    { from: 'moderator', text: '/todo Before the release\nRead the notes\nUpdate the screenshots: light and dark' },
  ],
  actions: [
    { from: 'jonas', text: '/me looks for the **keys** of the boat house', ago: 35 },
    { from: 'jonas', text: '/me found them' },
    { from: 'ines', text: 'Where?' },
  ],
  emoji: [
    { from: 'ines', text: ':tada:', ago: 34 },
    { from: 'jonas', text: ':heart: :heart: :boat:', reactions: { boat: ['ines', 'priya'], heart: ['member'] } },
    { from: 'priya', text: 'In a sentence :heart: and :warning: and :+1: stay small.' },
    { from: 'admin', text: '👩🏽‍🚀 🏳️‍🌈 ❤ ☎ ✔' },
  ],
  'right to left': [
    { from: 'ines', text: 'שלום לכולם, הגיע הזמן ל־3 דברים: קפה, לחם, Parley.', ago: 33 },
    { from: 'jonas', text: 'مرحبا @**Ines**، نلتقي في الساعة 10:30 عند الميناء.\n\n1. الأول\n2. الثاني\n\n> اقتباس' },
    { from: 'priya', text: 'Mixed: the word שלום inside a sentence, and `code שלום`.' },
  ],
  'ten thousand characters': [
    { from: 'priya', ago: 32, text: longText.repeat(95).slice(0, 10_000).trim() },
    { from: 'jonas', text: 'Thank you, I think.' },
  ],
  'hostile widths': [
    { from: 'jonas', ago: 31, text: `${'W'.repeat(300)}\n\nhttps://example.com/${'path/'.repeat(60)}` },
    { from: 'ines', text: `\`${'code'.repeat(80)}\`` },
  ],
  'several days': [
    { from: 'ines', text: 'Who has the keys?', ago: 9 * day },
    { from: 'jonas', text: 'I had them last.', ago: 2 * day },
    { from: 'ines', text: 'And now?', ago: day + 3 * hour },
    { from: 'jonas', text: 'In the drawer.', ago: 2 * hour },
  ],
}
