import { nameLimits } from '@parley/api/limits'
import { channelKey } from '../../../conversations/channels/settings/channel-names.ts'
import { firstCharacters } from '../../../platform/text.ts'
import type { ImportedChannel } from './records.ts'

type Named = Pick<ImportedChannel, 'key' | 'name' | 'qualifiers'>

/** A name for each channel. Qualifiers distinguish those that would have the same one, as few as needed. */
export function uniqueNames(channels: Named[], taken: Set<string>): Map<string, string> {
  const used = new Set(taken)
  const names = new Map<string, string>()
  for (const group of Map.groupBy(channels, ({ name }) => channelKey(cleaned(name))).values()) {
    const ways = waysOf(group)
    const way = ways.find((one) => areFree(group.map(one), used)) ?? ways.at(-1)!
    for (const channel of group) {
      const name = numbered(way(channel), used)
      names.set(channel.key, name)
      used.add(channelKey(name))
    }
  }
  return names
}

/** With no qualifier, the first, the second, …, all of them. */
function waysOf(group: Named[]): ((channel: Named) => string)[] {
  const most = Math.max(...group.map(({ qualifiers }) => qualifiers.length))
  const single = Array.from({ length: most }, (_, index) => (channel: Named) => [channel.qualifiers[index] ?? ''])
  const choices = [() => [], ...single, ({ qualifiers }: Named) => qualifiers]
  return choices.map((choose) => (channel) => withQualifiers(channel.name, choose(channel)))
}

function areFree(names: string[], used: Set<string>): boolean {
  const keys = names.map(channelKey)
  return new Set(keys).size === keys.length && !keys.some((key) => used.has(key))
}

function withQualifiers(name: string, qualifiers: string[]): string {
  const end = qualifiers.length === 0 ? '' : ` (${cleaned(qualifiers.join(', '))})`
  return withEnd(
    cleaned(name),
    end.length > nameLimits.channel / 2 ? `${end.slice(0, nameLimits.channel / 2 - 1)})` : end,
  )
}

function withEnd(name: string, end: string): string {
  return `${firstCharacters(name, nameLimits.channel - end.length).trim()}${end}`
}

function numbered(name: string, used: Set<string>): string {
  for (let number = 2, candidate = name; ; candidate = withEnd(name, ` ${number++}`))
    if (!used.has(channelKey(candidate))) return candidate
}

function cleaned(name: string): string {
  return name.replace(/[\p{Control}\p{Surrogate}\p{Noncharacter_Code_Point}\s]+/gu, ' ').trim() || 'channel'
}
