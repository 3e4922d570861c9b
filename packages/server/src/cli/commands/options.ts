import { Option } from 'commander'

export function inRealm(): Option {
  return new Option('--realm <id>', 'the short name of the organization, if there are several')
}

export function asJson(): Option {
  return new Option('--json', 'print JSON, for programs')
}
