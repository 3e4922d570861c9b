import { useRef } from 'react'
import { ownImage } from '../platform/own-images.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Card, Line, SelectLine, SwitchLine, TextLine } from '../settings/controls.tsx'
import { save, sendFile } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { limitChoices, limitValue, retentionChoices, retentionValue } from './model.ts'
import { useRealmSettings } from './use-realm.ts'

const historyChoices = [
  ['all', 'Edits and moves'],
  ['moves', 'Moves only'],
  ['none', 'Nothing'],
] as const

export function OrganizationPage() {
  const { get, set, isOwner } = useRealmSettings()
  const flag = (name: string, isDisabled = false) => ({
    isOn: get(name) === true,
    isDisabled,
    onChange: (isOn: boolean) => void set(name, isOn),
  })
  const limit = (name: string) => ({
    value: get(name) as number | null,
    choices: limitChoices,
    onChange: (seconds: number | null) => void set(name, limitValue(seconds), limitValue(get(name) as number | null)),
  })
  return (
    <>
      <Card>
        <IconLine />
        <TextLine label="Name" value={String(get('name'))} maxLength={40} onSave={(name) => set('name', name)} />
        <TextLine
          label="Description"
          detail="Shown to people who sign in or join"
          isLong
          maxLength={1000}
          value={String(get('description') ?? '')}
          onSave={(text) => set('description', text)}
        />
      </Card>
      <Card title="Joining" text={isOwner ? undefined : 'Only owners can change this.'}>
        <SwitchLine label="Only by invitation" {...flag('invite_required', !isOwner)} />
        <SwitchLine label="Only with emails of our domains" {...flag('emails_restricted_to_domains', !isOwner)} />
        <SwitchLine label="No disposable emails" {...flag('disallow_disposable_email_addresses', !isOwner)} />
      </Card>
      <Card title="Messages">
        <SwitchLine label="Messages can be edited" {...flag('allow_message_editing')} />
        <SelectLine label="Time for editing" {...limit('message_content_edit_limit_seconds')} />
        <SelectLine label="Time for deleting" {...limit('message_content_delete_limit_seconds')} />
        <SelectLine label="Time for moving to another topic" {...limit('move_messages_within_stream_limit_seconds')} />
        <SelectLine
          label="Time for moving to another channel"
          {...limit('move_messages_between_streams_limit_seconds')}
        />
        <SelectLine
          label="Visible history of a message"
          value={String(get('message_edit_history_visibility_policy'))}
          choices={historyChoices}
          onChange={(policy) => void set('message_edit_history_visibility_policy', policy)}
        />
        <SelectLine
          label="Messages are kept"
          detail={isOwner ? 'Channels can differ' : 'Only owners can change this.'}
          value={Number(get('message_retention_days') ?? -1)}
          choices={retentionChoices}
          isDisabled={!isOwner}
          onChange={(days) =>
            void set(
              'message_retention_days',
              retentionValue(days),
              retentionValue(Number(get('message_retention_days') ?? -1)),
            )
          }
        />
        <SwitchLine label="Every message needs a topic" {...flag('mandatory_topics')} />
        <SwitchLine label="Read receipts" detail="Members can switch their own off" {...flag('enable_read_receipts')} />
        <SwitchLine label="Previews of images" {...flag('inline_image_preview')} />
        <SwitchLine label="Previews of linked pages" {...flag('inline_url_embed_preview')} />
      </Card>
      <Card title="Profiles">
        <SwitchLine
          label="Names are fixed"
          detail="Only administrators change them"
          {...flag('name_changes_disabled')}
        />
        <SwitchLine label="Emails are fixed" {...flag('email_changes_disabled')} />
        <SwitchLine label="Images are fixed" {...flag('avatar_changes_disabled')} />
        <SwitchLine label="Names are unique" {...flag('require_unique_names')} />
      </Card>
    </>
  )
}

function IconLine() {
  const store = useStore()
  const { client } = useSession()
  const { get } = useRealmSettings()
  const input = useRef<HTMLInputElement>(null)
  const icon = ownImage(String(get('icon_url') ?? store.settings.realm_icon_url ?? ''))
  const upload = (file: File | undefined) => {
    if (file) void save(() => sendFile('POST', '/realm/icon', file), { text: 'Icon saved' })
  }
  return (
    <Line
      start={icon ? <img className="org-icon" src={icon} alt="" /> : undefined}
      label="Icon"
      detail="Scaled to a square. PNG, JPEG, GIF or WebP, at most 5 MB"
    >
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label="Icon file"
        onChange={({ target }) => upload(target.files?.[0])}
      />
      <Button look="outline" icon="image" onClick={() => input.current?.click()}>
        Upload
      </Button>
      <Button
        look="outline"
        onClick={() => void save(() => client.call('deleteRealmIcon'), { text: 'The default icon is back' })}
      >
        Remove
      </Button>
    </Line>
  )
}
