import { nameLimits } from '@parley/api/limits'
import { useRef } from 'react'
import { fileSize } from '../compose/uploads.ts'
import type { Explanation } from '../permissions/why.ts'
import { t } from '../platform/i18n.ts'
import { ownImage } from '../platform/own-images.ts'
import { exactTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { RetentionLine } from '../settings/channels/retention-line.tsx'
import { named, SelectLine } from '../settings/choices.tsx'
import { Card, Line, SwitchLine } from '../settings/controls.tsx'
import { TextLine } from '../settings/fields.tsx'
import { save, sendFile } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { DomainsCard } from './domains.tsx'
import { LinkPreviewLines } from './link-preview-lines.tsx'
import { limitChoices, limitValue, retentionChoices, retentionValue } from './model.ts'
import { OpenAccessLine } from './open-access.tsx'
import { ReportsLine } from './reports-line.tsx'
import { useRealmSettings } from './use-realm.ts'

const historyChoices = [
  ['all', 'history.all'],
  ['moves', 'history.moves'],
  ['none', 'history.none'],
] as const

export function OrganizationPage() {
  const { get, set, isOwner, ownersOnly } = useRealmSettings()
  const flag = (name: string, mayNot?: Explanation) => ({
    isOn: get(name) === true,
    mayNot,
    onChange: (isOn: boolean) => void set(name, isOn),
  })
  const limit = (name: string) => ({
    value: get(name) as number | null,
    choices: named(limitChoices),
    onChange: (seconds: number | null) => void set(name, limitValue(seconds), limitValue(get(name) as number | null)),
  })
  return (
    <>
      <Card>
        <IconLine />
        <TextLine
          label={t('common.name')}
          value={String(get('name'))}
          maxLength={nameLimits.organization}
          onSave={(name) => set('name', name)}
        />
        <TextLine
          label={t('common.description')}
          detail={t('organization.descriptionHint')}
          isLong
          maxLength={nameLimits.organizationDescription}
          value={String(get('description') ?? '')}
          onSave={(text) => set('description', text)}
        />
        <QuotaLine mib={get('upload_quota_mib') as number | null} />
      </Card>
      <Card title={t('organization.joining')}>
        <SwitchLine label={t('organization.invitationOnly')} {...flag('invite_required', ownersOnly)} />
        <SwitchLine label={t('organization.ownDomains')} {...flag('emails_restricted_to_domains', ownersOnly)} />
        <SwitchLine
          label={t('organization.noDisposable')}
          {...flag('disallow_disposable_email_addresses', ownersOnly)}
        />
        <TwoStepLine />
        <OpenAccessLine />
      </Card>
      <DomainsCard isOwner={isOwner} />
      <Card title={t('feed.messages')}>
        <SwitchLine label={t('organization.editing')} {...flag('allow_message_editing')} />
        <SelectLine label={t('organization.editLimit')} {...limit('message_content_edit_limit_seconds')} />
        <SelectLine label={t('organization.deleteLimit')} {...limit('message_content_delete_limit_seconds')} />
        <SelectLine label={t('organization.topicLimit')} {...limit('move_messages_within_stream_limit_seconds')} />
        <SelectLine label={t('organization.channelLimit')} {...limit('move_messages_between_streams_limit_seconds')} />
        <SelectLine
          label={t('organization.history')}
          value={String(get('message_edit_history_visibility_policy'))}
          choices={named(historyChoices)}
          onChange={(policy) => set('message_edit_history_visibility_policy', policy)}
        />
        <RetentionLine
          detail={t('organization.channelsDiffer')}
          value={Number(get('message_retention_days') ?? -1)}
          choices={named(retentionChoices)}
          mayNot={ownersOnly}
          daysOf={(days) => days}
          onChange={(days) =>
            void set(
              'message_retention_days',
              retentionValue(days),
              retentionValue(Number(get('message_retention_days') ?? -1)),
            )
          }
        />
        <SwitchLine label={t('organization.needsTopic')} {...flag('mandatory_topics')} />
        <SwitchLine
          label={t('message.receipts')}
          detail={t('organization.receipts')}
          {...flag('enable_read_receipts')}
        />
        <ReportsLine />
        <SwitchLine label={t('organization.imagePreviews')} {...flag('inline_image_preview')} />
        <SwitchLine
          label={t('organization.urlPreviews')}
          detail={t('organization.urlPreviews.text')}
          {...flag('inline_url_embed_preview')}
        />
        {get('inline_url_embed_preview') === true && <LinkPreviewLines />}
        <SwitchLine
          label={t('organization.emailText')}
          detail={t('organization.emailText.text')}
          {...flag('message_content_allowed_in_email_notifications')}
        />
      </Card>
      <Card title={t('organization.profiles')}>
        <SwitchLine
          label={t('organization.fixedNames')}
          detail={t('organization.fixedNames.text')}
          {...flag('name_changes_disabled')}
        />
        <SwitchLine label={t('organization.fixedEmails')} {...flag('email_changes_disabled')} />
        <SwitchLine label={t('organization.fixedImages')} {...flag('avatar_changes_disabled')} />
        <SwitchLine label={t('organization.uniqueNames')} {...flag('require_unique_names')} />
      </Card>
    </>
  )
}

/** The operator sets it. */
function QuotaLine({ mib }: { mib: number | null }) {
  return (
    <Line label={t('organization.quota')} detail={t('organization.quota.text')}>
      <span className="tag">{mib === null ? t('organization.quota.none') : fileSize(mib * 1024 * 1024)}</span>
    </Line>
  )
}

const day = 86_400

/** The choices are relative to now; a time that was chosen before is shown as it is. */
function TwoStepLine() {
  const { get, set, ownersOnly } = useRealmSettings()
  const name = 'second_factor_required_from'
  const from = Number(get(name) ?? 0)
  const inDays = (count: number) => Math.floor(Date.now() / 1000) + count * day
  const choices = [
    [0, t('twoStep.never')],
    ...(from > 0 ? [[from, t('twoStep.from', { time: exactTime(from) })] as const] : []),
    [inDays(0), t('twoStep.now')],
    [inDays(7), t('twoStep.week')],
    [inDays(30), t('twoStep.month')],
  ] as const
  return (
    <SelectLine
      label={t('twoStep.required')}
      detail={t('twoStep.required.text')}
      value={from}
      choices={choices}
      mayNot={ownersOnly}
      onChange={(time) => set(name, time)}
    />
  )
}

function IconLine() {
  const store = useSlices()
  const { client } = useSession()
  const { get } = useRealmSettings()
  const input = useRef<HTMLInputElement>(null)
  const icon = ownImage(String(get('icon_url') ?? store.settings.realm_icon_url ?? ''))
  const upload = (file: File | undefined) => {
    if (file) void save(() => sendFile('POST', '/realm/icon', file), { text: t('organization.iconSaved') })
  }
  return (
    <Line
      start={icon ? <img className="org-icon" src={icon} alt="" /> : undefined}
      label={t('organization.icon')}
      detail={t('organization.iconHint')}
    >
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={t('organization.iconFile')}
        onChange={({ target }) => upload(target.files?.[0])}
      />
      <Button look="outline" icon="image" onClick={() => input.current?.click()}>
        {t('common.upload')}
      </Button>
      {get('icon_source') === 'U' && (
        <Button
          look="outline"
          onClick={() => void save(() => client.call('deleteRealmIcon'), { text: t('organization.iconReset') })}
        >
          {t('common.remove')}
        </Button>
      )}
    </Line>
  )
}
