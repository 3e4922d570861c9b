import { lookup } from '@parley/api/lookup'

/** Sites that a profile can have accounts of, with the URL pattern of a user's page, or ''. */
const sites: [subtype: string, name: string, urlPattern: string][] = [
  ['atlassian', 'Atlassian', ''],
  ['behance', 'Behance', 'https://www.behance.net/%(username)s'],
  ['bitbucket', 'Bitbucket', 'https://bitbucket.org/%(username)s'],
  ['bluesky', 'Bluesky', 'https://bsky.app/profile/%(username)s'],
  ['codeberg', 'Codeberg', 'https://codeberg.org/%(username)s'],
  ['discord', 'Discord', ''],
  ['dribbble', 'Dribbble', 'https://dribbble.com/%(username)s'],
  ['facebook', 'Facebook', 'https://www.facebook.com/%(username)s'],
  ['github', 'GitHub', 'https://github.com/%(username)s'],
  ['gitlab', 'GitLab', 'https://gitlab.com/%(username)s'],
  ['instagram', 'Instagram', 'https://www.instagram.com/%(username)s'],
  ['linkedin', 'LinkedIn', 'https://www.linkedin.com/in/%(username)s'],
  ['mastodon', 'Mastodon', '%(username)s'],
  ['medium', 'Medium', 'https://medium.com/@%(username)s'],
  ['pinterest', 'Pinterest', 'https://www.pinterest.com/%(username)s'],
  ['reddit', 'Reddit', 'https://www.reddit.com/user/%(username)s'],
  ['snapchat', 'Snapchat', 'https://www.snapchat.com/add/%(username)s'],
  ['threads', 'Threads', 'https://www.threads.net/@%(username)s'],
  ['tiktok', 'TikTok', 'https://www.tiktok.com/@%(username)s'],
  ['twitch', 'Twitch', 'https://www.twitch.tv/%(username)s'],
  ['x', 'X', 'https://x.com/%(username)s'],
  ['youtube', 'YouTube', 'https://www.youtube.com/@%(username)s'],
]

const hints: Record<string, string> = { mastodon: 'The whole address of your profile' }

export const externalAccounts = Object.fromEntries(
  sites.map(([subtype, name, url_pattern]) => [
    subtype,
    { name, text: name, hint: lookup(hints, subtype) ?? `Your ${name} user name`, url_pattern },
  ]),
)
