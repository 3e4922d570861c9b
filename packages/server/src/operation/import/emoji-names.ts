import { codeOf, isBuiltInEmoji, emojiName as nameOfCode } from '@parley/markdown/inline/emoji'

/** Names of Mattermost (they are those of Slack and GitHub) that differ from ours. */
const others = new Map(
  `+1 👍 -1 👎 thumbsup 👍 thumbsdown 👎 slightly_smiling_face 🙂 hugs 🤗 hugging_face 🤗 thinking_face 🤔 satisfied 😆
upside_down_face 🙃 kissing_heart 😘 kissing 😗 kissing_smiling_eyes 😙 kissing_closed_eyes 😚 stuck_out_tongue_winking_eye 😜
stuck_out_tongue_closed_eyes 😝 money_mouth_face 🤑 hand_over_mouth 🤭 face_with_hand_over_mouth 🤭 zipper_mouth_face 🤐
raised_eyebrow 🤨 face_with_raised_eyebrow 🤨 neutral_face 😐 roll_eyes 🙄 face_with_rolling_eyes 🙄 lying_face 🤥
drooling_face 🤤 nauseated_face 🤢 vomiting_face 🤮 sneezing_face 🤧 dizzy_face 😵 cowboy_hat_face 🤠 face_with_cowboy_hat 🤠
nerd_face 🤓 slightly_frowning_face 🙁 frowning_face ☹️ white_frowning_face ☹️ fearful 😨 tired_face 😫 pout 😡 cursing_face 🤬
hankey 💩 shit 💩 clown_face 🤡 robot_face 🤖 heartpulse 💗 thought_balloon 💭 raised_back_of_hand 🤚 vulcan_salute 🖖
spock-hand 🖖 ok_hand 👌 v ✌️ crossed_fingers 🤞 metal 🤘 the_horns 🤘 sign_of_the_horns 🤘 call_me_hand 🤙 point_up_2 👆
fist_raised ✊ fist ✊ facepunch 👊 fist_oncoming 👊 fist_left 🤛 left-facing_fist 🤛 fist_right 🤜 right-facing_fist 🤜 pray 🙏
writing_hand ✍️ no_good 🙅 ok_woman 🙆 facepalm 🤦 face_palm 🤦 guardsman 💂 couple 👫 eyeglasses 👓 necktie 👔 tophat 🎩
dog2 🐕 cat2 🐈 tiger2 🐅 rabbit2 🐇 mouse2 🐁 rat 🐀 panda_face 🐼 meat_on_bone 🍖 fried_shrimp 🍤 icecream 🍦
chocolate_bar 🍫 wine_glass 🍷 clinking_glasses 🥂 globe_with_meridians 🌐 red_car 🚗 star2 🌟 droplet 💧 jack_o_lantern 🎃
christmas_tree 🎄 confetti_ball 🎊 first_place_medal 🥇 second_place_medal 🥈 third_place_medal 🥉 dart 🎯 game_die 🎲
musical_note 🎵 notes 🎶 moneybag 💰 dollar 💵 euro 💶 pencil2 ✏️ chart_with_upwards_trend 📈 chart_with_downwards_trend 📉
pushpin 📌 round_pushpin 📍 lock 🔒 unlock 🔓 arrow_up ⬆️ arrow_right ➡️ arrow_down ⬇️ arrow_left ⬅️ white_check_mark ✅
heavy_check_mark ✔️ ballot_box_with_check ☑️ negative_squared_cross_mark ❎ heavy_plus_sign ➕ heavy_minus_sign ➖
heavy_exclamation_mark ❗ large_blue_circle 🔵 large_green_circle 🟢 large_yellow_circle 🟡 triangular_flag_on_post 🚩
rainbow-flag 🏳️‍🌈 rainbow_flag 🏳️‍🌈 keycap_ten 🔟 knife_fork_plate 🍽️ mag 🔍 loud_sound 🔊 mega 📣 hourglass_flowing_sand ⏳
coffin ⚰️ man-woman-boy 👪 party_popper 🎉 rotating_light 🚨 construction 🚧 white_circle ⚪ black_circle ⚫ skull_and_crossbones ☠️`
    .split(/\s+/)
    .reduce<[string, string][]>((pairs, word, index) => {
      if (index % 2 === 0) pairs.push([word, ''])
      else pairs.at(-1)![1] = word
      return pairs
    }, []),
)

const skinTone = /_(?:light|medium_light|medium|medium_dark|dark)_skin_tone$/
const people = new Map(Object.entries({ man: '👨', woman: '👩', boy: '👦', girl: '👧' }))
const countries = new Set(['kr', 'jp', 'us', 'de', 'fr', 'gb', 'uk', 'cn', 'es', 'it', 'ru'])

/** Our name of a built-in emoji. Skin tones are left out: here they are not part of an emoji. */
export function emojiName(name: string): string | undefined {
  const plain = name.replace(skinTone, '')
  const known = [plain, plain.replaceAll('-', '_')].find(isBuiltInEmoji)
  if (known !== undefined) return known
  const characters = others.get(plain) ?? flag(plain) ?? family(plain)
  return characters === undefined ? undefined : nameOfCode(codeOf(characters))
}

function flag(name: string): string | undefined {
  const country = countries.has(name) ? name : /^flag-([a-z]{2})$/.exec(name)?.[1]
  if (country === undefined) return undefined
  const letters = country === 'uk' ? 'gb' : country
  return String.fromCodePoint(...[...letters].map((letter) => 0x1f1e6 + letter.charCodeAt(0) - 97))
}

/** Such as `woman-woman-girl-boy`. */
function family(name: string): string | undefined {
  const members = name.split('-').map((word) => people.get(word))
  return members.length > 1 && members.every((member) => member !== undefined) ? members.join('\u200D') : undefined
}
