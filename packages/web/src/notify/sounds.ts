/** The notes of each sound, in semitones above A4. We generate them: there is nothing to download. */
const melodies = new Map<string, readonly number[]>([
  ['ascend', [3, 7, 10, 15]],
  ['beep_boop', [15, 8]],
  ['bink', [22]],
  ['bright', [15, 19, 22]],
  ['brlip', [10, 12, 14, 17]],
  ['chime', [15, 10, 7]],
  ['deep tom', [-21, -24]],
  ['ding', [19]],
  ['double tap', [7, 7]],
  ['down', [15, 10]],
  ['dry bongos', [-9, -5, -9]],
  ['dutdut', [3, 3, 3]],
  ['fast ascend', [3, 7, 10, 15, 19]],
  ['flute', [10, 12, 10]],
  ['friendly', [7, 12, 15]],
  ['kick roll', [-24, -24, -21]],
  ['loud tintong', [19, 15, 19, 15]],
  ['metallic snare', [26, 25]],
  ['pan', [12, 14]],
  ['shaker', [27, 27, 27]],
  ['simple', [10]],
  ['stairs', [3, 5, 7, 8, 10]],
  ['subtle', [3]],
  ['swish', [20, 15, 8, 3]],
  ['tintong', [19, 15]],
  ['up', [10, 15]],
  ['wood block', [5]],
  ['zaping', [22, 10, 22]],
  ['zing', [17, 24]],
  ['zulip', [10, 17]],
])

/** Empty for sounds that do not exist, such as "none". */
export function melodyOf(sound: string): readonly number[] {
  return melodies.get(sound) ?? []
}

const noteSeconds = 0.11
const fadeSeconds = 0.35
const loudness = 0.18
let audio: AudioContext | undefined

/** Browsers play nothing until the user has clicked somewhere on the page; then this stays silent. */
export function playSound(sound: string): void {
  const melody = melodyOf(sound)
  if (melody.length === 0) return
  audio ??= new AudioContext()
  void audio.resume()
  const start = audio.currentTime + 0.02
  for (const [index, semitone] of melody.entries())
    playNote(audio, 440 * 2 ** (semitone / 12), start + index * noteSeconds)
}

function playNote(context: AudioContext, frequency: number, start: number): void {
  const gain = new GainNode(context, { gain: 0 })
  gain.gain.setValueAtTime(0, start)
  gain.gain.linearRampToValueAtTime(loudness, start + 0.01)
  gain.gain.exponentialRampToValueAtTime(0.0001, start + fadeSeconds)
  const tone = new OscillatorNode(context, { type: 'triangle', frequency })
  tone.connect(gain).connect(context.destination)
  tone.start(start)
  tone.stop(start + fadeSeconds)
}
