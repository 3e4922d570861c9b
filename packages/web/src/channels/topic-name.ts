import { t } from '../platform/i18n.ts'
/** The empty topic has a name for people. */
export function topicName(topic: string): string {
  return topic === '' ? t('topic.general') : topic.replace(/^✔ /, '')
}
