import { t } from '../platform/i18n.ts'
import { languages } from '../platform/languages.ts'
import { hoursOf } from '../platform/times.ts'
import { densityOf } from '../session/look.ts'
import { named, SegmentLine, SelectLine } from './choices.tsx'
import { Card, SwitchLine } from './controls.tsx'
import { useOwnSettings } from './use-settings.ts'

const themes = [
  [
    1,
    'theme.system',
    ['oklch(0.955 0.005 240)', 'oklch(0.222 0.011 250)', 'oklch(0.6 0.01 240)', 'oklch(0.62 0.1 228)'],
  ],
  [3, 'theme.light', ['oklch(0.955 0.005 240)', 'oklch(0.995 0 0)', 'oklch(0.85 0.01 240)', 'oklch(0.475 0.095 232)']],
  [
    2,
    'theme.dark',
    ['oklch(0.182 0.011 250)', 'oklch(0.222 0.011 250)', 'oklch(0.38 0.013 250)', 'oklch(0.79 0.095 222)'],
  ],
] as const

const densities = [
  ['compact', 'density.compact'],
  ['comfortable', 'density.comfortable'],
  ['roomy', 'density.roomy'],
] as const
const lineHeights = { compact: 122, comfortable: 140, roomy: 160 }

const fontSizes = [12, 13, 14, 15, 16, 17, 18, 20, 22, 24].map((size) => [size, `${size} px`] as const)
const hourChoices = [
  ['language', 'appearance.hours.language'],
  ['12', 'appearance.hours.12'],
  ['24', 'appearance.hours.24'],
] as const
const clocks = {
  language: { twenty_four_hour_time: false, web_clock: 'language' },
  12: { twenty_four_hour_time: false, web_clock: 'setting' },
  24: { twenty_four_hour_time: true, web_clock: 'setting' },
} as const
const homes = [
  ['inbox', 'nav.inbox'],
  ['recent_topics', 'recent.title'],
  ['all_messages', 'nav.feed'],
] as const
const channelViews = [
  [1, 'channel.tab.topics'],
  [2, 'channel.tab.messages'],
] as const
const readPolicies = [
  [1, 'read.always'],
  [2, 'read.conversations'],
  [3, 'common.never'],
] as const

/** Languages whose texts were not reviewed yet are marked. */
function languageChoices() {
  return languages.map(({ code, name, isFirstTranslation }) => {
    return [code, isFirstTranslation ? t('language.first', { language: name }) : name] as const
  })
}

export function AppearancePage() {
  const { get, set, setAll, flag } = useOwnSettings()
  return (
    <>
      <Card>
        <SelectLine
          label={t('language.title')}
          detail={t('language.text')}
          value={get('default_language')}
          choices={languageChoices()}
          onChange={(code) => set('default_language', code)}
        />
      </Card>
      <Card title={t('theme.title')} text={t('theme.text')}>
        <div className="themes" role="radiogroup" aria-label={t('theme.title')}>
          {themes.map(([value, label, colors]) => (
            <ThemeCard
              key={value}
              label={t(label)}
              colors={colors}
              isOn={get('color_scheme') === value}
              isHalf={value === 1}
              onChoose={() => void set('color_scheme', value)}
            />
          ))}
        </div>
        <SwitchLine label={t('theme.contrast')} detail={t('theme.contrast.text')} {...flag('high_contrast_mode')} />
        <SegmentLine
          label={t('density.title')}
          detail={t('density.text')}
          value={densityOf(Number(get('web_line_height_percent')))}
          choices={named(densities)}
          onChange={(density) => set('web_line_height_percent', lineHeights[density])}
        />
        <SelectLine
          label={t('appearance.textSize')}
          detail={t('appearance.textSize.text')}
          value={get('web_font_size_px')}
          choices={fontSizes}
          onChange={(size) => set('web_font_size_px', size)}
        />
      </Card>
      <Card title={t('appearance.time')}>
        <SelectLine
          label={t('appearance.hours')}
          value={hoursOf({ get })}
          choices={named(hourChoices)}
          onChange={(hours) => setAll(clocks[hours])}
        />
      </Card>
      <Card title={t('appearance.reading')}>
        <SelectLine
          label={t('appearance.start')}
          value={get('web_home_view')}
          choices={named(homes)}
          onChange={(home) => set('web_home_view', home)}
        />
        <SelectLine
          label={t('appearance.channelView')}
          value={get('web_channel_default_view')}
          choices={named(channelViews)}
          onChange={(view) => set('web_channel_default_view', view)}
        />
        <SelectLine
          label={t('appearance.readByScrolling')}
          detail={t('appearance.readByScrolling.text')}
          value={get('web_mark_read_on_scroll_policy')}
          choices={named(readPolicies)}
          onChange={(policy) => set('web_mark_read_on_scroll_policy', policy)}
        />
        <SwitchLine
          label={t('appearance.escape')}
          detail={t('appearance.escape.text')}
          {...flag('web_escape_navigates_to_home_view')}
        />
        <SwitchLine
          label={t('appearance.drafts')}
          detail={t('appearance.drafts.text')}
          {...flag('enable_drafts_synchronization')}
        />
        <SwitchLine
          label={t('appearance.enterSends')}
          detail={t('appearance.enterSends.text')}
          {...flag('enter_sends')}
        />
        <SwitchLine
          label={t('appearance.emoticons')}
          detail={t('appearance.emoticons.text')}
          {...flag('translate_emoticons')}
        />
        <SwitchLine
          label={t('appearance.reactionNames')}
          detail={t('appearance.reactionNames.text')}
          {...flag('display_emoji_reaction_users')}
        />
        <SwitchLine
          label={t('appearance.starCount')}
          detail={t('appearance.starCount.text')}
          {...flag('starred_message_counts')}
        />
      </Card>
    </>
  )
}

interface ThemeProps {
  label: string
  colors: readonly [string, string, string, string]
  isOn: boolean
  isHalf: boolean
  onChoose: () => void
}

function ThemeCard({ label, colors: [a, b, c, d], isOn, isHalf, onChoose }: ThemeProps) {
  const style = { '--a': a, '--b': b, '--c': c, '--d': d, ...(isHalf && { gridTemplateColumns: '1fr 1fr' }) }
  return (
    <label className={`theme ${isOn ? 'on' : ''}`}>
      <input type="radio" name="theme" className="hidden" checked={isOn} onChange={onChoose} />
      <span className="pic" style={style} aria-hidden="true">
        <i>
          <u className="w7" />
          <u className="ac w9" />
          <u className="w6" />
          <u className="w7" />
        </i>
        <i>
          <u className="w4" />
          <u className="w9" />
          <u className="w8" />
          <u className="ac w3" />
        </i>
      </span>
      <span>
        <i className="radio" />
        {label}
      </span>
    </label>
  )
}
