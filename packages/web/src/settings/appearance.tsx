import { densityOf } from '../session/look.ts'
import { Card, SegmentLine, SelectLine, SwitchLine } from './controls.tsx'
import { useOwnSettings } from './use-settings.ts'

const themes = [
  [
    1,
    'As the system',
    ['oklch(0.955 0.005 240)', 'oklch(0.222 0.011 250)', 'oklch(0.6 0.01 240)', 'oklch(0.62 0.1 228)'],
  ],
  [3, 'Light', ['oklch(0.955 0.005 240)', 'oklch(0.995 0 0)', 'oklch(0.85 0.01 240)', 'oklch(0.475 0.095 232)']],
  [2, 'Dark', ['oklch(0.182 0.011 250)', 'oklch(0.222 0.011 250)', 'oklch(0.38 0.013 250)', 'oklch(0.79 0.095 222)']],
] as const

const densities = [
  ['compact', 'Compact'],
  ['comfortable', 'Comfortable'],
  ['roomy', 'Roomy'],
] as const
const lineHeights = { compact: 122, comfortable: 140, roomy: 160 }

const fontSizes = [12, 13, 14, 15, 16, 17, 18, 20, 22, 24].map((size) => [size, `${size} px`] as const)
const homes = [
  ['inbox', 'Inbox'],
  ['recent_topics', 'Recent conversations'],
  ['all_messages', 'All messages'],
] as const
const channelViews = [
  [1, 'Topics'],
  [2, 'Messages'],
] as const
const readPolicies = [
  [1, 'Always'],
  [2, 'Only in conversations'],
  [3, 'Never'],
] as const

export function AppearancePage() {
  const { get, set } = useOwnSettings()
  const flag = (name: string) => ({ isOn: get(name) === true, onChange: (isOn: boolean) => void set(name, isOn) })
  return (
    <>
      <Card title="Theme" text="Kept with your account, so that every device looks the same.">
        <div className="themes" role="radiogroup" aria-label="Theme">
          {themes.map(([value, label, colors]) => (
            <ThemeCard
              key={value}
              label={label}
              colors={colors}
              isOn={get('color_scheme') === value}
              isHalf={value === 1}
              onChoose={() => void set('color_scheme', value)}
            />
          ))}
        </div>
        <SwitchLine
          label="More contrast"
          detail="Darker text, visible borders; works with every theme"
          {...flag('high_contrast_mode')}
        />
        <SegmentLine
          label="Density"
          detail="How much fits on the screen"
          value={densityOf(Number(get('web_line_height_percent')))}
          choices={densities}
          onChange={(density) => void set('web_line_height_percent', lineHeights[density])}
        />
        <SelectLine
          label="Text size"
          detail="Everything else grows with it"
          value={Number(get('web_font_size_px'))}
          choices={fontSizes}
          onChange={(size) => void set('web_font_size_px', size)}
        />
      </Card>
      <Card title="Time">
        <SwitchLine label="24-hour time" detail="17:30 instead of 5:30 PM" {...flag('twenty_four_hour_time')} />
      </Card>
      <Card title="Reading and writing">
        <SelectLine
          label="Start with"
          value={String(get('web_home_view'))}
          choices={homes}
          onChange={(home) => void set('web_home_view', home)}
        />
        <SelectLine
          label="Open channels with"
          value={Number(get('web_channel_default_view'))}
          choices={channelViews}
          onChange={(view) => void set('web_channel_default_view', view)}
        />
        <SelectLine
          label="Mark as read by scrolling"
          detail="Otherwise messages stay unread until you mark them"
          value={Number(get('web_mark_read_on_scroll_policy'))}
          choices={readPolicies}
          onChange={(policy) => void set('web_mark_read_on_scroll_policy', policy)}
        />
        <SwitchLine
          label="Escape goes to the start screen"
          detail="When nothing else is open"
          {...flag('web_escape_navigates_to_home_view')}
        />
        <SwitchLine
          label="Keep drafts with your account"
          detail="Otherwise they stay on this device"
          {...flag('enable_drafts_synchronization')}
        />
        <SwitchLine
          label="Enter sends"
          detail="Otherwise Ctrl Enter sends, and Enter starts a new line"
          {...flag('enter_sends')}
        />
        <SwitchLine label="Turn :) into 🙂" detail="When your message is sent" {...flag('translate_emoticons')} />
        <SwitchLine
          label="Names beside reactions"
          detail="If a few people reacted"
          {...flag('display_emoji_reaction_users')}
        />
        <SwitchLine label="Count of starred messages" detail="In the sidebar" {...flag('starred_message_counts')} />
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
      <span className="pic" style={style as React.CSSProperties} aria-hidden="true">
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
